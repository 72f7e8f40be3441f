"""What a destroy left behind: all that the played account and the API server have now and had not
before."""

import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import jmespath

from rehearsal.clients import Cluster, aws_client
from rehearsal.state import Endpoints, State

BASELINE = "before.json"
"""What was there before the first `up`, in the state folder."""


class Thing(NamedTuple):
    """Something in the account or the cluster."""

    kind: str
    id: str
    """What AWS or Kubernetes knows it by; a namespaced object's is namespace/name."""
    name: str
    """Its Name tag, or "" where it has none."""


class AwsKind(NamedTuple):
    """How one kind of thing is listed; `items` is a JMESPath to pairs of id and name."""

    kind: str
    service: str
    operation: str
    items: str


NAME = "Tags[?Key=='Name']|[0].Value"

AWS_KINDS = (
    AwsKind("VPC", "ec2", "describe_vpcs", f"Vpcs[].[VpcId,{NAME}]"),
    AwsKind("subnet", "ec2", "describe_subnets", f"Subnets[].[SubnetId,{NAME}]"),
    AwsKind("route table", "ec2", "describe_route_tables", f"RouteTables[].[RouteTableId,{NAME}]"),
    AwsKind(
        "internet gateway",
        "ec2",
        "describe_internet_gateways",
        f"InternetGateways[].[InternetGatewayId,{NAME}]",
    ),
    AwsKind(
        "NAT gateway",
        "ec2",
        "describe_nat_gateways",
        f"NatGateways[?State!='deleted'].[NatGatewayId,{NAME}]",
    ),
    AwsKind("elastic IP", "ec2", "describe_addresses", f"Addresses[].[AllocationId,{NAME}]"),
    AwsKind(
        "security group",
        "ec2",
        "describe_security_groups",
        "SecurityGroups[].[GroupId,GroupName]",
    ),
    AwsKind(
        "network interface",
        "ec2",
        "describe_network_interfaces",
        "NetworkInterfaces[].[NetworkInterfaceId,Description]",
    ),
    AwsKind(
        "VPC endpoint",
        "ec2",
        "describe_vpc_endpoints",
        "VpcEndpoints[?State!='deleted'].[VpcEndpointId,ServiceName]",
    ),
    AwsKind(
        "launch template",
        "ec2",
        "describe_launch_templates",
        "LaunchTemplates[].[LaunchTemplateId,LaunchTemplateName]",
    ),
    AwsKind(
        "instance",
        "ec2",
        "describe_instances",
        f"Reservations[].Instances[?State.Name!='terminated'][].[InstanceId,{NAME}]",
    ),
    AwsKind("volume", "ec2", "describe_volumes", f"Volumes[].[VolumeId,{NAME}]"),
    AwsKind(
        "Auto Scaling group",
        "autoscaling",
        "describe_auto_scaling_groups",
        "AutoScalingGroups[].[AutoScalingGroupARN,AutoScalingGroupName]",
    ),
    AwsKind(
        "load balancer",
        "elbv2",
        "describe_load_balancers",
        "LoadBalancers[].[LoadBalancerArn,LoadBalancerName]",
    ),
    # Service-linked roles belong to the account: AWS itself keeps them when a cluster goes.
    AwsKind(
        "IAM role",
        "iam",
        "list_roles",
        "Roles[?!starts_with(Path,'/aws-service-role/')].[Arn,RoleName]",
    ),
    AwsKind("IAM user", "iam", "list_users", "Users[].[Arn,UserName]"),
    AwsKind("IAM policy", "iam", "list_policies", "Policies[].[Arn,PolicyName]"),
    AwsKind(
        "instance profile",
        "iam",
        "list_instance_profiles",
        "InstanceProfiles[].[Arn,InstanceProfileName]",
    ),
    AwsKind(
        "OIDC provider",
        "iam",
        "list_open_id_connect_providers",
        "OpenIDConnectProviderList[].[Arn,'']",
    ),
    AwsKind("EKS cluster", "eks", "list_clusters", "clusters[].[@,@]"),
    AwsKind("SQS queue", "sqs", "list_queues", "QueueUrls[].[@,'']"),
    AwsKind("EventBridge rule", "events", "list_rules", "Rules[].[Arn,Name]"),
    AwsKind("log group", "logs", "describe_log_groups", "logGroups[].[arn,logGroupName]"),
    AwsKind("KMS alias", "kms", "list_aliases", "Aliases[].[AliasArn,AliasName]"),
)

ARGUMENTS: dict[str, dict[str, Any]] = {"list_policies": {"Scope": "Local"}}

PASSING = frozenset({"Event", "ComponentStatus"})
"""Kinds that tell about other objects and go by themselves."""

OWN = "rehearsal-"
"""What the rehearsal itself makes in the cluster begins so, e.g. rights for the played fleet."""

BOOTSTRAP = ("default", "kube-node-lease", "kube-public", "kube-system")
"""Namespaces of every cluster; the API server and its controllers fill them a little later."""


