"""Parts of a ClusterConfig that the five documents do not have."""

from typing import Any

import pytest
import yaml

from frugal_eks.errors import CommandError
from frugal_eks.migrate.conversion import Migration, convert
from frugal_eks.migrate.documents import Document
from frugal_eks.migrate.missing import fill_in
from stack_config.model import StackConfig
from stack_config.settings import parsed
from stack_config.yaml_text import documents

HEAD = {
    "apiVersion": "eksctl.io/v1alpha5",
    "kind": "ClusterConfig",
    "metadata": {"name": "dev", "region": "eu-west-1", "version": "1.35"},
}


def migrated(**parts: Any) -> Migration:
    text = yaml.safe_dump(HEAD | parts, sort_keys=False)
    [(value, lines)] = documents(text)
    migration = convert([Document(source="cluster.yaml", value=value, lines=lines)])
    fill_in(migration, cluster=None, region=None)
    return migration


def left(migration: Migration) -> dict[str, str]:
    return {each.note.path: each.note.text for each in migration.left}


def is_valid(migration: Migration) -> bool:
    return isinstance(parsed(migration.values), StackConfig)


WITH_NODES = {"managedNodeGroups": [{"name": "base", "desiredCapacity": 2}]}


@pytest.mark.parametrize(
    ("asked", "version", "comment"),
    [
        ("1.17", "1.34", "was 1.17, which is not offered: the oldest in standard support"),
        (1.3, "1.34", "was 1.30, which is not offered: the oldest in standard support"),
        ("1.99", "1.36", "was 1.99, which is not offered: the newest in standard support"),
        ("1.35", "1.35", None),
    ],
)
def test_a_version_that_is_not_offered_becomes_the_nearest(asked, version, comment):
    migration = migrated(metadata={"name": "dev", "version": asked}, **WITH_NODES)

    assert migration.values["cluster"]["version"] == version
    assert migration.comments.get(("cluster", "version")) == comment


def test_a_version_in_extended_support_stays_and_says_what_it_costs():
    migration = migrated(metadata={"name": "dev", "version": "1.33"}, **WITH_NODES)

    assert migration.values["cluster"]["supportType"] == "EXTENDED"
    assert "0.60 USD an hour" in migration.comments["cluster", "supportType"]
    assert is_valid(migration)


def test_a_managed_group_keeps_what_it_says():
    migration = migrated(
        managedNodeGroups=[
            {
                "name": "base",
                "instanceTypes": ["c7g.large", "m7g.large", "c6g.large", "m6g.large"],
                "spot": True,
                "minSize": 1,
                "maxSize": 4,
                "desiredCapacity": 2,
                "volumeSize": 30,
                "volumeType": "gp3",
                "amiFamily": "Bottlerocket",
                "labels": {"lifecycle": "Ec2Spot"},
                "taints": [{"key": "spot", "value": "true", "effect": "NoSchedule"}],
                "updateConfig": {"maxUnavailable": 1},
                "nodeRepairConfig": {"enabled": True},
                "maxPodsPerNode": 40,
                "privateNetworking": True,
            }
        ]
    )

    assert migration.values["managedNodeGroups"]["base"] == {
        "capacityType": "SPOT",
        "amiType": "BOTTLEROCKET_ARM_64",
        "instanceTypes": ["c7g.large", "m7g.large", "c6g.large", "m6g.large"],
        "update": {"maxUnavailable": 1},
        "nodeRepair": True,
        "size": {"min": 1, "max": 4, "desired": 2},
        "volumeGib": 30,
        "labels": {"lifecycle": "Ec2Spot"},
        "taints": [{"key": "spot", "value": "true", "effect": "NoSchedule"}],
        "kubelet": {"maxPods": 40},
        "releaseVersion": "1.66.0-1ad6b4a4",
    }
    assert left(migration) == {}
    assert is_valid(migration)


