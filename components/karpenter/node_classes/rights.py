"""Permissions that node classes need the controller to have, beyond upstream's policies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...location import Location
from .config import NodeClassConfig
from .images import is_aws_own


@dataclass(frozen=True, kw_only=True)
class ExtraRights:
    """Permissions that all classes together need; empty if they use the stack's role and AWS's
    images.
    """

    roles: Sequence[str] = ()
    """Names, without path, of other node roles that the controller may pass."""
    parameters: Sequence[str] = ()
    """Names or ARNs of parameters that hold images and are not AWS's own."""

    def role_arns(self, location: Location) -> list[str]:
        """ARNs of the roles."""
        return [location.iam_arn(f"role/{name}") for name in self.roles]

    def parameter_arns(self, location: Location) -> list[str]:
        """ARNs of the parameters, without a version or label, as a policy names them."""
        return [_parameter_arn(location, parameter) for parameter in self.parameters]


def extra_rights(classes: Mapping[str, NodeClassConfig]) -> ExtraRights:
    """Permissions that these classes need together; keys are their names."""
    parameters = [
        term.ssm_parameter
        for node_class in classes.values()
        for term in node_class.images
        if term.ssm_parameter and not is_aws_own(term.ssm_parameter)
    ]
    return ExtraRights(roles=other_roles(classes), parameters=list(dict.fromkeys(parameters)))


def other_roles(classes: Mapping[str, NodeClassConfig]) -> list[str]:
    """Names of the roles that the classes bring, each once. Each needs an access entry in the
    cluster, which the stack does not make.
    """
    named = [
        name
        for node_class in classes.values()
        for name in (node_class.role, node_class.instance_profile_role)
        if name
    ]
    return list(dict.fromkeys(named))


def _parameter_arn(location: Location, parameter: str) -> str:
    if parameter.startswith("arn:"):
        return ":".join(parameter.split(":")[:6])
    name = parameter.partition(":")[0]
    return location.arn("ssm", f"parameter/{name.removeprefix('/')}")
