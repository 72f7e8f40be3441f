"""A cluster and a place for pods, as the tests of single components give them."""

from dataclasses import fields, replace
from typing import Any, TypeVar

from components.cluster_ref import ClusterRef
from components.kubernetes.admission import Admission
from components.kubernetes.charts import ChartSource
from components.location import Location
from components.placement import Placement, RunsOn

Args = TypeVar("Args")
OIDC_PROVIDER_ARN = (
    "arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
)
CLUSTER = ClusterRef(
    name="dev",
    live_name="dev",
    version="1.35",
    location=Location(region="eu-west-1", account="111122223333"),
    endpoint="https://example.eks.amazonaws.com",
    certificate_authority="Q0E=",
    service_cidr="172.20.0.0/16",
    oidc_provider_arn=OIDC_PROVIDER_ARN,
    security_group_id="sg-cluster",
    discoverable=True,
    provider=None,  # the default one of the test's program
    admission=Admission("apiVersion: v1"),
    charts=ChartSource(),
)


def cluster_ref(**changes: Any) -> ClusterRef:
    """The cluster dev with some fields changed; another `name` alone is the live name as well."""
    if "name" in changes:
        changes.setdefault("live_name", changes["name"])
    return replace(CLUSTER, **changes)


def given(args: type[Args], *, runs_on: RunsOn = RunsOn.FARGATE, **values: Any) -> Args:
    """An Args with fields of ClusterRef and Placement given beside its own, which come first."""
    own = {each.name for each in fields(args)}

    def taken(part: type) -> dict[str, Any]:
        names = {each.name for each in fields(part)} - own
        return {name: values.pop(name) for name in names & values.keys()}

    place = Placement(runs_on=runs_on, **taken(Placement))
    return args(cluster=cluster_ref(**taken(ClusterRef)), placement=place, **values)
