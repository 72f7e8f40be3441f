"""Reads the resources that a stack file declares, without AWS and without an engine."""

import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import pulumi
import yaml

from frugal_eks.inputs import StackFile
from frugal_eks.plans.cost.errors import CostError
from frugal_eks.plans.cost.program import Inputs
from frugal_eks.plans.previews import Resource
from rehearsal.recording import Declared, Deployment, account_of, run
from rehearsal.recording.account import Answers

ROOT = Path(__file__).parents[3]
SECRET = "[secret]"


class Stack(NamedTuple):
    """Resources that a stack file declares."""

    resources: tuple[Resource, ...]
    region: str
    adopted: frozenset[str] = frozenset()
    """URNs of the resources that the program imports, since they exist already."""


def read_stack(file: StackFile, answers: Answers | None = None) -> Stack:
    """Runs the program with a stack file.
    `answers` replies to the program's look-ups; by default an account that has everything it looks
    up, and whose deployer is the first administrator. Raises CostError if the program refuses the
    file.
    """
    settings, secrets = _settings(file)
    region = settings.get("aws:region")
    if not isinstance(region, str):
        raise CostError(
            f"{file.file}: aws:region: is missing: add a line such as aws:region: eu-west-1"
        )
    replies = answers or account_of(region, _first_administrator(settings))
    deployment = Deployment(replies, preview=False, any_type=True)
    try:
        run(_program, deployment, settings, stack=file.stack, secrets=secrets)
    except pulumi.RunError as error:
        raise CostError(str(error)) from None
    adopted = (each.urn for each in deployment.declared if each.request.importId)
    return Stack(tuple(map(_resource, deployment.declared)), region, frozenset(adopted))


def _program() -> None:
    runpy.run_path(str(ROOT / "__main__.py"))


def _settings(file: StackFile) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings of the file, and the keys of the encrypted ones."""
    try:
        content = yaml.safe_load(file.text)
    except yaml.YAMLError as error:
        raise CostError(f"{file.file}: is no YAML: {' '.join(str(error).split())}") from None
    config = cast(Inputs, content).get("config") if isinstance(content, Mapping) else None
    if not isinstance(config, Mapping):
        raise CostError(f"{file.file}: config: is missing: see stacks/Pulumi.nodeless.yaml for one")
    settings = dict(cast(Mapping[str, Any], config))
    secrets = tuple(key for key, value in settings.items() if _is_secret(value))
    return settings | dict.fromkeys(secrets, SECRET), secrets


def _first_administrator(settings: Mapping[str, Any]) -> str | None:
    """The first ARN under `cluster.admins`; None if the file names none, which the program
    refuses.
    """
    cluster = next((value for key, value in settings.items() if key.endswith("cluster")), None)
    admins = cast(Inputs, cluster).get("admins") if isinstance(cluster, Mapping) else None
    named = cast(list[Any], admins) if isinstance(admins, list) else []
    return next((each for each in named if isinstance(each, str)), None)


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