def test_eksctls_defaults_are_written_out_where_this_programs_differ():
    migration = migrated(managedNodeGroups=[{"name": "base"}])

    base = migration.values["managedNodeGroups"]["base"]
    assert (base["instanceTypes"], base["volumeGib"]) == (["m5.large"], 80)
    assert base["size"] == {"min": 2, "max": 2}
    for key in ("instanceTypes", "volumeGib", "size"):
        assert migration.comments["managedNodeGroups", "base", key].startswith("eksctl's default")
    assert is_valid(migration)


def test_a_group_of_eksctls_own_without_spot_becomes_a_managed_one():
    migration = migrated(nodeGroups=[{"name": "old", "instanceType": "m5.xlarge"}])

    assert migration.values["managedNodeGroups"]["old"]["instanceTypes"] == ["m5.xlarge"]
    comment = "a group that EKS manages, was an Auto Scaling group of eksctl's"
    assert migration.comments["managedNodeGroups", "old"] == comment


def test_a_distribution_without_a_word_is_all_on_demand_as_in_eksctl():
    migration = migrated(nodeGroups=[{"name": "mixed", "instancesDistribution": {}}])
    distribution = migration.values["spotNodeGroups"]["mixed"]["distribution"]

    assert distribution == {
        "onDemandBaseCapacity": 0,
        "onDemandPercentageAboveBaseCapacity": 100,
        "spotAllocationStrategy": "lowest-price",
    }
    place = ("spotNodeGroups", "mixed", "distribution", "onDemandPercentageAboveBaseCapacity")
    assert migration.comments[place] == "eksctl's default, which is no spot at all"
    assert is_valid(migration)


def test_images_and_settings_that_no_group_has_are_named():
    migration = migrated(
        managedNodeGroups=[
            {
                "name": "base",
                "amiFamily": "AmazonLinux2",
                "ssh": {"allow": True, "publicKeyName": "key"},
                "iam": {"withAddonPolicies": {"autoScaler": True}},
                "privateNetworking": False,
                "volumeType": "gp2",
                "preBootstrapCommands": ["echo"],
                "kubeletExtraConfig": {"kubeReserved": {"cpu": "100m"}, "cpuCFSQuota": False},
            }
        ]
    )

    comment = migration.comments["managedNodeGroups", "base", "amiType"]
    assert comment == "was AmazonLinux2, of which this program starts no nodes"
    assert migration.values["managedNodeGroups"]["base"]["kubelet"] == {
        "kubeReserved": {"cpu": "100m"}
    }
    assert set(left(migration)) == {
        "managedNodeGroups[0].ssh",
        "managedNodeGroups[0].iam",
        "managedNodeGroups[0].privateNetworking",
        "managedNodeGroups[0].volumeType",
        "managedNodeGroups[0].preBootstrapCommands",
        "managedNodeGroups[0].kubeletExtraConfig.cpuCFSQuota",
    }


@pytest.mark.parametrize(
    ("gateway", "ours"), [("Disable", "none"), ("Single", "single"), ("HighlyAvailable", "perZone")]
)
def test_the_network_keeps_range_zones_and_way_out(gateway, ours):
    migration = migrated(
        vpc={"cidr": "10.9.0.0/16", "nat": {"gateway": gateway}},
        availabilityZones=["eu-west-1a", "eu-west-1b"],
        **WITH_NODES,
    )

    assert migration.values["network"] == {
        "cidr": "10.9.0.0/16",
        "availabilityZones": ["eu-west-1a", "eu-west-1b"],
        "natGateways": ours,
    }
    assert left(migration) == {}


def test_subnets_that_exist_are_named_by_their_ids():
    private = {"eu-west-1a": {"id": "subnet-0123456789abcdef0"}, "b": {"id": "subnet-0a1b2c3d"}}
    public = {"eu-west-1a": {"id": "subnet-0a1b2c3e", "cidr": "10.0.0.0/24"}}
    migration = migrated(
        vpc={"id": "vpc-0a1b2c3d", "subnets": {"private": private, "public": public}}, **WITH_NODES
    )

    assert migration.values["network"] == {
        "vpcId": "vpc-0a1b2c3d",
        "privateSubnetIds": ["subnet-0123456789abcdef0", "subnet-0a1b2c3d"],
        "publicSubnetIds": ["subnet-0a1b2c3e"],
    }
    assert left(migration) == {
        "vpc.subnets.public.eu-west-1a.cidr": "AWS knows it of the subnet by its id"
    }
    assert is_valid(migration)


