from concurrent.futures import ThreadPoolExecutor

import boto3
import pytest

from tests.rehearsal.aws.endpoint.conftest import ACCOUNT, REGION, refused

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
CLUSTER = {"type": "cluster"}


def create(aws, principal, **arguments):
    made = aws.eks.create_access_entry(clusterName="demo", principalArn=principal, **arguments)
    return made["accessEntry"]


def associate(aws, principal, policy=ADMIN, scope=CLUSTER):
    aws.eks.associate_access_policy(
        clusterName="demo", principalArn=principal, policyArn=policy, accessScope=scope
    )


def test_an_entry_of_a_role_is_standard_with_the_sessions_name(aws):
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")

    entry = create(aws, role, tags={"a": "b"})

    name = role.rpartition("/")[2]
    assert entry["type"] == "STANDARD"
    assert entry["username"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/{name}/{{{{SessionName}}}}"
    assert entry["tags"] == {"a": "b"}


def test_a_node_role_gets_the_groups_of_nodes(aws):
    aws.create_cluster()

    entry = create(aws, aws.role("ec2.amazonaws.com"), type="EC2_LINUX")

    assert entry["kubernetesGroups"] == ["system:nodes"]
    assert entry["username"] == "system:node:{{EC2PrivateDNSName}}"


def test_the_principal_must_exist(aws):
    aws.create_cluster()

    problem = refused(lambda: create(aws, f"arn:aws:iam::{ACCOUNT}:role/nobody"))

    assert problem.startswith(
        "InvalidParameterException: The specified principalArn is invalid: invalid principal"
    )


@pytest.mark.behaviour("access-entry-already-in-use")
def test_a_second_entry_of_a_principal_is_in_use(aws):
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")
    create(aws, role)

    assert refused(lambda: create(aws, role)) == (
        "ResourceInUseException: The specified access entry resource is already in use on this "
        "cluster."
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"type": "EC2_LINUX", "kubernetesGroups": ["a"]}, "cannot have kubernetesGroups"),
        ({"kubernetesGroups": ["system:masters"]}, "it cannot start with system:"),
        ({"type": "SOMETHING"}, "The access entry type SOMETHING is not valid"),
    ],
)
def test_entries_that_cannot_be_are_refused(aws, arguments, problem):
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")

    assert problem in refused(lambda: create(aws, role, **arguments))


def test_without_the_api_mode_there_are_no_entries(aws):
    aws.create_cluster(accessConfig={"authenticationMode": "CONFIG_MAP"})
    role = aws.role("ec2.amazonaws.com")

    assert refused(lambda: create(aws, role)).startswith(
        "InvalidRequestException: The cluster's authentication mode must be set to one of"
    )


def test_the_creator_is_admin_only_when_asked_for(aws):
    aws.create_cluster(
        accessConfig={
            "authenticationMode": "API",
            "bootstrapClusterCreatorAdminPermissions": True,
        }
    )

    (creator,) = aws.eks.list_access_entries(clusterName="demo")["accessEntries"]

    assert creator == f"arn:aws:iam::{ACCOUNT}:root"
    policies = aws.eks.list_associated_access_policies(clusterName="demo", principalArn=creator)
    assert [p["policyArn"] for p in policies["associatedAccessPolicies"]] == [ADMIN]


def test_the_creator_behind_a_session_is_its_role(aws, served):
    url, _ = served
    role = aws.role("ec2.amazonaws.com")
    session = aws.client("sts").assume_role(RoleArn=role, RoleSessionName="deploy")["Credentials"]
    eks = boto3.client(
        "eks",
        region_name=REGION,
        endpoint_url=url,
        aws_access_key_id=session["AccessKeyId"],
        aws_secret_access_key=session["SecretAccessKey"],
        aws_session_token=session["SessionToken"],
    )

    eks.create_cluster(**aws.cluster_arguments(accessConfig={"authenticationMode": "API"}))
    eks.close()

    assert aws.eks.list_access_entries(clusterName="demo")["accessEntries"] == [role]


def test_many_callers_at_once_do_not_disturb_each_other(aws):
    aws.create_cluster()

    def enter(_: int) -> str:
        role = aws.role("ec2.amazonaws.com")
        aws.client("ec2").describe_subnets()
        return create(aws, role)["principalArn"]

    for service in ("ec2", "eks", "iam"):
        aws.client(service)  # made here: making a client is not for several threads
    with ThreadPoolExecutor(12) as pool:
        entered = list(pool.map(enter, range(48)))

    listed = aws.eks.list_access_entries(clusterName="demo")["accessEntries"]
    assert sorted(listed) == sorted(entered)


