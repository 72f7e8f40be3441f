import json
import re
from pathlib import Path

import pulumi_aws as aws
import pytest
import yaml
from pydantic import ValidationError

from components import versions
from components.karpenter.config import POD_LABELS, ControllerConfig
from components.karpenter.controller import Controller, ControllerArgs
from components.kubernetes.charts import ChartSource
from components.location import Location
from components.nodes.interruption import InterruptionQueue, InterruptionQueueArgs
from components.nodes.nodes import NODE_POLICIES
from components.placement import RunsOn
from tests.cluster_refs import given

VALUES = Path(__file__).parents[2] / "data" / "charts" / "karpenter" / "values.yaml"
POLICY_NAME_LIMIT = 128
"""Characters in the name of a managed policy (IAM and STS quotas)."""
OIDC = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
OIDC_ARN = f"arn:aws:iam::111122223333:oidc-provider/{OIDC}"
LOCATION = Location(region="eu-west-1", account="111122223333")
NOUNS = {
    "node-lifecycle": "NodeLifecyclePolicy",
    "iam-integration": "IAMIntegrationPolicy",
    "eks-integration": "EKSIntegrationPolicy",
    "interruption": "InterruptionPolicy",
    "zonal-shift": "ZonalShiftPolicy",
    "resource-discovery": "ResourceDiscoveryPolicy",
}

ROLE = "aws:iam/role:Role"
POLICY = "aws:iam/policy:Policy"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ENTRY = "aws:eks/accessEntry:AccessEntry"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
RELEASE = "kubernetes:helm.sh/v3:Release"
NAMESPACE = "kubernetes:core/v1:Namespace"
FLOWS = "kubernetes:flowcontrol.apiserver.k8s.io/v1:FlowSchema"


def controller(config=None, **args):
    """A program with the controller and its queue; `args` in place of what nodeless gives."""
    name = args.get("name", "dev")
    queue = InterruptionQueue("queue", InterruptionQueueArgs(queue_name=name))
    home = aws.sqs.Queue("home")  # stands for the pods' compute
    usual = {
        "config": ControllerConfig(**(config or {})),
        "version": versions.KARPENTER,
        "namespace": "karpenter",
        "queue": queue,
        "needs": [home],
    }
    return Controller("it", given(ControllerArgs, **(usual | args)))


def on_fargate():
    return controller()


def on_nodes():
    return controller(runs_on=RunsOn.NODES)


def with_a_long_name():
    return controller(name="c" * 100)


def values(built):
    return built.named(RELEASE, "karpenter").inputs["values"]


def document(declared):
    return json.loads(declared.inputs["policy"])


def attached(built, role):
    """The policies of a role, by ARN; the role itself must be there before each."""
    of = [each for each in built.every(ATTACHMENT) if each.inputs["role"] == role.inputs["name"]]
    assert all(built.waits_for(each, role) for each in of)
    return sorted(each.inputs["policyArn"] for each in of)


@pytest.mark.feature("A2-13")
@pytest.mark.parametrize("region", ["eu-west-1", "cn-north-1"])
def test_the_node_role_is_upstream_s(deploy, upstream, region):
    location = Location(region=region, account="111122223333")
    wanted = upstream(location, "dev")["KarpenterNodeRole"]["Properties"]

    built = deploy(lambda: controller(location=location))

    role = built.named(ROLE, "it-node")
    said = wanted["AssumeRolePolicyDocument"]
    (statement,) = said["Statement"]
    statement = statement | {"Action": statement["Action"][0]}  # in IAM a list of one is its item
    assert role.inputs["name"] == wanted["RoleName"] == "KarpenterNodeRole-dev"
    assert json.loads(role.inputs["assumeRolePolicy"]) == said | {"Statement": [statement]}
    assert attached(built, role) == sorted(wanted["ManagedPolicyArns"])


@pytest.mark.feature("A2-13")
def test_nodes_may_work_pull_images_and_be_reached_by_ssm():
    assert set(NODE_POLICIES.values()) == {
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKS_CNI_Policy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
    }


