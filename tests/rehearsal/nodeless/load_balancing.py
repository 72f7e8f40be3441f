"""The load balancers of the first life, as a record."""

from typing import Any, NamedTuple

from tests.rehearsal.nodeless.stage import Stage, wait

SERVICE = "/api/v1/namespaces/kube-system/services/kube-ops-view-internal"
INGRESSES = "/apis/networking.k8s.io/v1/namespaces/kube-system/ingresses"
INGRESS: dict[str, Any] = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "Ingress",
    "metadata": {
        "name": "page",
        "namespace": "kube-system",
        "annotations": {"alb.ingress.kubernetes.io/target-type": "ip"},
    },
    "spec": {
        "ingressClassName": "alb",
        "defaultBackend": {"service": {"name": "kube-ops-view", "port": {"number": 8080}}},
    },
}


class Balanced(NamedTuple):
    """The load balancers of the account, and what leads to them."""

    service: dict[str, Any]
    """The page's Service as it is in the cluster."""
    balancers: dict[str, dict[str, Any]]
    """By the names that AWS gives them."""
    targets: list[dict[str, Any]]
    listeners: list[tuple[str, int]]
    records: dict[tuple[str, str], dict[str, Any]]
    """By name and type: all that is in the zone."""


class Page(NamedTuple):
    """The page's load balancer, and another one that comes and goes."""

    alone: Balanced
    with_ingress: Balanced
    ingress_host: str
    after_ingress: Balanced


def balanced(stage: Stage) -> Balanced:
    """As it is now."""
    elbv2 = stage.aws("elbv2")
    balancers = elbv2.describe_load_balancers()["LoadBalancers"]
    arns = [one["LoadBalancerArn"] for one in balancers]
    listeners = [elbv2.describe_listeners(LoadBalancerArn=arn)["Listeners"] for arn in arns]
    return Balanced(
        service=stage.cluster.get(SERVICE),
        balancers={one["DNSName"]: one for one in balancers},
        targets=elbv2.describe_target_groups()["TargetGroups"],
        listeners=[(one["Protocol"], one["Port"]) for some in listeners for one in some],
        records=records(stage.aws("route53")),
    )


def records(route53: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """All that is in the account's one zone, by name and type."""
    zones = route53.list_hosted_zones()["HostedZones"]
    assert [zone["Name"] for zone in zones] == ["example.com."]
    listed = route53.list_resource_record_sets(HostedZoneId=zones[0]["Id"])
    return {(one["Name"].rstrip("."), one["Type"]): one for one in listed["ResourceRecordSets"]}


def make_ingress(stage: Stage) -> str:
    """Apply the Ingress; returns the name of its load balancer."""
    stage.kubectl("apply", "-f", "-", given=[INGRESS])

    def hosts() -> list[str]:
        status = stage.cluster.get(f"{INGRESSES}/page")["status"].get("loadBalancer", {})
        return [one["hostname"] for one in status.get("ingress", [])]

    return wait(hosts)[0]


def remove_ingress(stage: Stage) -> None:
    """It stays until the controller has taken its load balancer away."""
    stage.kubectl("delete", "-f", "-", "--wait=false", given=[INGRESS])
