import json

import pytest

from tests.rehearsal.aws.endpoint.conftest import refused


def create(aws, name="coredns", **arguments):
    return aws.eks.create_addon(clusterName="demo", addonName=name, **arguments)["addon"]


def describe(aws, name="coredns"):
    return aws.eks.describe_addon(clusterName="demo", addonName=name)["addon"]


def run_its_pods(aws, deployment="coredns"):
    aws.kubernetes.named("Deployment")[deployment]["status"] = {"availableReplicas": 2}


def test_coredns_is_active_once_its_replicas_run(aws):
    aws.create_cluster()
    create(aws)

    assert describe(aws)["status"] == "CREATING"
    run_its_pods(aws)
    assert describe(aws)["status"] == "ACTIVE"


@pytest.mark.behaviour("addon-degraded-until-capacity")
def test_coredns_without_a_place_to_run_is_degraded_until_it_has_one(aws):
    aws.eks_state.degraded_after = 0
    aws.create_cluster()
    create(aws)

    addon = describe(aws)
    assert addon["status"] == "DEGRADED"
    (issue,) = addon["health"]["issues"]
    assert issue["code"] == "InsufficientNumberOfReplicas"
    assert issue["message"].endswith("0 of 2 are available")
    run_its_pods(aws)
    assert describe(aws)["status"] == "ACTIVE"


def test_a_daemon_set_is_active_without_any_node(aws):
    aws.create_cluster(version="1.35")

    for name in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent"):
        create(aws, name)
        assert describe(aws, name)["status"] == "ACTIVE"

    assert set(aws.kubernetes.named("DaemonSet")) == {
        "aws-node", "kube-proxy", "eks-pod-identity-agent"
    }  # fmt: skip


def test_daemon_sets_keep_away_from_fargate(aws):
    aws.create_cluster()
    create(aws, "vpc-cni")

    spec = aws.kubernetes.named("DaemonSet")["aws-node"]["spec"]["template"]["spec"]

    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = required["nodeSelectorTerms"]
    assert {
        "key": "eks.amazonaws.com/compute-type",
        "operator": "NotIn",
        "values": ["fargate", "hybrid", "auto"],
    } in term["matchExpressions"]


def test_configuration_values_reach_the_objects(aws):
    aws.create_cluster()
    resources = {"limits": {"memory": "256M"}}
    replicas = 3
    values = {"computeType": "Fargate", "replicaCount": replicas, "resources": resources}

    create(aws, configurationValues=json.dumps(values))

    spec = aws.kubernetes.named("Deployment")["coredns"]["spec"]
    assert spec["replicas"] == replicas
    assert spec["template"]["spec"]["containers"][0]["resources"] == resources
    assert spec["template"]["metadata"]["annotations"] == {}


def test_coredns_stays_off_fargate_unless_it_is_told(aws):
    aws.create_cluster()
    create(aws)

    template = aws.kubernetes.named("Deployment")["coredns"]["spec"]["template"]

    assert template["metadata"]["annotations"] == {"eks.amazonaws.com/compute-type": "ec2"}


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ('{"replicas": 2}', "('replicas' was unexpected)"),
        ('{"replicaCount": "two"}', "$.replicaCount: 'two' is not of type 'integer'"),
        ("{nonsense", "is not valid JSON or YAML"),
    ],
)
def test_configuration_values_that_the_addon_does_not_know_are_refused(aws, values, problem):
    aws.create_cluster()

    message = refused(lambda: create(aws, configurationValues=values))

    assert message.startswith("InvalidParameterException: ConfigurationValue provided in request")
    assert problem in message
    assert aws.eks.list_addons(clusterName="demo")["addons"] == []


def test_only_known_versions_of_known_addons_are_supported(aws):
    aws.create_cluster()

    assert refused(lambda: create(aws, addonVersion="v1.13.0")).startswith(
        "InvalidParameterException: Addon version specified is not supported"
    )
    assert refused(lambda: create(aws, "karpenter")).endswith(
        "Addon karpenter specified is not supported in 1.34 kubernetes version"
    )


def test_the_default_version_is_the_first_of_the_table(aws):
    aws.create_cluster(version="1.35")

    assert create(aws)["addonVersion"] == "v1.13.0"
    found = aws.eks.describe_addon_versions(addonName="coredns", kubernetesVersion="1.35")
    (info,) = found["addons"]
    compatible = {v["addonVersion"]: v["compatibilities"] for v in info["addonVersions"]}
    assert list(compatible) == ["v1.13.0", "v1.12.9"]
    assert [c["defaultVersion"] for (c,) in compatible.values()] == [True, False]


