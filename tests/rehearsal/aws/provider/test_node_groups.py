"""A managed node group of the program changes on the real engine, with the played EKS behind it."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import boto3
import pytest

from tests.rehearsal.aws.provider.conftest import REGION, Objects
from tests.rehearsal.aws.provider.small_programs import Pulumi

pytestmark = pytest.mark.engine

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws
from components.location import Location
from tests.cluster_refs import cluster_ref
from components.nodes.managed import ManagedNodeGroup, ManagedNodeGroupArgs
from components.nodes.managed_config import ManagedNodeGroupConfig

given = pulumi.Config()

def as_release_0_2_did(args):
    # It gave the group its key as its name, and no version.
    if args.type_ == "aws:eks/nodeGroup:NodeGroup":
        props = {key: value for key, value in args.props.items() if key != "version"}
        args.opts.ignore_changes = None
        return pulumi.ResourceTransformResult(props | {"nodeGroupName": "base"}, args.opts)

if given.get_bool("earlier"):
    pulumi.runtime.register_resource_transform(as_release_0_2_did)

config = ManagedNodeGroupConfig.model_validate(json.loads(given.require("group")))
version = given.require("version")
principal = {"Service": "eks.amazonaws.com"}
trust = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnets = [
    aws.ec2.Subnet(
        f"subnet-{zone}", vpc_id=vpc.id, cidr_block=f"10.0.{number}.0/24",
        availability_zone=f"eu-west-1{zone}",
    )
    for number, zone in enumerate("ab")
]
document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
role = aws.iam.Role("role", assume_role_policy=document)
policy = aws.iam.RolePolicyAttachment(
    "policy", role=role.name, policy_arn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
)
cluster = aws.eks.Cluster(
    "cluster", name="groups", version=version, role_arn=role.arn,
    vpc_config={"subnet_ids": [subnet.id for subnet in subnets]},
    access_config={
        "authentication_mode": "API", "bootstrap_cluster_creator_admin_permissions": False
    },
    bootstrap_self_managed_addons=False, opts=pulumi.ResourceOptions(depends_on=[policy]),
)
ManagedNodeGroup(
    "base",
    ManagedNodeGroupArgs(
        config=config,
        cluster=cluster_ref(
            name="groups", live_name=cluster.name, version=version,
            location=Location(region="eu-west-1", account="123456789012"),
        ),
        subnet_ids=[subnet.id for subnet in subnets],
        autoscaled=given.get_bool("autoscaled") or False, needs=[],
    ),
)
"""
OLD, NEWER = "1.35.8-20260917", "1.35.8-20260930"
FEWEST = 2
AL2023 = {
    "instanceTypes": ["m6i.large"],
    "releaseVersion": OLD,
    "size": {"min": FEWEST, "max": 4},
}
GROUP = "aws:eks/nodeGroup:NodeGroup"


class Change(NamedTuple):
    """What an edit of the group did."""

    operations: list[str]
    """By the engine to the group, in order."""
    before: dict[str, Any]
    after: dict[str, Any]
    """The group as EKS describes it."""
    fewest: int
    """Nodes at the worst moment."""


class Stack:
    """A cluster with one group."""

    def __init__(self, run: Pulumi, objects: Objects, group: Mapping[str, Any]) -> None:
        self.run, self.objects, self.group = run, objects, dict(group)
        self.eks, self.autoscaling = (
            boto3.client("eks", REGION),
            boto3.client("autoscaling", REGION),
        )
        self.set()

    def set(self, version: str = "1.35", **changes: Any) -> None:
        self.group |= changes
        self.run("config", "set", "version", version)
        self.run("config", "set", "group", json.dumps(self.group))

    def up(self) -> None:
        self.run("up", "--yes", "--skip-preview")

    def names(self) -> list[str]:
        return self.eks.list_nodegroups(clusterName="groups")["nodegroups"]

    def described(self) -> dict[str, Any]:
        (name,) = self.names()
        found = self.eks.describe_nodegroup(clusterName="groups", nodegroupName=name)
        return found["nodegroup"]

    def planned(self) -> list[tuple[str, str]]:
        steps = json.loads(self.run("preview", "--json").stdout)["steps"]
        return [
            (step["op"], step["urn"].rpartition("::")[2])
            for step in steps
            if step["op"] not in ("same", "read")
        ]

    def change(self, version: str = "1.35", **changes: Any) -> Change:
        """Edit the group, and hold the second preview empty."""
        before = self.described()
        self.set(version, **changes)
        steps = json.loads(self.run("preview", "--json").stdout)["steps"]
        operations = [s["op"] for s in steps if f"${GROUP}::" in s["urn"]]
        self.objects.node_counts.clear()
        self.up()
        fewest = min(self.objects.node_counts, default=len(self.objects.nodes))
        assert self.planned() == []
        return Change(operations, before, self.described(), fewest)

    def scale(self, desired: int) -> None:
        """As an autoscaler does it."""
        (group,) = self.described()["resources"]["autoScalingGroups"]
        self.autoscaling.set_desired_capacity(
            AutoScalingGroupName=group["name"], DesiredCapacity=desired
        )
        assert self.described()["scalingConfig"]["desiredSize"] == desired


