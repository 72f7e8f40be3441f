import pytest

from rehearsal.aws.eks_service.fargate_policy import admission_policy
from tests.rehearsal.aws.endpoint.conftest import ACCOUNT, refused

PODS = "eks-fargate-pods.amazonaws.com"


def create_profile(aws, name="karpenter", **changes):
    arguments = {
        "podExecutionRoleArn": aws.role(PODS),
        "subnets": aws.subnets,
        "selectors": [{"namespace": name}],
        **changes,
    }
    aws.eks.create_fargate_profile(clusterName="demo", fargateProfileName=name, **arguments)
    found = aws.eks.describe_fargate_profile(clusterName="demo", fargateProfileName=name)
    return found["fargateProfile"]


def test_a_profile_tells_the_api_server_which_pods_go_to_fargate(aws):
    aws.create_cluster()

    profile = create_profile(aws, selectors=[{"namespace": "kube-*", "labels": {"app": "dns"}}])

    assert profile["status"] == "ACTIVE"
    ((name, policy),) = aws.kubernetes.named("MutatingAdmissionPolicy").items()
    (binding,) = aws.kubernetes.named("MutatingAdmissionPolicyBinding").values()
    assert binding["spec"]["policyName"] == name
    conditions = {c["name"]: c["expression"] for c in policy["spec"]["matchConditions"]}
    assert conditions["selected"] == (
        '(request.namespace.matches("^kube\\\\-.*$") && '
        'object.metadata.?labels[?"app"].hasValue() && '
        'object.metadata.labels["app"].matches("^dns$"))'
    )
    (mutation,) = policy["spec"]["mutations"]
    assert mutation["applyConfiguration"]["expression"] == (
        'Object{metadata: Object.metadata{labels: {"eks.amazonaws.com/fargate-profile": '
        '"karpenter"}}, spec: Object.spec{schedulerName: "fargate-scheduler"}}'
    )


def test_the_webhook_knows_a_profile_some_time_after_it_is_active(aws):
    aws.create_cluster()
    aws.eks_state.moment, aws.eks_state.webhook_moments = 0.001, 1e9
    create_profile(aws)
    asked = {"clusterName": "demo", "fargateProfileName": "karpenter"}
    while aws.eks.describe_fargate_profile(**asked)["fargateProfile"]["status"] != "ACTIVE":
        pass

    assert aws.kubernetes.named("MutatingAdmissionPolicy") == {}

    aws.eks_state.late_events = [(0.0, event) for _, event in aws.eks_state.late_events]
    aws.eks.list_clusters()
    assert len(aws.kubernetes.named("MutatingAdmissionPolicy")) == 1


def test_deleting_a_profile_takes_its_policy_and_its_pods(aws):
    aws.create_cluster()
    create_profile(aws)
    labels = {"eks.amazonaws.com/fargate-profile": "karpenter"}
    pod = {"kind": "Pod", "metadata": {"namespace": "karpenter", "name": "p", "labels": labels}}
    other = {"kind": "Pod", "metadata": {"namespace": "x", "name": "q", "labels": {}}}
    aws.kubernetes.apply([pod, other])

    answer = aws.eks.delete_fargate_profile(clusterName="demo", fargateProfileName="karpenter")

    assert answer["fargateProfile"]["status"] == "DELETING"
    # Once it finds a pod and deletes it, once it finds none.
    aws.eks.list_fargate_profiles(clusterName="demo")
    assert aws.eks.list_fargate_profiles(clusterName="demo")["fargateProfileNames"] == []
    assert list(aws.kubernetes.named("Pod")) == ["q"]
    assert aws.kubernetes.named("MutatingAdmissionPolicy") == {}
    assert aws.kubernetes.named("MutatingAdmissionPolicyBinding") == {}


@pytest.mark.behaviour("fargate-profile-one-at-a-time")
def test_profiles_are_made_one_at_a_time(aws):
    aws.create_cluster()
    aws.eks_state.moment = 60
    create_profile(aws)

    assert refused(lambda: create_profile(aws, "kube-system")) == (
        "ResourceInUseException: Cannot create Fargate Profile kube-system because cluster demo "
        "currently has Fargate profile karpenter in status CREATING"
    )