def remember(state: State) -> None:
    """Write down what there is before the first `up`. Later calls change nothing."""
    path = state.path / BASELINE
    if not path.exists():
        now = sorted(aws_things(state.endpoints) | cluster_things(Cluster(state)))
        path.write_text(json.dumps(now, indent=1))


def find(state: State, preexisting: Iterable[str]) -> list[Thing]:
    """What is there now and was not before; `preexisting` are ids that are nobody's leftovers."""
    before = {Thing(*row) for row in json.loads((state.path / BASELINE).read_text())}
    known = {(thing.kind, thing.id) for thing in before}
    ids = set(preexisting)
    now = aws_things(state.endpoints) | cluster_things(Cluster(state))
    return sorted(t for t in now if (t.kind, t.id) not in known and t.id not in ids)


def settle(
    state: State, preexisting: Iterable[str], *, patience: float, tell: Callable[[int], None]
) -> list[Thing]:
    """`find`, again and again for `patience` seconds: what is being deleted goes in that time.

    `tell` hears how many are still there.
    """
    ids = list(preexisting)
    end = time.monotonic() + patience
    while (left := find(state, ids)) and time.monotonic() < end:
        tell(len(left))
        time.sleep(1.0)
    return left


def aws_things(endpoints: Endpoints) -> set[Thing]:
    """Everything in the account that costs something, holds a name or grants a right."""
    clients: dict[str, Any] = {
        service: aws_client(service, endpoints)
        for service in {kind.service for kind in AWS_KINDS} | {"kms"}
    }
    found = {thing for kind in AWS_KINDS for thing in _listed(clients[kind.service], kind)}
    return found | _keys(clients["kms"])


def cluster_things(cluster: Cluster) -> set[Thing]:
    """Every object of every kind that the API server knows, custom resources included."""
    nodes = {node["metadata"]["name"] for node in cluster.items("/api/v1/nodes")}
    with ThreadPoolExecutor(8) as workers:
        kinds = _kinds(cluster)
        lists = workers.map(cluster.items, [path for path, _ in kinds])
        return {
            _thing(kind, item)
            for (_, kind), items in zip(kinds, lists, strict=True)
            for item in items
            if not _by_itself(kind, item["metadata"]) and not _dead(kind, item, nodes)
        }


def _listed(client: Any, kind: AwsKind) -> list[Thing]:
    arguments = ARGUMENTS.get(kind.operation, {})
    if client.can_paginate(kind.operation):
        pages = client.get_paginator(kind.operation).paginate(**arguments)
    else:
        pages = [getattr(client, kind.operation)(**arguments)]
    found: list[tuple[str, str | None]] = []
    for page in pages:
        found += jmespath.search(kind.items, page) or []
    return [Thing(kind.kind, id, name or "") for id, name in found]


def _keys(kms: Any) -> set[Thing]:
    """KMS keys, unless they wait for their deletion: that takes at least seven days."""
    keys = [
        key["KeyId"] for page in kms.get_paginator("list_keys").paginate() for key in page["Keys"]
    ]
    described = [kms.describe_key(KeyId=key)["KeyMetadata"] for key in keys]
    return {
        Thing("KMS key", key["Arn"], key.get("Description", ""))
        for key in described
        if key["KeyState"] != "PendingDeletion"
    }


def _kinds(cluster: Cluster) -> list[tuple[str, str]]:
    """Pairs of path and kind of all that can be listed, each kind in its preferred version."""
    groups = cluster.get("/apis")["groups"]
    versions = ["/api/v1"] + [
        f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups
    ]
    kinds: list[tuple[str, str]] = []
    for version in versions:
        try:
            resources = cluster.get(version)["resources"]
        except LookupError:  # its CRD went in between
            continue
        kinds += [
            (f"{version}/{resource['name']}", resource["kind"])
            for resource in resources
            if "list" in resource["verbs"] and "/" not in resource["name"]
        ]
    return [(path, kind) for path, kind in kinds if kind not in PASSING]


def _thing(kind: str, item: dict[str, Any]) -> Thing:
    metadata = item["metadata"]
    namespace = metadata.get("namespace")
    return Thing(kind, f"{namespace}/{metadata['name']}" if namespace else metadata["name"], "")


def _dead(kind: str, item: dict[str, Any], nodes: set[str]) -> bool:
    """Whether it is a deleted pod of a node that is gone: the pod collector waits 40 s for those.

    On AWS they end with the control plane.
    """
    deleted = "deletionTimestamp" in item["metadata"]
    return kind == "Pod" and deleted and item["spec"].get("nodeName") not in nodes


def _by_itself(kind: str, metadata: dict[str, Any]) -> bool:
    """Whether the control plane or the rehearsal makes this object for itself, in its own time."""
    namespace, name = metadata.get("namespace", ""), metadata["name"]
    if not namespace:
        return name.startswith(OWN)
    if namespace not in BOOTSTRAP:
        return False
    if kind == "Lease":
        return name.startswith(("apiserver-", "kube-"))
    return (kind, name) in {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}