def test_a_private_cluster_has_no_public_endpoint_and_no_way_out():
    migration = migrated(privateCluster={"enabled": True}, **WITH_NODES)

    assert migration.values["cluster"]["endpoint"] == {"public": False, "private": True}
    assert migration.values["network"]["natGateways"] == "none"


def test_an_endpoint_that_was_open_to_all_is_not():
    migration = migrated(
        vpc={"clusterEndpoints": {"publicAccess": True, "privateAccess": True}}, **WITH_NODES
    )

    endpoint = migration.values["cluster"]["endpoint"]
    assert endpoint == {"public": True, "publicCidrs": ["203.0.113.0/24"], "private": True}
    assert "all of the internet" in migration.comments["cluster", "endpoint", "publicCidrs"]


def test_addresses_that_may_connect_stay():
    migration = migrated(vpc={"publicAccessCIDRs": ["198.51.100.0/24"]}, **WITH_NODES)

    endpoint = migration.values["cluster"]["endpoint"]
    assert endpoint == {"public": True, "publicCidrs": ["198.51.100.0/24"], "private": False}


def test_administrators_are_found_in_mappings_and_access_entries():
    policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    viewer = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
    role = "arn:aws:iam::111122223333:role"
    scope = {"type": "namespace", "namespaces": ["shop"]}
    part = {"policyARN": policy, "accessScope": scope}
    migration = migrated(
        iamIdentityMappings=[
            {"arn": f"{role}/ops", "groups": ["system:masters"]},
            {"arn": f"{role}/team", "groups": ["readers"]},
        ],
        accessConfig={
            "authenticationMode": "API",
            "accessEntries": [
                {"principalARN": f"{role}/admin", "accessPolicies": [{"policyARN": policy}]},
                {"principalARN": f"{role}/viewer", "accessPolicies": [{"policyARN": viewer}]},
                {"principalARN": f"{role}/shop", "accessPolicies": [part]},
            ],
        },
        **WITH_NODES,
    )

    assert migration.values["cluster"]["admins"] == [f"{role}/ops", f"{role}/admin"]
    assert set(left(migration)) == {
        "iamIdentityMappings[1]",
        "accessConfig.accessEntries[1]",
        "accessConfig.accessEntries[2]",
    }
    assert is_valid(migration)


def test_logs_key_support_and_boundary_have_their_places():
    migration = migrated(
        cloudWatch={"clusterLogging": {"enableTypes": ["*"], "logRetentionInDays": 14}},
        secretsEncryption={"keyARN": "arn:aws:kms:eu-west-1:111122223333:key/abc"},
        upgradePolicy={"supportType": "Extended"},
        iam={"serviceRolePermissionsBoundary": "arn:aws:iam::111122223333:policy/edge"},
        deletionProtection=False,
        **WITH_NODES,
    )

    cluster = migration.values["cluster"]
    every = ["api", "audit", "authenticator", "controllerManager", "scheduler"]
    assert cluster["logs"] == {"types": every, "retentionDays": 14}
    assert cluster["kmsKeyArn"].endswith("key/abc")
    assert cluster["supportType"] == "EXTENDED"
    assert cluster["deletionProtection"] is False
    assert migration.values["roles"]["permissionsBoundary"].endswith("policy/edge")
    assert left(migration) == {}
    assert is_valid(migration)