def test_profiles_are_deleted_one_at_a_time(aws):
    aws.create_cluster()
    for name in ("karpenter", "kube-system"):
        create_profile(aws, name)
    aws.eks_state.moment = 60
    aws.eks.delete_fargate_profile(clusterName="demo", fargateProfileName="karpenter")

    assert refused(
        lambda: aws.eks.delete_fargate_profile(clusterName="demo", fargateProfileName="kube-system")
    ).startswith("ResourceInUseException: Cannot delete Fargate Profile kube-system because")


def test_a_cluster_with_a_profile_cannot_be_deleted(aws):
    aws.create_cluster()
    create_profile(aws)

    assert refused(lambda: aws.eks.delete_cluster(name="demo")) == (
        "ResourceInUseException: Cluster has Fargate profiles attached: ['karpenter']"
    )


def test_eks_makes_the_access_entry_of_the_pod_execution_role(aws):
    aws.create_cluster()
    role = create_profile(aws)["podExecutionRoleArn"]

    found = aws.eks.describe_access_entry(clusterName="demo", principalArn=role)["accessEntry"]

    assert found["type"] == "FARGATE_LINUX"


def test_a_profile_without_subnets_gets_the_private_ones(aws):
    aws.create_cluster()
    ec2 = aws.client("ec2")
    make_public(ec2, aws.vpc, aws.subnets[0])

    profile = create_profile(aws, subnets=[])

    assert profile["subnets"] == sorted(aws.subnets[1:])


def make_public(ec2, vpc, subnet):
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)


@pytest.mark.behaviour("fargate-subnet-not-private")
def test_a_public_subnet_is_refused(aws):
    aws.create_cluster()
    make_public(aws.client("ec2"), aws.vpc, aws.subnets[0])

    assert refused(lambda: create_profile(aws)) == (
        f"InvalidParameterException: Subnet {aws.subnets[0]} provided in Fargate Profile is not a "
        "private subnet"
    )


def test_a_subnet_of_another_vpc_is_refused(aws):
    aws.create_cluster()
    other = aws.client("ec2").create_vpc(CidrBlock="10.40.0.0/16")["Vpc"]["VpcId"]

    problem = refused(lambda: create_profile(aws, subnets=[aws.subnet("10.40.0.0/24", "a", other)]))

    assert "must all belong to one VPC" in problem


def test_a_role_that_fargate_cannot_take_is_refused(aws):
    aws.create_cluster()
    wrong, nobody = aws.role("ec2.amazonaws.com"), f"arn:aws:iam::{ACCOUNT}:role/nobody"

    assert refused(lambda: create_profile(aws, podExecutionRoleArn=wrong)).endswith(
        "Misconfigured PodExecutionRole Trust Policy; Please add the "
        "eks-fargate-pods.amazonaws.com Service Principal"
    )
    assert refused(lambda: create_profile(aws, podExecutionRoleArn=nobody)).endswith(
        f"The role with arn {nobody} does not exist"
    )


@pytest.mark.parametrize(
    ("selectors", "problem"),
    [
        ([], "must have between 1 and 5 selectors, got 0"),
        ([{"namespace": str(i)} for i in range(6)], "must have between 1 and 5 selectors, got 6"),
        ([{"labels": {"a": "b"}}], "selector must have a namespace"),
    ],
)
def test_wrong_selectors_are_refused(aws, selectors, problem):
    aws.create_cluster()

    assert refused(lambda: create_profile(aws, selectors=selectors)).endswith(problem)


def test_profiles_whose_names_differ_only_in_case_have_policies_of_their_own():
    (one, _), (other, _) = (admission_policy(n, [{"namespace": "a"}]) for n in ("dev_A", "dev_a"))

    assert one["metadata"]["name"] != other["metadata"]["name"]
