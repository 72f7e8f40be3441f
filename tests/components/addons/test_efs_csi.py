import json
import re

import pulumi_aws as aws
import pytest
from pulumi.runtime import rpc
from pydantic import ValidationError

from components.addons.efs_csi import component as addon
from components.addons.efs_csi.config import EfsCsiConfig, FileSystemConfig
from components.addons.efs_csi.policy import iam_policy
from components.kubernetes.charts import ChartSource
from components.location import Location
from components.placement import RunsOn
from tests.cluster_refs import given
from tests.policies import allowed

OIDC = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
LOCATION = Location(region="eu-west-1", account="111122223333")
EXISTING = "fs-0123456789abcdef0"

ACCOUNT = "kubernetes:core/v1:ServiceAccount"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
FILE_SYSTEM = "aws:efs/fileSystem:FileSystem"
GROUP = "aws:ec2/securityGroup:SecurityGroup"
INLINE = "aws:iam/rolePolicy:RolePolicy"
MOUNT = "aws:efs/mountTarget:MountTarget"
RELEASE = "kubernetes:helm.sh/v3:Release"
ROLE = "aws:iam/role:Role"


def efs_csi(config=None, **args):
    """A program with the driver in two subnets, and a queue that stands for its pods' compute."""
    usual = {
        "config": EfsCsiConfig(**(config or {})),
        "needs": [aws.sqs.Queue("home")],
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-a", "subnet-b"],
        "security_group_ids": ["sg-cluster"],
    }
    return addon.EfsCsi("efs", given(addon.EfsCsiArgs, **(usual | args)))


def on_fargate():
    efs_csi({"file_system": {}})


def on_nodes():
    config = {"replicas": 2, "node_selector": {"lifecycle": "OnDemand"}}
    efs_csi(config, runs_on=RunsOn.NODES)


def with_an_existing_one():
    efs_csi({"file_system_id": EXISTING, "storage_class": "shared"})


def from_mirrors():
    charts = ChartSource(mirror="oci://example.com/charts", images="example.com/images")
    efs_csi(charts=charts)


def values(built):
    return built.one(RELEASE).inputs["values"]


def amount(text):
    """CPUs, or bytes, of a quantity as Kubernetes reads it."""
    number, unit = re.fullmatch(r"([\d.]+)(\D*)", text).groups()
    return float(number) * {"": 1, "m": 0.001, "M": 10**6, "Mi": 2**20}[unit]


@pytest.mark.feature("A2-23")
def test_on_fargate_the_controller_s_account_has_a_role_that_trusts_it_alone(once):
    built = once(on_fargate)

    claims = {
        f"{OIDC}:aud": "sts.amazonaws.com",
        f"{OIDC}:sub": "system:serviceaccount:kube-system:efs-csi-controller-sa",
    }
    (trust,) = json.loads(built.one(ROLE).inputs["assumeRolePolicy"])["Statement"]
    assert trust["Condition"] == {"StringEquals": claims}
    assert built.one(ACCOUNT).inputs["metadata"] == {
        "name": "efs-csi-controller-sa",
        "namespace": "kube-system",
        "annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/efs-role"},
    }
    assert built.every(ASSOCIATION) == []


@pytest.mark.feature("A2-23", "C-01")
def test_on_nodes_the_same_account_gets_it_by_pod_identity(once):
    built = once(on_nodes)

    assert built.one(ASSOCIATION).inputs == {
        "clusterName": "dev",
        "namespace": "kube-system",
        "serviceAccount": "efs-csi-controller-sa",
        "roleArn": "arn:aws:iam::111122223333:role/efs-role",
    }
    account = {"name": "efs-csi-controller-sa", "namespace": "kube-system"}
    assert built.one(ACCOUNT).inputs["metadata"] == account


@pytest.mark.feature("A2-23")
@pytest.mark.parametrize("program", [on_fargate, on_nodes])
def test_the_chart_s_pods_run_under_that_account(once, program):
    release = once(program).one(RELEASE).inputs

    account = {"create": False, "name": "efs-csi-controller-sa"}
    assert release["values"]["controller"]["serviceAccount"] == account
    assert release["namespace"] == "kube-system"