def test_an_update_changes_the_version_and_the_objects(aws):
    aws.create_cluster(version="1.35")
    create(aws, addonVersion="v1.12.9")
    run_its_pods(aws)
    describe(aws)

    update = aws.eks.update_addon(
        clusterName="demo",
        addonName="coredns",
        addonVersion="v1.13.0",
        configurationValues='{"replicaCount": 2}',
        resolveConflicts="OVERWRITE",
    )["update"]

    asked = {"name": "demo", "updateId": update["id"], "addonName": "coredns"}
    assert aws.eks.describe_update(**asked)["update"]["status"] == "Successful"
    addon = describe(aws)
    assert (addon["addonVersion"], addon["status"]) == ("v1.13.0", "ACTIVE")
    containers = aws.kubernetes.named("Deployment")["coredns"]["spec"]["template"]["spec"][
        "containers"
    ]
    assert containers[0]["image"].endswith("/eks/coredns:v1.13.0")


@pytest.mark.behaviour("addon-configuration-conflict")
def test_a_conflict_with_somebody_else_fails_unless_it_is_overwritten(aws):
    aws.create_cluster()
    aws.kubernetes.others = {"Deployment"}

    create(aws, resolveConflicts="NONE")

    addon = describe(aws)
    assert addon["status"] == "CREATE_FAILED"
    assert addon["health"]["issues"][0]["code"] == "ConfigurationConflict"
    aws.eks.delete_addon(clusterName="demo", addonName="coredns")
    aws.eks.list_addons(clusterName="demo")
    create(aws, resolveConflicts="OVERWRITE")
    run_its_pods(aws)
    assert describe(aws)["status"] == "ACTIVE"


def test_deleting_takes_the_objects_away_and_preserving_keeps_them_until_the_cluster_goes(aws):
    aws.create_cluster()
    create(aws, "vpc-cni")
    create(aws, "kube-proxy")

    aws.eks.delete_addon(clusterName="demo", addonName="vpc-cni", preserve=True)
    aws.eks.delete_addon(clusterName="demo", addonName="kube-proxy")

    assert aws.eks.list_addons(clusterName="demo")["addons"] == []
    assert list(aws.kubernetes.named("DaemonSet")) == ["aws-node"]
    aws.eks.delete_cluster(name="demo")
    aws.eks.list_clusters()
    assert aws.kubernetes.objects == {}


def test_a_cluster_brings_its_own_addons_unless_it_is_told_not_to(aws):
    aws.create_cluster(bootstrapSelfManagedAddons=True)

    assert aws.eks.list_addons(clusterName="demo")["addons"] == []
    assert set(aws.kubernetes.named("DaemonSet")) == {"aws-node", "kube-proxy"}
    assert set(aws.kubernetes.named("Deployment")) == {"coredns"}


def test_a_role_of_the_service_account_must_exist_and_is_written_on_it(aws):
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")

    assert refused(lambda: create(aws, serviceAccountRoleArn=f"{role}-not")).endswith(
        f"The role with arn {role}-not does not exist"
    )
    create(aws, "vpc-cni", serviceAccountRoleArn=role)

    account = aws.kubernetes.named("ServiceAccount")["aws-node"]
    assert account["metadata"]["annotations"] == {"eks.amazonaws.com/role-arn": role}


def test_identities_of_an_addon_are_associations_that_it_owns(aws):
    aws.create_cluster()
    role = aws.role("pods.eks.amazonaws.com", actions=("sts:AssumeRole", "sts:TagSession"))
    addon = create(
        aws, "vpc-cni", podIdentityAssociations=[{"serviceAccount": "aws-node", "roleArn": role}]
    )

    (found,) = aws.eks.list_pod_identity_associations(clusterName="demo")["associations"]

    assert addon["podIdentityAssociations"] == [found["associationArn"]]
    assert (found["namespace"], found["ownerArn"]) == ("kube-system", addon["addonArn"])
    problem = refused(
        lambda: aws.eks.delete_pod_identity_association(
            clusterName="demo", associationId=found["associationId"]
        )
    )
    assert problem.startswith("InvalidRequestException: The association is owned by")
    aws.eks.delete_addon(clusterName="demo", addonName="vpc-cni")
    assert aws.eks.list_pod_identity_associations(clusterName="demo")["associations"] == []