@pytest.mark.feature("A2-28")
def test_nodes_may_join_by_an_access_entry_of_the_kind_that_karpenter_s_nodes_need(once):
    built = once(on_fargate)

    entry = built.one(ENTRY)
    assert entry.inputs == {
        "clusterName": "dev",
        "principalArn": "arn:aws:iam::111122223333:role/KarpenterNodeRole-dev",
        "type": "EC2_LINUX",
    }
    assert built.waits_for(built.named(RELEASE, "karpenter"), entry)


@pytest.mark.feature("A2-28")
def test_the_node_role_is_known_once_it_may_join(deploy):
    def program():
        aws.iam.InstanceProfile("reader", role=controller().node_role_name)

    built = deploy(program)

    assert built.waits_for(built.one("aws:iam/instanceProfile:InstanceProfile"), built.one(ENTRY))


@pytest.mark.feature("A2-12")
def test_the_controller_has_upstream_s_policies_and_no_other(once, upstream):
    built, template = once(on_fargate), upstream(LOCATION, "dev")

    made = {each.inputs["name"]: document(each) for each in built.every(POLICY)}
    node_role = "arn:aws:iam::111122223333:role/KarpenterNodeRole-dev"
    queue = "arn:aws:sqs:eu-west-1:111122223333:dev"
    wanted = {}
    for resource in NOUNS.values():
        properties = template[resource]["Properties"]
        text = properties["PolicyDocument"].replace("arn of the node role", node_role)
        wanted[properties["ManagedPolicyName"]] = json.loads(
            text.replace("arn of the queue", queue)
        )
    assert made == wanted
    role = built.named(ROLE, "it-role")
    assert attached(built, role) == sorted(
        f"arn:aws:iam::111122223333:policy/{name}" for name in made
    )


@pytest.mark.feature("A2-20")
def test_the_controller_s_role_trusts_its_service_account_and_no_other(once):
    built = once(on_fargate)

    role = built.named(ROLE, "it-role").inputs
    claims = {
        f"{OIDC}:aud": "sts.amazonaws.com",
        f"{OIDC}:sub": "system:serviceaccount:karpenter:karpenter",
    }
    assert role["name"] == "dev-karpenter"
    assert json.loads(role["assumeRolePolicy"])["Statement"] == [
        {
            "Effect": "Allow",
            "Principal": {"Federated": OIDC_ARN},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {"StringEquals": claims},
        }
    ]


@pytest.mark.feature("A2-20", "A2-49")
def test_the_chart_makes_the_service_account_with_the_role_on_it(once):
    built = once(on_fargate)

    assert [line for line in built.tree() if "ServiceAccount" in line] == []
    assert built.named(RELEASE, "karpenter").inputs["namespace"] == "karpenter"
    assert values(built)["serviceAccount"] == {
        "create": True,
        "name": "karpenter",
        "annotations": {
            "eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/dev-karpenter"
        },
    }
    assert built.every(ASSOCIATION) == []


@pytest.mark.feature("B-35")
def test_on_nodes_the_role_comes_by_pod_identity_before_the_pods(once):
    built = once(on_nodes)

    association = built.one(ASSOCIATION)
    assert association.inputs == {
        "clusterName": "dev",
        "namespace": "karpenter",
        "serviceAccount": "karpenter",
        "roleArn": "arn:aws:iam::111122223333:role/dev-karpenter",
    }
    assert values(built)["serviceAccount"]["annotations"] == {}
    assert built.waits_for(built.named(RELEASE, "karpenter"), association)


@pytest.mark.feature("B-15", "C-06")
def test_names_that_would_pass_aws_s_limits_are_shortened_and_stay_as_they_are(once):
    built = once(with_a_long_name)

    c = "c" * 100
    assert built.named(ROLE, "it-node").inputs["name"] == f"KarpenterNodeRole-{c[:37]}-342d1e49"
    assert built.named(ROLE, "it-role").inputs["name"] == f"{c[:55]}-b1a50110"
    names = [policy.inputs["name"] for policy in built.every(POLICY)]
    assert [name for name in names if len(name) > POLICY_NAME_LIMIT] == []
    assert len(set(names)) == len(NOUNS)
    assert f"KarpenterControllerNodeLifecyclePolicy-{c[:80]}-a1cbd813" in names