@pytest.mark.feature("A2-23")
@pytest.mark.parametrize(
    ("program", "file_system"),
    [
        (on_fargate, "file-system/efs-file-system-id"),
        (with_an_existing_one, f"file-system/{EXISTING}"),
        (on_nodes, "file-system/*"),
    ],
)
def test_it_may_make_and_delete_the_access_points_of_its_own_cluster_and_file_system(
    once, program, file_system
):
    document = json.loads(once(program).one(INLINE).inputs["policy"])

    arn = "arn:aws:elasticfilesystem:eu-west-1:111122223333:"
    tags = {"efs.csi.aws.com/cluster": "true", "kubernetes.io/cluster/dev": "owned"}
    asked = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    there = {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
    created = {"elasticfilesystem:CreateAction": "CreateAccessPoint"}
    described = ("AccessPoints", "FileSystems", "MountTargets")
    assert allowed(document) == {
        **{(f"elasticfilesystem:Describe{noun}", "*"): None for noun in described},
        ("ec2:DescribeAvailabilityZones", "*"): None,
        **{
            (f"elasticfilesystem:{action}", f"{arn}{resource}"): {"StringEquals": condition}
            for action, resource, condition in (
                ("CreateAccessPoint", file_system, asked),
                ("TagResource", "access-point/*", created | asked),
                ("DeleteAccessPoint", "access-point/*", there),
            )
        },
    }


def test_in_china_the_arns_are_of_its_partition():
    china = Location(region="cn-north-1", account="111122223333")
    document = iam_policy(location=china, cluster="dev", file_system_id="fs-1")

    arns = [each["Resource"] for each in document["Statement"]][1:]
    points = "arn:aws-cn:elasticfilesystem:cn-north-1:111122223333:access-point/*"
    file_system = "arn:aws-cn:elasticfilesystem:cn-north-1:111122223333:file-system/fs-1"
    assert arns == [file_system, points, points]


@pytest.mark.parametrize("program", [on_fargate, on_nodes])
def test_what_the_policy_asks_for_is_what_the_driver_puts_on_access_points(once, program):
    """Its own tag, whose value is `true`, and those of the chart's values."""
    built = once(program)

    (_, creating, *_) = json.loads(built.one(INLINE).inputs["policy"])["Statement"]
    tags = {"efs.csi.aws.com/cluster": "true", **values(built)["controller"]["tags"]}
    assert creating["Condition"] == {
        "StringEquals": {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    }


@pytest.mark.feature("A2-66")
@pytest.mark.parametrize("program", [on_fargate, on_nodes, from_mirrors])
def test_the_controller_is_unprivileged_and_deletes_no_files(once, program):
    controller = values(once(program))["controller"]

    assert controller["containerSecurityContext"] == {"privileged": False}
    assert controller["deleteAccessPointRootDir"] is False


@pytest.mark.feature("A2-66")
def test_the_daemonset_stays_away_from_fargate_by_the_chart_s_own_affinity(once, upstream_values):
    assert "node" not in values(once(on_fargate))
    affinity = upstream_values("aws-efs-csi-driver")["node"]["affinity"]["nodeAffinity"]
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    (expression,) = term["matchExpressions"]
    assert expression["key"] == "eks.amazonaws.com/compute-type"
    assert expression["operator"] == "NotIn"
    assert "fargate" in expression["values"]


@pytest.mark.feature("A2-66")
def test_its_three_containers_together_fit_fargate_s_smallest_size(once):
    given = values(once(on_fargate))
    sidecars = given["sidecars"]

    containers = [given["controller"], sidecars["csiProvisioner"], sidecars["livenessProbe"]]
    sizes = [container["resources"] for container in containers]
    assert all(size["requests"] == size["limits"] for size in sizes)
    cpu = sum(amount(size["requests"]["cpu"]) for size in sizes)
    memory = sum(amount(size["requests"]["memory"]) for size in sizes)
    assert cpu == pytest.approx(0.25)
    # Fargate adds 256 MB; with more than that it would be the size with 1 GB.
    assert memory == 256 * 10**6


def test_on_nodes_no_container_has_a_limit_of_the_processor(once):
    given = values(once(on_nodes))

    sidecars = [given["sidecars"][noun] for noun in ("csiProvisioner", "livenessProbe")]
    for container in (given["controller"], *sidecars):
        size = container["resources"]
        assert size["limits"] == {"memory": size["requests"]["memory"]}


def test_it_needs_no_metadata_service(once):
    controller = values(once(on_fargate))["controller"]

    assert controller["env"] == [{"name": "AWS_REGION", "value": "eu-west-1"}]
    assert controller["regionalStsEndpoints"] is True


def test_two_controllers_leave_their_nodes_one_by_one(once):
    assert "podDisruptionBudget" not in values(once(on_fargate))["controller"]
    controller = values(once(on_nodes))["controller"]
    assert controller["replicaCount"] == 1 + 1
    # The chart's default is minAvailable: 1, by which two of three could go at once; it prints
    # both where both are given, and a budget takes one of them.
    budget = {"enabled": True, "maxUnavailable": 1, "minAvailable": 0}
    assert controller["podDisruptionBudget"] == budget
    assert controller["nodeSelector"] == {"lifecycle": "OnDemand"}


def test_a_file_system_is_encrypted_elastic_and_cheap_for_what_nobody_reads(once):
    assert once(on_fargate).one(FILE_SYSTEM).inputs == {
        "encrypted": True,
        "throughputMode": "elastic",
        "lifecyclePolicies": [
            {"transitionToIa": "AFTER_30_DAYS"},
            {"transitionToPrimaryStorageClass": "AFTER_1_ACCESS"},
        ],
        "tags": {"Name": "dev-efs", "kubernetes.io/cluster/dev": "owned"},
    }


@pytest.mark.parametrize(
    ("days", "transition"), [(1, "AFTER_1_DAY"), (7, "AFTER_7_DAYS"), ("never", None)]
)
def test_throughput_key_and_transition_are_settings(deploy, days, transition):
    key = "arn:aws:kms:eu-west-1:111122223333:key/1"
    config = {"throughput_mode": "bursting", "kms_key_arn": key, "infrequent_access_days": days}
    made = deploy(lambda: efs_csi({"file_system": config})).one(FILE_SYSTEM).inputs

    assert (made["throughputMode"], made["kmsKeyId"]) == ("bursting", key)
    policies = made.get("lifecyclePolicies", [])
    assert [each["transitionToIa"] for each in policies[:1]] == ([transition] if transition else [])


def test_each_subnet_has_a_mount_target_that_only_the_cluster_reaches_by_nfs(once):
    built = once(on_fargate)

    assert {each.request.name: each.inputs for each in built.every(MOUNT)} == {
        f"efs-file-system-{number}": {
            "fileSystemId": "efs-file-system-id",
            "subnetId": subnet,
            "securityGroups": ["efs-file-system-id"],
        }
        for number, subnet in ((1, "subnet-a"), (2, "subnet-b"))
    }
    assert built.one(GROUP).inputs == {
        "vpcId": "vpc-1",
        "description": "NFS from the nodes and pods of dev",
        "ingress": [
            {"protocol": "tcp", "fromPort": 2049, "toPort": 2049, "securityGroups": ["sg-cluster"]}
        ],
        "tags": {"Name": "dev-efs"},
    }


@pytest.mark.parametrize(("config", "kept"), [({}, False), ({"keep_on_destroy": True}, True)])
def test_the_files_go_with_the_stack_unless_it_says_otherwise(deploy, config, kept):
    built = deploy(lambda: efs_csi({"file_system": config}))

    assert built.one(FILE_SYSTEM).request.retainOnDelete is kept
    # What would hold up the network goes in any case.
    others = [*built.every(MOUNT), built.one(GROUP)]
    assert [each.request.retainOnDelete for each in others] == [False] * 3


def test_the_class_makes_a_private_directory_for_each_claim(once):
    assert once(on_fargate).one(CLASS).inputs == {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "efs"},
        "provisioner": "efs.csi.aws.com",
        "parameters": {
            "provisioningMode": "efs-ap",
            "fileSystemId": "efs-file-system-id",
            "directoryPerms": "700",
        },
    }


def test_a_file_system_that_exists_gets_a_class_and_nothing_else(once):
    built = once(with_an_existing_one)

    made = built.one(CLASS).inputs
    assert made["metadata"] == {"name": "shared"}
    assert made["parameters"]["fileSystemId"] == EXISTING
    assert built.every(FILE_SYSTEM) + built.every(MOUNT) + built.every(GROUP) == []


def test_the_driver_alone_has_no_class(once):
    built = once(on_nodes)

    assert built.every(CLASS) + built.every(FILE_SYSTEM) + built.every(MOUNT) == []


def test_the_file_system_is_an_output(deploy):
    def program():
        own = efs_csi({"file_system": {}}).file_system_id
        aws.iam.InstanceProfile("reader", role=own)

    built = deploy(program)

    reader = built.one("aws:iam/instanceProfile:InstanceProfile")
    assert reader.inputs["role"] == "efs-file-system-id"


def test_a_claim_finds_driver_and_mount_targets_and_goes_before_them(once):
    built = once(on_fargate)

    needed = [built.one(RELEASE), *built.every(MOUNT)]
    waits = [built.waits_for(built.one(CLASS), each) for each in needed]
    assert waits == [True] * 3
    # But the driver does not wait for mount targets, which take a minute and a half.
    waits = [built.waits_for(built.one(RELEASE), each) for each in built.every(MOUNT)]
    assert waits == [False] * 2


def test_a_class_is_replaced_under_its_own_name(once):
    assert once(on_fargate).one(CLASS).request.deleteBeforeReplace


@pytest.mark.parametrize(
    ("config", "path", "problem"),
    [
        (
            {"file_system": {}, "file_system_id": EXISTING},
            "fileSystemId",
            "fileSystem makes another one: drop one of the two",
        ),
        (
            {"storage_class": "efs"},
            "storageClass",
            "its volumes would lie nowhere: add fileSystem: {} or fileSystemId, or drop it",
        ),
    ],
)
def test_there_is_one_file_system_for_the_class(config, path, problem):
    with pytest.raises(ValidationError) as refused:
        EfsCsiConfig(**config)

    (error,) = refused.value.errors()
    ((at, told, _),) = error["ctx"]["mistakes"]
    assert (at, told) == (path, problem)


@pytest.mark.parametrize("days", [0, 31, "always"])
def test_a_transition_that_efs_does_not_know_is_refused(days):
    with pytest.raises(ValidationError):
        FileSystemConfig(infrequent_access_days=days)


@pytest.mark.parametrize("program", [on_fargate, on_nodes, with_an_existing_one])
def test_a_preview_shows_what_an_update_makes(once, program):
    preview, update = once(program, preview=True), once(program)

    assert preview.tree() == update.tree()
    assert values(preview) == values(update)


def test_a_preview_does_not_know_the_file_system_yet(once):
    parameters = once(on_fargate, preview=True).one(CLASS).inputs["parameters"]

    assert parameters["fileSystemId"] == rpc.UNKNOWN
