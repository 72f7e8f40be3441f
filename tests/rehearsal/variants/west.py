"""The whole life of a stack with everything turned the other way, and a guest on its cluster."""

import base64
import copy
import json
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from components import versions
from components.iam.roles import SPOT_SERVICE
from rehearsal.account_things import Thing
from rehearsal.engine import Engine, Outcome
from tests.rehearsal.variants.stage import Stage

STACK_FILE = Path(__file__).with_name("Pulumi.west.yaml")
ADDONS = "frugal-eks:addons"
BOUNDARY = "arn:aws:iam::444455556666:policy/teams/boundary"
PATH = "/teams/platform/"
WHOLES = {"pulumi:pulumi:Stack", "frugal-eks:index:Platform", f"{ADDONS}:Addons"}
DEFAULT_CLASS = {"storageclass.kubernetes.io/is-default-class": "true"}

REALLY_OFF = {
    "awsLoadBalancerController": "AwsLoadBalancerController",
    "kubeOpsView": "KubeOpsView",
    "ebsCsi": "EbsCsi",
}
"""Keys of add-ons with their components: taken away, and put back."""
TAKEN_AWAY = {
    f"{ADDONS}.externalDns": "ExternalDns",
    f"{ADDONS}.efsCsi": "EfsCsi",
    f"{ADDONS}.metricsServer": "MetricsServer",
    f"{ADDONS}.nodeMonitoringAgent": "NodeMonitoringAgent",
    "frugal-eks:overprovisioning": "Overprovisioning",
    "frugal-eks:extraReleases": "ExtraReleases",
    "frugal-eks:bastion": "Bastion",
}
"""Keys with their components, each taken away in a preview of its own."""
GUEST = {
    "aws:region": "us-west-2",
    "frugal-eks:cluster": {"existing": "west", "runsOn": "fargate"},
    "frugal-eks:addons": {"awsLoadBalancerController": {"replicas": 1}},
    "frugal-eks:managedNodeGroups": {
        "spot": {
            "capacityType": "SPOT",
            "instanceTypes": ["m6i.large", "m5.large"],
            "releaseVersion": "1.35.8-20260930",
            "size": {"min": 1, "max": 3},
            "labels": {"lifecycle": "Ec2Spot"},
        }
    },
}


class Seen(NamedTuple):
    """What the account and the cluster hold while the stack is up."""

    roles: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    rules: list[dict[str, Any]]
    instances: list[dict[str, Any]]
    user_data: str
    routes: list[dict[str, Any]]
    endpoints: list[dict[str, Any]]
    classes: dict[str, dict[str, Any]]
    texts: dict[str, dict[str, str]]
    balancers: list[tuple[str, str]]
    zone_id: str
    dns_policy: str


class Played(NamedTuple):
    """The record of the rehearsal."""

    up: Outcome
    builds: dict[str, str]
    resources: list[dict[str, Any]]
    secrets: list[str]
    outputs: dict[str, Any]
    seen: Seen
    again: Outcome
    off: Outcome
    previews: dict[str, Outcome]
    gateways: Outcome
    guest_up: Outcome
    guest_nodes: list[dict[str, Any]]
    beside_guest: Outcome
    guest_destroy: Outcome
    on: Outcome
    destroy: Outcome
    left: list[Thing]
    service_roles: list[str]


def config() -> dict[str, Any]:
    """The stack file; the build of one EKS add-on is named, the one that is played."""
    settings = yaml.safe_load(STACK_FILE.read_text())["config"]
    settings["frugal-eks:eksAddons"]["vpcCni"] = {"version": versions.VPC_CNI}
    return settings


def play(opened: Stage) -> Played:
    """From nothing to nothing."""
    _make_boundary(opened)
    settings = config()

    def west(changed: dict[str, Any]) -> Engine:
        return opened.stack("west", changed).engine()

    engine = west(settings)
    up = engine.up()
    builds = _builds(engine)
    exported, outputs, seen = engine.export(), engine.outputs(), _look(opened)
    again = engine.preview()

    off_config = copy.deepcopy(settings)
    for key in REALLY_OFF:
        del off_config[ADDONS][key]
    off = west(off_config).up()
    previews = {key: west(_without(off_config, key)).preview() for key in TAKEN_AWAY}
    gateways_config = _without(off_config, "frugal-eks:network.natInstance")
    gateways_config["frugal-eks:network"]["natGateways"] = "perZone"
    gateways = west(gateways_config).preview()

    vpc = opened.aws("eks").describe_cluster(name="west")["cluster"]["resourcesVpcConfig"]
    network = {"vpcId": vpc["vpcId"], "privateSubnetIds": vpc["subnetIds"], "tagSubnets": False}
    guest = opened.stack("guest", GUEST | {"frugal-eks:network": network}).engine()
    guest_up = guest.up()
    guest_nodes = opened.cluster.items("/api/v1/nodes")
    beside_guest = west(off_config).preview()
    guest_destroy = guest.destroy()

    on = west(settings).up()
    destroy = west(settings).destroy()
    left = opened.left([BOUNDARY])
    roles = opened.aws("iam").list_roles(PathPrefix=f"/aws-service-role/{SPOT_SERVICE}/")["Roles"]
    deployer = engine.setup.environment
    return Played(
        up=up,
        builds=builds,
        resources=exported["deployment"]["resources"],
        secrets=[deployer["AWS_SECRET_ACCESS_KEY"], deployer["AWS_SESSION_TOKEN"]],
        outputs=outputs,
        seen=seen,
        again=again,
        off=off,
        previews=previews,
        gateways=gateways,
        guest_up=guest_up,
        guest_nodes=guest_nodes,
        beside_guest=beside_guest,
        guest_destroy=guest_destroy,
        on=on,
        destroy=destroy,
        left=left,
        service_roles=[role["RoleName"] for role in roles],
    )