@pytest.mark.feature("C-06")
def test_rights_name_what_is_made_also_where_the_name_is_long(once):
    built = once(with_a_long_name)

    (passing, *_) = document(built.named(POLICY, "it-iam-integration"))["Statement"]
    node_role = built.named(ROLE, "it-node").inputs["name"]
    assert passing["Sid"] == "AllowPassingInstanceRole"
    assert passing["Resource"] == f"arn:aws:iam::111122223333:role/{node_role}"
    (reading,) = document(built.named(POLICY, "it-interruption"))["Statement"]
    queue = built.named("aws:sqs/queue:Queue", "queue").inputs["name"]
    assert reading["Resource"] == f"arn:aws:sqs:eu-west-1:111122223333:{queue}"
    assert values(built)["settings"]["interruptionQueue"] == queue
    assert values(built)["settings"]["clusterName"] == "c" * 100


@pytest.mark.parametrize("program", [on_fargate, on_nodes, with_a_long_name])
def test_every_value_is_one_that_the_chart_knows(once, unknown, program):
    assert unknown(values(once(program)), "karpenter") == []


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"settings": {"interruptionQueueName": "x"}}, ["settings.interruptionQueueName"]),
        ({"settings": {"featureGates": {"drift": True}}}, ["settings.featureGates.drift"]),
        ({"replicas": "2"}, ["replicas: '2' for 2"]),
        ({"settings": {"isolatedVPC": "no"}}, ["settings.isolatedVPC: 'no' for False"]),
    ],
)
def test_the_check_of_values_sees_what_it_should(unknown, own, told):
    assert unknown(own, "karpenter") == told


@pytest.mark.feature("A2-49")
def test_it_needs_neither_metadata_nor_coredns_to_find_its_cluster_and_queue(once):
    told = values(once(on_fargate))

    assert told["controller"]["env"] == [{"name": "AWS_REGION", "value": "eu-west-1"}]
    assert told["dnsPolicy"] == "Default"
    assert told["settings"]["clusterName"] == "dev"
    assert told["settings"]["interruptionQueue"] == "dev"
    assert told["settings"]["isolatedVPC"] is False


def test_every_gate_is_told_and_only_the_stable_one_is_open(once):
    gates = values(once(on_fargate))["settings"]["featureGates"]

    assert gates == yaml.safe_load(VALUES.read_text())["settings"]["featureGates"]
    assert [gate for gate, is_open in gates.items() if is_open] == ["reservedCapacity"]


@pytest.mark.feature("A1-23")
@pytest.mark.parametrize(
    ("config", "args", "gate"),
    [
        ({"spot_to_spot_consolidation": True}, {}, "spotToSpotConsolidation"),
        ({"node_repair": True}, {}, "nodeRepair"),
        ({}, {"static_capacity": True}, "staticCapacity"),
        ({}, {"capacity_buffers": True}, "capacityBuffer"),
    ],
)
def test_a_gate_is_open_where_something_behind_it_is_asked_for(deploy, config, args, gate):
    built = deploy(lambda: controller(config, **args))

    gates = values(built)["settings"]["featureGates"]
    assert {name for name, is_open in gates.items() if is_open} == {"reservedCapacity", gate}


def test_the_pods_are_as_many_and_as_large_as_asked_for(deploy):
    built = deploy(lambda: controller({"cpu": 2, "memory": "4Gi"}, nodes=1, isolated=True))

    size = {"cpu": "2", "memory": "4Gi"}
    assert values(built)["replicas"] == 1
    assert values(built)["controller"]["resources"] == {"requests": size, "limits": size}
    assert values(built)["settings"]["isolatedVPC"] is True


@pytest.mark.parametrize("replicas", [0, 4])
def test_the_controller_is_never_without_a_pod(replicas):
    with pytest.raises(ValidationError):
        ControllerConfig(replicas=replicas)


