"""Renders the objects that an add-on installs, from the project's manifests in eks_addons/."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml
from jsonschema import Draft202012Validator

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service.fargate_policy import COMPUTE_ANNOTATION
from rehearsal.aws.eks_service.kubernetes import Kubernetes, Object

FOLDER = Path(__file__).parent.parent / "eks_addons"
REGISTRY = "602401143452.dkr.ecr.{region}.amazonaws.com/eks/"
ROLE_ANNOTATION = "eks.amazonaws.com/role-arn"
PARTS = {"Deployment": "controller", "DaemonSet": "node"}
"""Key of a workload's values, by its kind, in add-ons that have both kinds."""
WORKLOADS = tuple(PARTS)


@dataclass(frozen=True)
class Manifest:
    """Manifest of one add-on."""

    namespace: str
    service_account: str | None
    """Service account that can be given a role; None if there is none."""
    schema: dict[str, Any]
    """JSON schema of the configuration values."""
    objects: list[Object]

    @property
    def workloads(self) -> list[Object]:
        """Deployments and DaemonSets of the add-on."""
        return [o for o in self.objects if o["kind"] in WORKLOADS]


@dataclass(frozen=True, kw_only=True)
class Installation:
    """How an add-on is to be installed."""

    region: str
    version: str
    role_arn: str | None
    values: dict[str, Any]
    """Configuration values, already checked."""


@cache
def manifest(addon: str) -> Manifest:
    """Manifest of the add-on with this name. Raises AwsError if the project has none."""
    path = FOLDER / f"{addon}.yaml"
    if not path.is_file():
        raise AwsError(
            "InvalidParameterException",
            f"The rehearsal does not play add-on {addon}: write {path.name} in {FOLDER.name}/",
        )
    facts, *objects = yaml.safe_load_all(path.read_text())
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "properties": facts["configuration"],
    }
    return Manifest(facts["namespace"], facts.get("serviceAccount"), schema, objects)


def parse_values(addon: str, text: str | None) -> dict[str, Any]:
    """Configuration values, JSON or YAML. Raises AwsError when the add-on does not know them."""
    try:
        values = yaml.safe_load(text or "{}") or {}
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise AwsError(
            "InvalidParameterException",
            f"ConfigurationValue provided in request is not valid JSON or YAML: {problem}",
        ) from error
    validator = Draft202012Validator(manifest(addon).schema)
    problems = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(values)]  # pyright: ignore[reportUnknownMemberType]
    if problems:
        raise AwsError(
            "InvalidParameterException",
            "ConfigurationValue provided in request is not supported: Json schema validation "
            f"failed with error: {problems}",
        )
    return cast(dict[str, Any], values)


def objects_of(addon: str, wanted: Installation) -> list[Object]:
    """Objects of an installation."""
    known = manifest(addon)
    objects = copy.deepcopy(known.objects)
    for item in objects:
        if wanted.role_arn and _is(item, "ServiceAccount", known.service_account):
            item["metadata"].setdefault("annotations", {})[ROLE_ANNOTATION] = wanted.role_arn
        if item["kind"] in WORKLOADS:
            for container in item["spec"]["template"]["spec"]["containers"]:
                image = container["image"].replace("registry/", REGISTRY)
                container["image"] = f"{image.format(region=wanted.region)}:{wanted.version}"
            for key, value in _values_for(item, wanted.values).items():
                if key in EFFECTS:
                    EFFECTS[key](item, value)
    controllers = wanted.values | wanted.values.get("controller", {})
    budget = controllers.get("podDisruptionBudget", {})
    if budget.get("enabled") is False:
        return [item for item in objects if item["kind"] != "PodDisruptionBudget"]
    return objects


def unready(kubernetes: Kubernetes, addon: str) -> str | None:
    """Reason why the add-on does not work yet; None if it works."""
    for workload in manifest(addon).workloads:
        current = kubernetes.get(workload)
        if current is None:
            return f"{workload['kind']} {workload['metadata']['name']} does not exist"
        wanted = current["spec"].get("replicas", 0)
        available = current.get("status", {}).get("availableReplicas") or 0
        if current["kind"] == "Deployment" and available < wanted:
            return (
                "The add-on is unhealthy because it doesn't have the desired number of replicas: "
                f"{available} of {wanted} are available"
            )
    return None


def _is(item: Object, kind: str, name: str | None) -> bool:
    return item["kind"] == kind and item["metadata"]["name"] == name


def _values_for(workload: Object, values: dict[str, Any]) -> dict[str, Any]:
    """Values of the whole add-on, and those under the key of this workload."""
    return values | values.get(PARTS[workload["kind"]], {})


def _pod(workload: Object) -> dict[str, Any]:
    return workload["spec"]["template"]["spec"]


def _pod_metadata(workload: Object, key: str) -> dict[str, str]:
    return workload["spec"]["template"]["metadata"].setdefault(key, {})


def _set_replicas(workload: Object, value: int) -> None:
    if workload["kind"] == "Deployment":
        workload["spec"]["replicas"] = value


def _set_resources(workload: Object, value: dict[str, Any]) -> None:
    _pod(workload)["containers"][0]["resources"] = value


def _set_environment(workload: Object, value: dict[str, str]) -> None:
    _pod(workload)["containers"][0]["env"] = [{"name": k, "value": v} for k, v in value.items()]


def _set_compute_type(workload: Object, value: str) -> None:
    # Written both ways in public configurations; the add-on's own schema was not to be had.
    if value.lower() == "fargate":
        _pod_metadata(workload, "annotations").pop(COMPUTE_ANNOTATION, None)


def _pod_field(key: str) -> Callable[[Object, Any], None]:
    return lambda workload, value: _pod(workload).update({key: value})


EFFECTS: dict[str, Callable[[Object, Any], None]] = {
    "replicaCount": _set_replicas,
    "resources": _set_resources,
    "env": _set_environment,
    "computeType": _set_compute_type,
    "tolerations": _pod_field("tolerations"),
    "affinity": _pod_field("affinity"),
    "nodeSelector": _pod_field("nodeSelector"),
    "topologySpreadConstraints": _pod_field("topologySpreadConstraints"),
    "priorityClassName": _pod_field("priorityClassName"),
    "podAnnotations": lambda w, value: _pod_metadata(w, "annotations").update(value),
    "podLabels": lambda w, value: _pod_metadata(w, "labels").update(value),
}
"""Effects of configuration values on a workload. Other values change only what runs inside."""