def test_no_silent_creator(aws):
    aws.create_cluster()

    assert aws.eks.list_access_entries(clusterName="demo")["accessEntries"] == []


def test_a_policy_is_associated_changed_and_taken_away(aws):
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")
    create(aws, role)
    asked = {"clusterName": "demo", "principalArn": role}

    associate(aws, role)
    associate(aws, role, scope={"type": "namespace", "namespaces": ["a"]})

    (found,) = aws.eks.list_associated_access_policies(**asked)["associatedAccessPolicies"]
    assert found["accessScope"] == {"type": "namespace", "namespaces": ["a"]}
    listed = aws.eks.list_access_entries(clusterName="demo", associatedPolicyArn=ADMIN)
    assert listed["accessEntries"] == [role]
    aws.eks.disassociate_access_policy(**asked, policyArn=ADMIN)
    assert aws.eks.list_associated_access_policies(**asked)["associatedAccessPolicies"] == []
    aws.eks.delete_access_entry(**asked)
    assert refused(lambda: aws.eks.describe_access_entry(**asked)).startswith(
        "ResourceNotFoundException: The specified principalArn could not be found"
    )


@pytest.mark.parametrize(
    ("policy", "scope", "problem"),
    [
        (f"{ADMIN}s", CLUSTER, "The policyArn parameter format is not valid"),
        (ADMIN, {"type": "namespace"}, "accessScope of type namespace needs namespaces"),
        (ADMIN, {"type": "cluster", "namespaces": ["a"]}, "cannot have namespaces"),
    ],
)
def test_associations_that_cannot_be_are_refused(aws, policy, scope, problem):
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")
    create(aws, role)

    assert problem in refused(lambda: associate(aws, role, policy, scope))


def test_a_node_role_takes_no_policy(aws):
    aws.create_cluster()
    role = aws.role("ec2.amazonaws.com")
    create(aws, role, type="EC2_LINUX")

    assert refused(lambda: associate(aws, role)).endswith("an access entry of type EC2_LINUX")


def test_the_webhook_knows_an_association_some_time_after_it_is_made(aws):
    aws.create_cluster()
    aws.eks_state.moment, aws.eks_state.webhook_moments = 0.001, 1e9
    role = aws.role("pods.eks.amazonaws.com", actions=("sts:AssumeRole", "sts:TagSession"))
    whose = {"clusterName": "demo", "namespace": "kube-system", "serviceAccount": "external-dns"}
    made = aws.eks.create_pod_identity_association(**whose, roleArn=role)["association"]

    assert aws.kubernetes.named("MutatingAdmissionPolicy") == {}

    aws.eks_state.late_events = [(0.0, event) for _, event in aws.eks_state.late_events]
    aws.eks.list_clusters()
    (policy,) = aws.kubernetes.named("MutatingAdmissionPolicy").values()
    assert [condition["expression"] for condition in policy["spec"]["matchConditions"]] == [
        'request.namespace == "kube-system"',
        "object.spec.?serviceAccountName.orValue('default') == \"external-dns\"",
    ]

    aws.eks.delete_pod_identity_association(clusterName="demo", associationId=made["associationId"])
    assert aws.kubernetes.named("MutatingAdmissionPolicy") == {}


def test_a_pod_identity_association_needs_a_role_that_eks_may_hand_out(aws):
    aws.create_cluster()
    good = aws.role("pods.eks.amazonaws.com", actions=("sts:AssumeRole", "sts:TagSession"))
    half = aws.role("pods.eks.amazonaws.com")
    whose = {"clusterName": "demo", "namespace": "a", "serviceAccount": "b"}

    def make(role):
        return aws.eks.create_pod_identity_association(**whose, roleArn=role)["association"]

    assert "Trust policy of role" in refused(lambda: make(half))
    assert refused(lambda: make(f"{good}-not")).startswith(
        "InvalidParameterException: Role provided in the request does not exist"
    )
    made = make(good)
    assert refused(lambda: make(good)) == (
        f"ResourceInUseException: Association already exists: {made['associationId']}"
    )
    asked = {"clusterName": "demo", "associationId": made["associationId"]}
    aws.eks.delete_pod_identity_association(**asked)
    assert refused(lambda: aws.eks.describe_pod_identity_association(**asked)).startswith(
        "ResourceNotFoundException: Association not found with id"
    )
