import json
from pathlib import Path

import jsonschema
import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components import versions
from components.addons.ebs_csi import component as addon
from components.addons.ebs_csi.config import EbsCsiConfig
from components.location import Location
from components.placement import RunsOn
from tests.cluster_refs import given

SCHEMA = Path(__file__).parents[2] / "data/charts/aws-ebs-csi-driver/values.schema.json"
OIDC = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
KEY = "arn:aws:kms:eu-west-1:111122223333:key/1"
ROLE_ARN = "arn:aws:iam::111122223333:role/ebs-role"
SIDECARS = ("attacher", "livenessProbe", "provisioner", "resizer", "snapshotter")
"""Beside ebs-plugin; the snapshotter only where the cluster has the CRDs of snapshots (the chart's
controller.yaml)."""

FARGATE = {"millicpu": 250, "bytes": 256 * 10**6}

ADDON = "aws:eks/addon:Addon"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
INLINE = "aws:iam/rolePolicy:RolePolicy"
ROLE = "aws:iam/role:Role"


def ebs_csi(config=None, **args):
    """A program with the driver, and a queue that stands for its pods' compute."""
    usual = {
        "config": EbsCsiConfig(**(config or {})),
        "needs": [aws.sqs.Queue("home")],
    }
    return addon.EbsCsi("ebs", given(addon.EbsCsiArgs, **(usual | args)))


def on_fargate():
    ebs_csi()


def on_nodes():
    config = {
        "replicas": 2,
        "node_selector": {"lifecycle": "OnDemand"},
        "volume_tags": {"team": "data", "cost-centre": "42"},
        "kms_key_arn": KEY,
    }
    ebs_csi(config, runs_on=RunsOn.NODES)


def values(built):
    return json.loads(built.one(ADDON).inputs["configurationValues"])


@pytest.mark.feature("B-39")
def test_on_fargate_eks_gives_the_add_on_s_account_a_role_that_trusts_it_alone(once):
    built = once(on_fargate)

    claims = {
        f"{OIDC}:aud": "sts.amazonaws.com",
        f"{OIDC}:sub": "system:serviceaccount:kube-system:ebs-csi-controller-sa",
    }
    (trust,) = json.loads(built.one(ROLE).inputs["assumeRolePolicy"])["Statement"]
    assert trust["Condition"] == {"StringEquals": claims}
    assert built.one(ADDON).inputs["serviceAccountRoleArn"] == ROLE_ARN
    assert built.every(ASSOCIATION) == []


@pytest.mark.feature("B-39", "C-01")
def test_on_nodes_there_is_one_association_and_the_add_on_has_none_of_its_own(once):
    built = once(on_nodes)

    assert built.one(ASSOCIATION).inputs == {
        "clusterName": "dev",
        "namespace": "kube-system",
        "serviceAccount": "ebs-csi-controller-sa",
        "roleArn": ROLE_ARN,
    }
    assert not {"serviceAccountRoleArn", "podIdentityAssociations"} & {*built.one(ADDON).inputs}


@pytest.mark.feature("B-39")
@pytest.mark.parametrize(("region", "partition"), [("eu-west-1", "aws"), ("cn-north-1", "aws-cn")])
def test_its_role_may_touch_volumes_of_the_driver_only(deploy, region, partition):
    location = Location(region=region, account="111122223333")
    built = deploy(lambda: ebs_csi(location=location))

    arn = f"arn:{partition}:iam::aws:policy/AmazonEBSCSIDriverPolicyV2"
    assert built.one(ATTACHMENT).inputs == {"role": "ebs-role", "policyArn": arn}
    assert built.every(INLINE) == []


def test_a_key_of_the_account_s_own_may_be_used_for_volumes_and_granted_to_ec2(once):
    built = once(on_nodes)

    assert json.loads(built.one(INLINE).inputs["policy"]) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "EncryptVolumes",
                "Effect": "Allow",
                "Action": ["kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext"],
                "Resource": KEY,
            },
            {
                "Sid": "GrantTheKeyToEc2",
                "Effect": "Allow",
                "Action": "kms:CreateGrant",
                "Resource": KEY,
                "Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}},
            },
        ],
    }
    assert built.one(CLASS).inputs["parameters"]["kmsKeyId"] == KEY


@pytest.mark.feature("B-39", "B-18")
@pytest.mark.parametrize("kubernetes", versions.EKS_ADDONS)
def test_it_is_the_pinned_build_of_each_minor(deploy, kubernetes):
    made = deploy(lambda: ebs_csi(version=kubernetes)).one(ADDON).inputs

    assert made["addonName"] == "aws-ebs-csi-driver"
    assert made["addonVersion"] == versions.EKS_ADDONS[kubernetes]["aws-ebs-csi-driver"]


