"""Records what a component's example declares: resources, and rights in AWS."""

import inspect
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from components.kubernetes.charts import ChartSource
from components.location import Location
from frugal_eks.dev.reference.cluster_examples import existing_cluster
from frugal_eks.dev.reference.parts import Part
from rehearsal.recording import Declared, Deployment, account_of, run
from rehearsal.recording.account import ACCOUNT, REGION

OWN = "frugal-eks:"
_DOCUMENTS = ("aws:iam/rolePolicy:RolePolicy", "aws:iam/policy:Policy")
_ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"


class Right(NamedTuple):
    """One statement of a policy."""

    effect: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    has_condition: bool


class Record(NamedTuple):
    """Resources and rights of a component's example."""

    resources: Mapping[str, int]
    """Number of resources by type token."""
    components: tuple[str, ...]
    """Class names of the components inside."""
    rights: tuple[Right, ...]
    managed: tuple[str, ...]
    """Names of the AWS managed policies that its roles have."""


def recorded(part: Part) -> Record:
    """Runs the example without an engine and without AWS."""
    deployment = Deployment(account_of(), preview=False)
    run(partial(_program, part), deployment, {"aws:region": REGION}, stack="dev")
    inside = list(_inside(deployment.declared, part.name))
    own = [each for each in inside if each.request.type.startswith(OWN)]
    # By name: what does not wait for each other comes in another order each time.
    others = sorted((e for e in inside if e not in own), key=lambda each: each.request.name)
    names = sorted({each.request.type.rpartition(":")[2] for each in own[1:]})
    return Record(
        resources=dict(sorted(Counter(each.request.type for each in others).items())),
        components=tuple(name for name in names if name != part.name),
        rights=tuple(right for each in others for right in _rights(each)),
        managed=tuple(sorted({*_managed(others)})),
    )


def _program(part: Part) -> None:
    at = Location(region=REGION, account=ACCOUNT)
    parameters = inspect.signature(part.example).parameters
    around: dict[str, Any] = {"at": at, "charts": ChartSource()}
    if "cluster" in parameters:
        around["cluster"] = existing_cluster(at)
    part.example(**{name: around[name] for name in parameters})


def _inside(declared: Sequence[Declared], name: str) -> Iterator[Declared]:
    """The component and all below it, in the order of their declaration."""
    known: set[str] = set()
    for each in declared:
        kind = each.request.type
        is_it = kind.startswith(OWN) and kind.rpartition(":")[2] == name
        if is_it or each.request.parent in known:
            known.add(each.urn)
            yield each


def _rights(declared: Declared) -> Iterator[Right]:
    if declared.request.type not in _DOCUMENTS:
        return
    document = json.loads(declared.inputs["policy"])
    for statement in cast(list[dict[str, Any]], document["Statement"]):
        yield Right(
            effect=statement["Effect"],
            actions=_listed(statement.get("Action", statement.get("NotAction"))),
            resources=_listed(statement.get("Resource", "*")),
            has_condition="Condition" in statement,
        )


def _managed(declared: Sequence[Declared]) -> Iterator[str]:
    for each in declared:
        if each.request.type == _ATTACHMENT:
            arn = str(each.inputs["policyArn"])
            if ":iam::aws:policy/" in arn:
                yield arn.rpartition("/")[2]


def _listed(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