@pytest.mark.behaviour("crd-not-established-yet")
@pytest.mark.feature("B-37")
def test_the_crds_are_a_release_of_their_own_made_before_the_controller_s(once):
    built = once(on_fargate)

    crds, release = built.named(RELEASE, "karpenter-crd"), built.named(RELEASE, "karpenter")
    assert crds.inputs["chart"] == "oci://public.ecr.aws/karpenter/karpenter-crd"
    assert release.inputs["chart"] == "oci://public.ecr.aws/karpenter/karpenter"
    assert crds.inputs["version"] == release.inputs["version"] == versions.KARPENTER
    assert release.inputs["skipCrds"] is True
    assert built.waits_for(release, crds)
    assert not built.waits_for(crds, release)


@pytest.mark.feature("A2-15", "B-37")
def test_one_version_counts_for_both_charts(deploy):
    built = deploy(lambda: controller(version="1.14.0"))

    assert {each.inputs["version"] for each in built.every(RELEASE)} == {"1.14.0"}


def test_charts_can_come_from_a_mirror(deploy):
    built = deploy(lambda: controller(charts=ChartSource(mirror="oci://example.com/mirror/")))

    assert {each.inputs["chart"] for each in built.every(RELEASE)} == {
        "oci://example.com/mirror/karpenter",
        "oci://example.com/mirror/karpenter-crd",
    }


def test_the_controller_starts_when_all_it_reads_is_there(once):
    built = once(on_fargate)

    release = built.named(RELEASE, "karpenter")
    kinds = [
        "aws:cloudwatch/eventTarget:EventTarget",
        "aws:sqs/queuePolicy:QueuePolicy",
        ATTACHMENT,
        ENTRY,
        NAMESPACE,
        FLOWS,
    ]
    needed = [each for kind in kinds for each in built.every(kind)]
    needed.append(built.named("aws:sqs/queue:Queue", "home"))
    assert [each.urn for each in needed if not built.waits_for(release, each)] == []


def test_helm_waits_long_enough_for_a_pod_on_fargate_and_fails_if_none_comes(once):
    release = once(on_fargate).named(RELEASE, "karpenter").inputs

    assert release["timeout"] == 2 * 300  # twice Helm's own
    assert not release.get("skipAwait")


def test_the_api_server_hears_it_before_workloads(once):
    built = once(on_fargate)

    levels = {
        flow.inputs["metadata"]["name"]: (
            flow.inputs["spec"]["priorityLevelConfiguration"]["name"],
            flow.inputs["spec"]["matchingPrecedence"],
        )
        for flow in built.every(FLOWS)
    }
    assert levels == {
        "karpenter-leader-election": ("leader-election", 200),
        "karpenter-workload": ("workload-high", 1000),
    }
    for flow in built.every(FLOWS):
        (rule,) = flow.inputs["spec"]["rules"]
        account = {"name": "karpenter", "namespace": "karpenter"}
        assert rule["subjects"] == [{"kind": "ServiceAccount", "serviceAccount": account}]


def test_kube_system_has_its_namespace_and_priority_already(deploy):
    built = deploy(lambda: controller(namespace="kube-system"))

    assert built.every(NAMESPACE) + built.every(FLOWS) == []
    assert {each.inputs["namespace"] for each in built.every(RELEASE)} == {"kube-system"}


def test_the_labels_by_which_fargate_takes_its_pods_are_those_of_the_chart():
    """Release name and chart name, as the chart's helper templates print them."""
    assert POD_LABELS == {
        "app.kubernetes.io/name": "karpenter",
        "app.kubernetes.io/instance": "karpenter",
    }


@pytest.mark.feature("A2-15")
def test_the_pinned_version_is_an_exact_number():
    assert re.fullmatch(r"\d+\.\d+\.\d+", versions.KARPENTER)


def test_a_preview_shows_all_of_it(once):
    assert once(on_fargate, preview=True).tree() == once(on_fargate).tree()
