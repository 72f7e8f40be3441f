"""The component Cluster on the real engine: its settings changed, its destroy, its next life."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import boto3
import pytest

from rehearsal.aws.eks_service.state import Eks
from tests.rehearsal.aws.provider.small_programs import Pulumi
from tests.rehearsal.aws.provider.world import trust

pytestmark = pytest.mark.engine

PROGRAM = """
import pulumi
import pulumi_aws as aws
from components.cluster.cluster import Cluster, ClusterArgs
from components.cluster.cluster_config import ClusterConfig
from components.kubernetes.first_request import CONNECT
from components.location import Location


class Answering:
    # The API of a cluster without an API server.
    def get(self, path):
        return None


CONNECT.set(lambda _: Answering())
vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnets = [
    aws.ec2.Subnet(
        f"subnet-{i}", vpc_id=vpc.id, cidr_block=f"10.0.{i}.0/24", availability_zone=f"eu-west-1{z}"
    )
    for i, z in enumerate("ab")
]
key = aws.kms.Key("somebodys")
pulumi.export("key", key.arn)
settings = pulumi.Config().require_object("cluster")
cluster = Cluster(
    "cluster",
    ClusterArgs(
        config=ClusterConfig.model_validate(settings),
        location=Location(region="eu-west-1", account="123456789012"),
        vpc_id=vpc.id,
        subnet_ids=[subnet.id for subnet in subnets],
    ),
)
"""
ADMIN = "arn:aws:iam::123456789012:role/platform-admin"
OTHER = "arn:aws:iam::123456789012:role/somebody"
PUBLIC = {"public": True, "publicCidrs": ["203.0.113.0/24"], "private": True}
SETTINGS: dict[str, Any] = {
    "name": "living",
    "version": "1.35",
    "endpoint": PUBLIC,
    "admins": [ADMIN],
    "deletionProtection": False,
}
GROUP = "/aws/eks/living/cluster"
RETENTION = 30
"""Days, by default."""


def errors(refused: subprocess.CompletedProcess[str]) -> list[str]:
    """What the diagnostics tell, without a traceback and without what ends every refusal."""
    assert "Traceback" not in refused.stdout + refused.stderr
    diagnostics = refused.stdout.partition("Diagnostics:")[2].splitlines()
    told = [line.partition("error: ")[2] for line in diagnostics if "error: " in line]
    assert told.pop().endswith("program exited with non-zero exit code: 1")
    return told


class Change(NamedTuple):
    """Settings of the stack file, and what EKS was asked to change, there and back."""

    settings: dict[str, Any]
    there: list[str]
    back: list[str]


def one(kind: str) -> tuple[list[str], list[str]]:
    """The same single update there and back."""
    return [kind], [kind]


CHANGES = {
    "private": Change({"endpoint": {"private": True}}, *one("EndpointAccessUpdate")),
    "public alone": Change({"endpoint": PUBLIC | {"private": False}}, *one("EndpointAccessUpdate")),
    "for two offices": Change(
        {"endpoint": PUBLIC | {"publicCidrs": ["203.0.113.0/24", "198.51.100.7/32"]}},
        *one("EndpointAccessUpdate"),
    ),
    "other logs": Change({"logs": {"types": ["api"]}}, *one("LoggingUpdate")),
    "no logs": Change({"logs": {"types": []}}, *one("LoggingUpdate")),
    "longer logs": Change({"logs": {"retentionDays": 90}}, [], []),
    "support": Change({"supportType": "EXTENDED"}, *one("UpgradePolicyUpdate")),
    "protection": Change({"deletionProtection": True}, *one("DeletionProtectionUpdate")),
    "another administrator": Change({"admins": [ADMIN, OTHER]}, [], []),
    "all at once": Change(
        {
            "endpoint": {"private": True},
            "logs": {"types": ["api"]},
            "supportType": "EXTENDED",
            "deletionProtection": True,
        },
        *2
        * (
            [
                "DeletionProtectionUpdate",
                "LoggingUpdate",
                "UpgradePolicyUpdate",
                "EndpointAccessUpdate",
            ],
        ),
    ),
}


class Stack:
    """The program, its settings, and the played account below it."""

    def __init__(self, run: Pulumi, endpoint: str) -> None:
        self.run = run
        self.eks: Any = boto3.client("eks", "eu-west-1", endpoint_url=endpoint)
        self.logs: Any = boto3.client("logs", "eu-west-1", endpoint_url=endpoint)
        self.kms: Any = boto3.client("kms", "eu-west-1", endpoint_url=endpoint)

    def configure(self, **settings: Any) -> None:
        """The settings as they are shipped, with these."""
        self.run("config", "set", "cluster", json.dumps(SETTINGS | settings))

    def up(self, **settings: Any) -> None:
        self.configure(**settings)
        self.run("up", "--yes", "--skip-preview")

    def planned(self) -> dict[str, list[str]]:
        """Operations of each resource that a preview would change, by name."""
        planned: dict[str, list[str]] = {}
        for step in json.loads(self.run("preview", "--json").stdout)["steps"]:
            if step["op"] not in {"same", "read"}:
                planned.setdefault(step["urn"].rpartition("::")[2], []).append(step["op"])
        return planned

    def updates(self) -> list[str]:
        """Types of all updates of the control plane so far, in their order."""
        ids = self.eks.list_updates(name="living")["updateIds"]
        return [
            self.eks.describe_update(name="living", updateId=id)["update"]["type"] for id in ids
        ]

    def urns(self) -> list[str]:
        """Those of all resources in the state."""
        exported = json.loads(self.run("stack", "export").stdout)["deployment"]
        return [resource["urn"] for resource in exported.get("resources", [])]

    def names(self) -> set[str]:
        """Names of all resources in the state."""
        return {urn.rpartition("::")[2] for urn in self.urns()}

    def groups(self) -> list[dict[str, Any]]:
        """The control plane's log group, if there is one."""
        return self.logs.describe_log_groups(logGroupNamePrefix=GROUP)["logGroups"]

    def group_is_back(self) -> None:
        """Wait until EKS has made the log group again."""
        end = time.monotonic() + 30
        while not self.groups():
            assert time.monotonic() < end
            self.eks.list_clusters()  # lets what is under way go on