def _make_boundary(opened: Stage) -> None:
    allow = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
    iam = opened.aws("iam")
    iam.create_policy(PolicyName="boundary", Path="/teams/", PolicyDocument=document)


def _without(settings: dict[str, Any], path: str) -> dict[str, Any]:
    less = copy.deepcopy(settings)
    section, _, key = path.partition(".")
    if key:
        del less[section][key]
    else:
        del less[section]
    return less


def _builds(engine: Engine) -> dict[str, str]:
    """The build of each EKS add-on as the preview before the update shows it."""
    builds: dict[str, str] = {}
    for line in (engine.state.logs / "engine-up.jsonl").read_text().splitlines():
        event = json.loads(line)
        if "summaryEvent" in event:
            return builds
        new = event.get("resourcePreEvent", {}).get("metadata", {}).get("new") or {}
        if new.get("type") == "aws:eks/addon:Addon":
            builds[new["inputs"]["addonName"]] = new["inputs"]["addonVersion"]
    return builds


def _look(opened: Stage) -> Seen:
    ec2, iam, route53 = (opened.aws(service) for service in ("ec2", "iam", "route53"))
    instances = [
        one
        for reservation in ec2.describe_instances()["Reservations"]
        for one in reservation["Instances"]
    ]
    bastion = next(one for one in instances if one.get("KeyName"))["InstanceId"]
    data = ec2.describe_instance_attribute(InstanceId=bastion, Attribute="userData")["UserData"]
    classes = opened.cluster.items("/apis/storage.k8s.io/v1/storageclasses")
    texts = "/api/v1/namespaces/default/configmaps"
    dns_role = next(r for r in iam.list_roles()["Roles"] if "external-dns" in r["RoleName"])
    name = iam.list_role_policies(RoleName=dns_role["RoleName"])["PolicyNames"][0]
    policy = iam.get_role_policy(RoleName=dns_role["RoleName"], PolicyName=name)["PolicyDocument"]
    return Seen(
        # The list leaves boundaries out, as AWS's does.
        roles=[iam.get_role(RoleName=r["RoleName"])["Role"] for r in iam.list_roles()["Roles"]],
        groups=ec2.describe_security_groups()["SecurityGroups"],
        rules=ec2.describe_security_group_rules()["SecurityGroupRules"],
        instances=instances,
        user_data=base64.b64decode(data["Value"]).decode(),
        routes=[r for t in ec2.describe_route_tables()["RouteTables"] for r in t["Routes"]],
        endpoints=ec2.describe_vpc_endpoints()["VpcEndpoints"],
        classes={one["metadata"]["name"]: one for one in classes},
        texts={one["metadata"]["name"]: one["data"] for one in opened.cluster.items(texts)},
        balancers=[
            (one["Type"], one["Scheme"])
            for one in opened.aws("elbv2").describe_load_balancers()["LoadBalancers"]
        ],
        zone_id=route53.list_hosted_zones()["HostedZones"][0]["Id"].rpartition("/")[2],
        dns_policy=json.dumps(policy),
    )


def part(urn: str) -> str:
    """`EfsCsi` for whatever belongs to that add-on, `Bastion` for that of the bastion."""
    inside = [kind for kind in urn.split("::")[2].split("$") if kind not in WHOLES]
    return inside[0].rpartition(":")[2] if inside else ""


def done(outcome: Outcome) -> set[tuple[str, str]]:
    """What an operation does, by component."""
    assert outcome.succeeded, outcome.diagnostics()
    return {(step.op, part(step.urn)) for step in outcome.steps if step.op != "same"}


def urns(outcome: Outcome) -> set[str]:
    """What it does, resource by resource."""
    return {step.urn for step in outcome.steps if step.op != "same"}


def of(resources: list[dict[str, Any]], *components: str) -> set[str]:
    """All that belongs to these components."""
    return {one["urn"] for one in resources if part(one["urn"]) in components}
