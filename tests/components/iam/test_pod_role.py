import json

import pulumi
import pytest
from pulumi.runtime import rpc

from components.iam.pod_role import PodRole, PodRoleArgs
from components.placement import RunsOn
from tests.cluster_refs import CLUSTER

ISSUER = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
OIDC_PROVIDER_ARN = f"arn:aws:iam::111122223333:oidc-provider/{ISSUER}"
ROLE_ARN = "arn:aws:iam::111122223333:role/pod"
POLICY = {"Version": "2012-10-17", "Statement": []}
MANAGED = "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"
ROLE = "aws:iam/role:Role"
POLICY_OF_ITS_OWN = "aws:iam/rolePolicy:RolePolicy"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"


def pod_role(runs_on: RunsOn) -> PodRole:
    args = PodRoleArgs(
        cluster=CLUSTER,
        runs_on=runs_on,
        namespace="dns",
        service_account="writer",
        policy=POLICY,
        managed_policies={"cni": MANAGED},
    )
    return PodRole("pod", args)


def fargate_role():
    annotations = pod_role(RunsOn.FARGATE).annotations
    account = pulumi.ComponentResource("frugal-eks:test:Account", "account")
    account.register_outputs({"annotations": dict(annotations)})


def nodes_role():
    annotations = pod_role(RunsOn.NODES).annotations
    account = pulumi.ComponentResource("frugal-eks:test:Account", "account")
    account.register_outputs({"annotations": dict(annotations)})


@pytest.mark.feature("C-01", "A2-19")
def test_on_fargate_the_tokens_of_one_service_account_are_trusted(once):
    built = once(fargate_role)

    claims = {
        f"{ISSUER}:aud": "sts.amazonaws.com",
        f"{ISSUER}:sub": "system:serviceaccount:dns:writer",
    }
    assert json.loads(built.one(ROLE).inputs["assumeRolePolicy"])["Statement"] == [
        {
            "Effect": "Allow",
            "Principal": {"Federated": OIDC_PROVIDER_ARN},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {"StringEquals": claims},
        }
    ]
    assert built.outputs["account"]["annotations"] == {"eks.amazonaws.com/role-arn": ROLE_ARN}
    assert built.every(ASSOCIATION) == []


@pytest.mark.feature("C-01")
def test_on_nodes_eks_is_trusted_for_one_service_account_of_one_cluster(once):
    built = once(nodes_role)

    tags = {
        "aws:RequestTag/eks-cluster-name": "dev",
        "aws:RequestTag/kubernetes-namespace": "dns",
        "aws:RequestTag/kubernetes-service-account": "writer",
    }
    assert json.loads(built.one(ROLE).inputs["assumeRolePolicy"])["Statement"] == [
        {
            "Sid": "AllowEksAuthToAssumeRoleForPodIdentity",
            "Effect": "Allow",
            "Principal": {"Service": "pods.eks.amazonaws.com"},
            "Action": ["sts:AssumeRole", "sts:TagSession"],
            "Condition": {"StringEquals": tags},
        }
    ]
    assert built.one(ASSOCIATION).inputs == {
        "clusterName": "dev",
        "namespace": "dns",
        "serviceAccount": "writer",
        "roleArn": ROLE_ARN,
    }
    assert built.outputs["account"]["annotations"] == {}


@pytest.mark.feature("C-01")
def test_karpenter_gets_its_rights_by_where_its_controller_will_run(platform, on_nodes):
    nodeless = platform()

    assert "AssumeRoleWithWebIdentity" in trust_of_the_controller(nodeless)
    assert "pods.eks.amazonaws.com" in trust_of_the_controller(on_nodes)
    release = "kubernetes:helm.sh/v3:Release"
    accounts = [
        built.named(release, "karpenter").inputs["values"]["serviceAccount"]
        for built in (nodeless, on_nodes)
    ]
    arn = "arn:aws:iam::111122223333:role/nodeless-karpenter"
    assert [account["annotations"] for account in accounts] == [
        {"eks.amazonaws.com/role-arn": arn},
        {},
    ]
    name = "karpenter-controller-role-association"
    assert name not in [each.request.name for each in nodeless.every(ASSOCIATION)]
    assert on_nodes.named(ASSOCIATION, name).inputs == {
        "clusterName": "nodeless",
        "namespace": "karpenter",
        "serviceAccount": accounts[1]["name"],
        "roleArn": arn,
    }


@pytest.mark.parametrize("program", [fargate_role, nodes_role])
def test_the_arn_is_known_once_every_policy_is_attached(once, program):
    built = once(program)

    assert json.loads(built.one(POLICY_OF_ITS_OWN).inputs["policy"]) == POLICY
    assert built.one(ATTACHMENT).inputs == {"role": "pod", "policyArn": MANAGED}
    policies = [built.one(POLICY_OF_ITS_OWN), built.one(ATTACHMENT)]
    assert all(built.waits_for(policy, built.one(ROLE)) for policy in policies)
    for association in built.every(ASSOCIATION):
        assert all(built.waits_for(association, policy) for policy in policies)


def test_a_preview_declares_the_association_without_knowing_the_arn(once):
    built = once(nodes_role, preview=True)

    assert built.one(ASSOCIATION).inputs["roleArn"] == rpc.UNKNOWN
    assert built.tree() == once(nodes_role).tree()


def trust_of_the_controller(built):
    return built.named(ROLE, "karpenter-controller-role").inputs["assumeRolePolicy"]
