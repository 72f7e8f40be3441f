"""What can be said of a command without doing it: its own parser takes it, its files are there."""

import argparse
import importlib
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import botocore.session
import pytest
from botocore import xform_name

from frugal_eks import cli
from tests.conftest import ROOT

OPEN = ("[", "|", "<", "…")
"""In a command that shows what may be said, not what is typed."""
OF_THE_CLI = {"region", "output", "query", "profile", "endpoint-url", "cli-input-json"}
CLI_ALONE = {
    ("cloudformation", "deploy"),
    ("ecr-public", "get-login-password"),
    ("eks", "get-token"),
    ("eks", "update-kubeconfig"),
}
"""Commands of the AWS CLI that are no operation of the API."""


class Parsed(BaseException):
    """Raised as soon as a command line is understood, so that nothing is done."""


def python(words: Sequence[str]) -> None:
    """`python -m MODULE …`: the module's own parser takes it."""
    assert words[:2] == ("python", "-m"), "modules are run with `python -m`"
    module, arguments = words[2], list(words[3:])
    file = ROOT / module.replace(".", "/") / "__main__.py"
    assert file.exists(), f"there is no `python -m {module}`"
    if not arguments or any(sign in word for word in arguments for sign in OPEN):
        return
    understood(importlib.import_module(f"{module}.__main__").main, arguments)


def understood(main: Callable[[list[str]], object], arguments: list[str]) -> None:
    """Raises AssertionError if the parser of `main` does not take the arguments."""
    with pytest.MonkeyPatch.context() as patch:
        real = argparse.ArgumentParser.parse_args

        def parse_args(self: Any, *given: Any, **options: Any) -> None:
            raise Parsed(real(self, *given, **options))

        patch.setattr(argparse.ArgumentParser, "parse_args", parse_args)
        try:
            code = main(arguments)
        except Parsed:
            return
        except SystemExit as ended:
            code = ended.code or "--help"
    assert code == "--help", f"the command does not take {arguments}"


def frugal_eks(words: Sequence[str]) -> None:
    """`./frugal-eks COMMAND …`: the command's parser takes it."""
    arguments = list(words[1:])
    if len(arguments) == 1 or any(sign in word for word in arguments for sign in OPEN):
        arguments = [arguments[0], "--help"]
    understood(cli.main, arguments)


def make(words: Sequence[str]) -> None:
    """The Makefile has the target."""
    ended = subprocess.run(
        ["make", "--dry-run", *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def aws(words: Sequence[str]) -> None:
    """The operation and its options are those of the API."""
    service, operation, *options = words[1:]
    if (service, operation) in CLI_ALONE:
        return
    known = operations(service)
    assert operation in known, f"{service} has no operation {operation}"
    asked = {word.removeprefix("--").partition("=")[0] for word in options if word[:2] == "--"}
    assert asked <= known[operation] | OF_THE_CLI, f"{operation} does not take {asked}"


@cache
def operations(service: str) -> Mapping[str, set[str]]:
    """The options of each operation, both as the AWS CLI spells them."""
    model = botocore.session.get_session().get_service_model(service)
    found: dict[str, set[str]] = {}
    for name in model.operation_names:
        shape = model.operation_model(name).input_shape
        members = shape.members if shape else {}
        options = {xform_name(member, "-") for member in members}
        found[xform_name(name, "-")] = options | {f"no-{option}" for option in options}
    return found


def git(words: Sequence[str]) -> None:
    """Git has the command."""
    listed = subprocess.run(
        ["git", "--list-cmds=main,others,nohelpers"], capture_output=True, text=True, check=True
    )
    assert words[1] in listed.stdout.split(), f"git has no {words[1]}"


def files(words: Sequence[str]) -> None:
    """The file or folder that is opened or entered, or the one that is copied, is there."""
    named = words[1] if words[0] != "mv" else words[-1]
    assert (ROOT / named).exists(), f"{named} is not there"


def plain(words: Sequence[str]) -> None:
    """A program that every machine has."""
    assert shutil.which(words[0]), words[0]


def sudo(words: Sequence[str]) -> None:
    """The command behind it."""
    CHECKS[words[1]](words[1:])


CHECKS: Mapping[str, Callable[[Sequence[str]], None]] = {
    "./frugal-eks": frugal_eks,
    "python": python,
    "make": make,
    "aws": aws,
    "git": git,
    "cd": files,
    "cp": files,
    "$EDITOR": files,
    "mkdir": plain,
    "sysctl": plain,
    "sudo": sudo,
}
"""By the first word. Those in COBRA are asked themselves, with the real engine's tests."""
COBRA = {"pulumi": "pulumi", "kubectl": "kubectl"}
"""Command lines whose own `--help` tells whether they take what stands before it."""