@pytest.fixture
def stack(on_engine: Callable[[str], Pulumi], objects: Objects) -> Iterator[Callable[..., Stack]]:
    """Makes a cluster with a group of these settings, which is up. A destroy leaves no node."""
    made: list[Stack] = []

    def make(
        group: Mapping[str, Any] = AL2023, *, autoscaled: bool = False, earlier: bool = False
    ) -> Stack:
        run = on_engine(PROGRAM)
        for name, value in {"autoscaled": autoscaled, "earlier": earlier}.items():
            run("config", "set", name, str(value).lower())
        made.append(Stack(run, objects, group))
        made[0].up()
        assert made[0].planned() == []
        return made[0]

    yield make
    for each in made:
        each.run("destroy", "--yes", "--skip-preview")
    assert objects.nodes == set()


REPLACING: list[dict[str, Any]] = [
    {"instanceTypes": ["m6a.large"]},
    {"capacityType": "SPOT", "instanceTypes": ["m6i.large", "m6a.large", "m5.large", "m5a.large"]},
    {"amiType": "AL2023_ARM_64_STANDARD", "instanceTypes": ["m7g.large"]},
]


def test_a_group_that_has_to_be_another_one_is_there_before_the_old_one_goes(stack):
    made = stack()

    for change in REPLACING:
        changed = made.change(**change)

        assert changed.operations == ["replace"]
        assert changed.after["nodegroupName"] != changed.before["nodegroupName"]
        assert changed.after["nodegroupName"].startswith("base-")
        assert changed.fewest == FEWEST


def test_the_pinned_release_is_what_a_group_has_after_each_change(stack):
    made = stack()

    template = made.change(volumeGib=40, metadata={"hopLimit": 2})
    release = made.change(releaseVersion=NEWER)
    minor = made.change("1.36", releaseVersion="1.36.2-20260818")

    assert template.after["releaseVersion"] == OLD
    assert release.after["releaseVersion"] == NEWER
    # Cluster and group in one run.
    assert (minor.after["version"], minor.after["releaseVersion"]) == ("1.36", "1.36.2-20260818")
    # EKS rolls the nodes of the same group.
    assert release.operations == minor.operations == ["update"]
    assert template.after["nodegroupName"] == minor.after["nodegroupName"]
    assert {template.fewest, release.fewest, minor.fewest} == {FEWEST}


def test_a_group_on_bottlerocket_gets_a_newer_minor_and_keeps_its_release(stack):
    pinned = {**AL2023, "amiType": "BOTTLEROCKET_x86_64", "releaseVersion": "1.66.0-1ad6b4a4"}

    changed = stack(pinned).change("1.36")

    assert changed.after["version"] == "1.36"
    assert changed.after["releaseVersion"] == pinned["releaseVersion"]
    assert changed.fewest == FEWEST


SIZES = [({"min": 1, "max": 8}, 3), ({"min": 4, "max": 8}, 4), ({"min": 1, "max": 2}, 2)]
"""New sizes, each with the nodes that are left of those that the autoscaler asked for."""


def test_min_and_max_change_and_leave_the_autoscaler_s_number_where_they_can(stack):
    made = stack(autoscaled=True)
    made.scale(3)
    assert made.planned() == []

    for size, desired in SIZES:
        changed = made.change(size=size)

        scaling = changed.after["scalingConfig"]
        assert scaling == {"minSize": size["min"], "maxSize": size["max"], "desiredSize": desired}
        assert changed.operations == ["update"]

    made.scale(1)
    another = made.change(instanceTypes=["m6a.large"], size={"min": 0, "max": 4, "desired": 4})
    # As many nodes as the autoscaler gave the old one.
    assert another.after["scalingConfig"]["desiredSize"] == another.fewest == 1


def test_a_group_of_release_0_2_keeps_its_name_until_it_has_to_be_another_one(stack):
    made = stack(earlier=True)
    assert made.described()["nodegroupName"] == "base"
    made.run("config", "rm", "earlier")
    assert made.planned() == []
    made.up()

    changed = made.change(instanceTypes=["m6a.large"])

    assert changed.after["nodegroupName"].startswith("base-")
    assert changed.fewest == FEWEST


@pytest.mark.behaviour("mng-instances-do-not-join")
def test_a_group_that_could_not_be_made_is_made_anew_by_the_next_up(stack, eks_state):
    made = stack()
    issue = {
        "code": "NodeCreationFailure",
        "message": "Instances failed to join the kubernetes cluster",
        "resourceIds": ["i-0123456789abcdef0"],
    }
    eks_state.nodegroup_issues.append(issue)
    made.set(instanceTypes=["m6a.large"])

    told = made.run("up", "--yes", "--skip-preview", fails=True).stdout
    assert f"{issue['code']}: {issue['message']}" in told
    assert len(made.names()) == 2  # noqa: PLR2004 (the old one still works)
    made.up()

    assert made.described()["status"] == "ACTIVE"
    assert made.described()["instanceTypes"] == ["m6a.large"]
    assert made.planned() == []