@pytest.fixture
def stack(on_engine: Callable[[str], Pulumi], played_aws: str, eks_state: Eks) -> Iterator[Stack]:
    iam: Any = boto3.client("iam", "eu-west-1", endpoint_url=played_aws)
    names = [arn.rpartition("/")[2] for arn in (ADMIN, OTHER)]
    for name in names:
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust("eks.amazonaws.com"))
    made = Stack(on_engine(PROGRAM), played_aws)
    made.configure()
    yield made
    if "living" in eks_state.clusters:
        made.up(replaceForKmsKey=True)
        made.run("destroy", "--yes", "--skip-preview")
    made.group_is_back()
    made.logs.delete_log_group(logGroupName=GROUP)
    for name in names:
        iam.delete_role(RoleName=name)


@pytest.mark.behaviour("cluster-one-update-at-a-time")
def test_each_setting_is_changed_on_a_living_cluster_there_and_back(stack: Stack):
    stack.up()
    assert stack.planned() == {}

    for name, (settings, there, back) in CHANGES.items():
        for wanted, expected in ((settings, there), ({}, back)):
            before = len(stack.updates())
            stack.up(**wanted)
            assert (name, stack.updates()[before:]) == (name, expected)
            assert (name, stack.planned()) == (name, {})


def test_a_protected_cluster_stops_its_destroy_before_anything_is_deleted(stack: Stack):
    stack.up(deletionProtection=True)
    before = stack.names()

    refused = stack.run("destroy", "--yes", fails=True)

    assert "cluster-eksCluster" in refused.stdout
    assert "because it is protected" in refused.stdout
    assert stack.names() == before
    assert stack.eks.list_access_entries(clusterName="living")["accessEntries"] == [ADMIN]

    urn = next(urn for urn in stack.urns() if urn.endswith("cluster-eksCluster"))
    refused = stack.run("up", "--yes", "--target-replace", urn, fails=True)
    assert "marked for protection" in refused.stdout
    assert stack.names() == before

    stack.up(deletionProtection=False)
    stack.run("destroy", "--yes")
    assert stack.names() == set()


def test_what_eks_cannot_change_is_refused_in_the_preview_and_in_the_update(stack: Stack):
    stack.up()
    outputs = json.loads(stack.run("stack", "output", "--json").stdout)
    own = stack.eks.describe_cluster(name="living")["cluster"]["encryptionConfig"][0]
    before = stack.names()

    for settings, problem in (
        ({"kmsKeyArn": outputs["key"]}, "EKS cannot change a cluster's key"),
        ({"version": "1.34"}, "the cluster runs 1.35, and EKS never goes back"),
    ):
        stack.configure(**settings)
        for command in (("preview",), ("up", "--yes")):
            (told,) = errors(stack.run(*command, fails=True))
            assert problem in told
        # Without a preview the engine also tells what became of the component's process.
        assert problem in stack.run("up", "--yes", "--skip-preview", fails=True).stdout
    assert stack.names() == before
    key = stack.kms.describe_key(KeyId=own["provider"]["keyArn"])["KeyMetadata"]
    assert key["KeyState"] == "Enabled"

    # Said explicitly it is the plan.
    stack.configure(kmsKeyArn=outputs["key"], replaceForKmsKey=True)
    assert "replace" in stack.planned()["cluster-eksCluster"]

    stack.up(kmsKeyArn=outputs["key"], replaceForKmsKey=True)
    used = stack.eks.describe_cluster(name="living")["cluster"]["encryptionConfig"][0]
    assert used["provider"]["keyArn"] == outputs["key"]
    assert stack.planned() == {}

    # Back to a key of the stack's own, which is not known yet: refused as well.
    stack.configure()
    (told,) = errors(stack.run("preview", fails=True))
    assert told.endswith("(got a new one)")


@pytest.mark.behaviour("log-group-already-exists", "log-group-comes-back-after-cluster-delete")
def test_the_log_group_that_eks_makes_again_is_adopted_by_the_next_life(stack: Stack):
    stack.up()
    stack.run("destroy", "--yes", "--skip-preview")
    assert stack.groups() == []
    stack.group_is_back()
    assert "retentionInDays" not in stack.groups()[0]

    assert stack.planned()["cluster-logs"] == ["import", "update"]
    stack.up()
    assert stack.groups()[0]["retentionInDays"] == RETENTION
    assert stack.planned() == {}
    stack.run("destroy", "--yes", "--skip-preview")
    assert stack.groups() == []