@pytest.mark.feature("A2-27", "B-17")
def test_build_preserve_and_conflict_modes_are_settings_as_of_every_eks_add_on(deploy):
    config = {
        "version": "v1.60.0-eksbuild.1",
        "preserve": True,
        "resolve_conflicts_on_create": "NONE",
        "resolve_conflicts_on_update": "PRESERVE",
    }
    made = deploy(lambda: ebs_csi(config)).one(ADDON).inputs

    assert made["addonVersion"] == "v1.60.0-eksbuild.1"
    assert made["preserve"] is True
    modes = (made["resolveConflictsOnCreate"], made["resolveConflictsOnUpdate"])
    assert modes == ("NONE", "PRESERVE")


def test_number_place_and_tags_are_told_to_the_add_on(once):
    assert values(once(on_fargate)) == {"controller": {"replicaCount": 1}}
    assert values(once(on_nodes)) == {
        "controller": {
            "replicaCount": 2,
            "nodeSelector": {"lifecycle": "OnDemand"},
            "extraVolumeTags": {"team": "data", "cost-centre": "42"},
        }
    }


def test_no_selector_keeps_its_pod_from_fargate(deploy):
    built = deploy(lambda: ebs_csi({"node_selector": {"lifecycle": "OnDemand"}}))

    assert "nodeSelector" not in values(built)["controller"]


@pytest.mark.parametrize("program", [on_fargate, on_nodes])
def test_every_value_is_one_that_the_driver_s_schema_knows(once, program):
    jsonschema.validate(values(once(program)), json.loads(SCHEMA.read_text()))


def test_the_driver_s_schema_sees_a_key_that_it_does_not_know():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"controller": {"replicas": 1}}, json.loads(SCHEMA.read_text()))


def test_its_containers_together_fit_fargate_s_smallest_size(upstream_values):
    upstream = upstream_values("aws-ebs-csi-driver")

    # A sidecar without a size of its own gets the controller's, and each of them is such a one.
    sidecars = [upstream["sidecars"][sidecar] for sidecar in SIDECARS]
    assert not any(sidecar["resources"] for sidecar in sidecars)
    assert upstream["controller"]["resources"]["requests"] == {"cpu": "10m", "memory": "40Mi"}
    containers = 1 + len(SIDECARS)
    millicpu, memory = containers * 10, containers * 40 * 2**20
    # Fargate adds 256 MB; with more than that it would be the size with 1 GB.
    assert millicpu <= FARGATE["millicpu"]
    assert memory <= FARGATE["bytes"]


@pytest.mark.feature("B-39")
def test_claims_without_a_class_get_encrypted_gp3_in_the_zone_of_their_pod(once):
    assert once(on_fargate).one(CLASS).inputs == {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "gp3",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": "ebs.csi.aws.com",
        "parameters": {"type": "gp3", "encrypted": "true"},
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowVolumeExpansion": True,
    }


@pytest.mark.feature("B-39")
def test_the_class_need_not_be_the_default_one(deploy):
    made = deploy(lambda: ebs_csi({"default_storage_class": False})).one(CLASS).inputs

    assert made["metadata"] == {"name": "gp3"}


def test_a_class_is_replaced_under_its_own_name(once):
    assert once(on_fargate).one(CLASS).request.deleteBeforeReplace


@pytest.mark.feature("B-39")
@pytest.mark.parametrize("program", [on_fargate, on_nodes])
def test_rights_and_compute_come_before_the_add_on_and_it_before_the_class(once, program):
    built = once(program)

    needed = [built.one(ATTACHMENT), *built.every(INLINE), *built.every(ASSOCIATION)]
    needed.append(built.one("aws:sqs/queue:Queue"))
    waits = [built.waits_for(built.one(ADDON), each) for each in needed]
    assert waits == [True] * len(needed)
    assert built.waits_for(built.one(CLASS), built.one(ADDON))


@pytest.mark.parametrize(
    "key",
    [
        "CSIVolumeName",
        "CSIVolumeSnapshotName",
        "ebs.csi.aws.com/cluster",
        "kubernetes.io/cluster/dev",
        "aws:team",
    ],
)
def test_a_tag_with_which_the_driver_would_not_start_is_refused(key):
    with pytest.raises(ValidationError) as refused:
        EbsCsiConfig(volume_tags={key: "x"})

    (error,) = refused.value.errors()
    ((path, problem, _),) = error["ctx"]["mistakes"]
    assert path == f"volumeTags.{key}"
    assert problem == "is a tag of the driver, Kubernetes or AWS: choose another name"


@pytest.mark.parametrize(("key", "value"), [("a=b", "x"), ("a,b", "x"), ("a", "x,y"), ("", "x")])
def test_a_tag_that_would_end_the_driver_s_list_of_tags_is_refused(key, value):
    with pytest.raises(ValidationError):
        EbsCsiConfig(volume_tags={key: value})