def test_eks_addons_keep_their_choice_where_it_still_has_a_meaning():
    migration = migrated(
        addons=[
            {"name": "coredns", "version": "v1.8.7-eksbuild.2", "resolveConflicts": "preserve"},
            {"name": "kube-proxy", "version": "1.24"},
            {"name": "aws-ebs-csi-driver", "wellKnownPolicies": {"ebsCSIController": True}},
            {"name": "aws-efs-csi-driver", "version": "latest"},
            {"name": "adot", "version": "latest"},
        ],
        **WITH_NODES,
    )

    assert migration.values["eksAddons"] == {
        "coredns": {"version": "pinned", "resolveConflictsOnUpdate": "PRESERVE"},
        "kubeProxy": {"version": "default"},
    }
    assert migration.values["addons"] == {"ebsCsi": {}, "efsCsi": {}}
    assert migration.comments["eksAddons", "coredns", "version"].startswith("was v1.8.7-eksbuild.2")
    assert set(left(migration)) == {"addons[2].wellKnownPolicies", "addons[3].version", "addons[4]"}
    assert is_valid(migration)


def test_service_accounts_of_known_programs_become_addons_and_others_are_named():
    migration = migrated(
        iam={
            "serviceAccounts": [
                {
                    "metadata": {"name": "ca", "namespace": "kube-system"},
                    "wellKnownPolicies": {"autoScaler": True, "imageBuilder": False},
                },
                {
                    "metadata": {"name": "api", "namespace": "shop"},
                    "attachPolicyARNs": ["arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"],
                },
                {"metadata": {"name": "tls"}, "wellKnownPolicies": {"certManager": True}},
            ]
        },
        **WITH_NODES,
    )

    assert migration.values["clusterAutoscaler"] == {}
    assert migration.comments["clusterAutoscaler",] == (
        "its service account is kube-system/cluster-autoscaler, was kube-system/ca"
    )
    assert set(left(migration)) == {"iam.serviceAccounts[1]", "iam.serviceAccounts[2]"}
    assert is_valid(migration)


def test_node_groups_of_a_second_file_join_the_cluster_of_the_first():
    first = HEAD | {
        "fargateProfiles": [{"name": "fp", "selectors": [{"namespace": "kube-system"}]}]
    }
    second = HEAD | {"metadata": {"name": "dev"}, **WITH_NODES}
    text = f"{yaml.safe_dump(first)}---\n{yaml.safe_dump(second)}"
    found = [Document(source="f", value=value, lines=lines) for value, lines in documents(text)]
    migration = convert(found)

    assert migration.left == []
    assert migration.values["cluster"] == {"name": "dev", "version": "1.35"}
    assert set(migration.values) >= {"fargate", "managedNodeGroups"}


def test_two_answers_to_one_question_are_told():
    second = HEAD | {"metadata": {"name": "dev", "version": "1.36"}, **WITH_NODES}
    text = f"{yaml.safe_dump(HEAD)}---\n{yaml.safe_dump(second)}"
    found = [Document(source="f", value=value, lines=lines) for value, lines in documents(text)]
    migration = convert(found)

    [conflict] = migration.left
    assert migration.values["cluster"]["version"] == "1.36"
    assert conflict.note.text == (
        "cluster.version is '1.35' of another document too: this one counts"
    )


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"nodeGroups": {"name": "ng"}}, "nodeGroups: must be a list"),
        ({"nodeGroups": ["ng"]}, "nodeGroups[0]: must be keys with values"),
        ({"vpc": "vpc-1"}, "vpc: must be keys with values"),
        (
            {"managedNodeGroups": [{"minSize": "two"}]},
            "managedNodeGroups[0].minSize: must be a whole number",
        ),
        (
            {"managedNodeGroups": [{"spot": "yes"}]},
            "managedNodeGroups[0].spot: must be true or false",
        ),
        (
            {"managedNodeGroups": [{"instanceTypes": [{"a": 1}]}]},
            "managedNodeGroups[0].instanceTypes: must be a list of texts",
        ),
        (
            {"nodeGroups": [{"taints": {"spot": "NoSchedule"}}]},
            "nodeGroups[0].taints.spot: is no taint: write value:effect, "
            "for example true:NoSchedule",
        ),
    ],
)
def test_a_field_of_the_wrong_shape_is_one_sentence(parts, told):
    with pytest.raises(CommandError) as error:
        migrated(**parts)

    assert str(error.value).startswith("cluster.yaml:")
    assert str(error.value).endswith(told)
