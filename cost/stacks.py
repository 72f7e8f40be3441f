"""The resources of a stack file, without AWS and without an engine."""

import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import pulumi
import yaml

from cost.errors import CostError
from cost.program import Inputs
from previews import Resource
from recording import Declared, Deployment, account_of, run

ROOT = Path(__file__).parent.parent
STACKS = ROOT / "stacks"
SECRET = "[secret]"


class Stack(NamedTuple):
    """What a stack file declares."""

    resources: tuple[Resource, ...]
    region: str


def stack_files(folder: Path = STACKS) -> dict[str, Path]:
    """By the stack's name."""
    found = sorted(folder.glob("Pulumi.*.yaml"))
    return {each.name.removeprefix("Pulumi.").removesuffix(".yaml"): each for each in found}


def read_stack(name: str, file: Path | None = None) -> Stack:
    """Runs the program with a stack's file, or with another that stands for it.

    Raises CostError of an unknown stack, and of a file that the program refuses.
    """
    known = stack_files()
    path = file or known.get(name)
    if path is None:
        raise CostError(
            f"{name}: there is no stacks/Pulumi.{name}.yaml: name one of {', '.join(known)}, or "
            "give the file with --stack-file"
        )
    settings, secrets = _settings(path)
    region = settings.get("aws:region")
    if not isinstance(region, str):
        raise CostError(f"{path}: aws:region: is missing: add a line such as aws:region: eu-west-1")
    deployment = Deployment(account_of(region), preview=False, any_type=True)
    try:
        run(_program, deployment, settings, stack=name, secrets=secrets)
    except pulumi.RunError as error:
        raise CostError(str(error)) from None
    return Stack(tuple(map(_resource, deployment.declared)), region)


def _program() -> None:
    runpy.run_path(str(ROOT / "__main__.py"))


def _settings(file: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings, and which of them are encrypted."""
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CostError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CostError(f"{file}: is no text in UTF-8") from None
    except yaml.YAMLError as error:
        raise CostError(f"{file}: is no YAML: {' '.join(str(error).split())}") from None
    config = cast(Inputs, content).get("config") if isinstance(content, Mapping) else None
    if not isinstance(config, Mapping):
        raise CostError(f"{file}: config: is missing: see stacks/Pulumi.nodeless.yaml for one")
    settings = dict(cast(Mapping[str, Any], config))
    secrets = tuple(key for key, value in settings.items() if _is_secret(value))
    return settings | dict.fromkeys(secrets, SECRET), secrets


def _is_secret(value: Any) -> bool:
    return isinstance(value, Mapping) and set(cast(Mapping[str, Any], value)) == {"secure"}


def _resource(declared: Declared) -> Resource:
    request = declared.request
    return Resource(
        urn=declared.urn,
        type=request.type,
        custom=request.custom,
        # The recording engine's ids, by which what refers to another is found again.
        id=f"{request.name}-id" if request.custom else "",
        parent=request.parent,
        dependencies=tuple(request.dependencies),
        inputs=declared.inputs,
        protect=request.protect,
    )
