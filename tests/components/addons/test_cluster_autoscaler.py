import json
import re

import pulumi
import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components import versions
from components.addons.cluster_autoscaler import component as addon
from components.addons.cluster_autoscaler.config import ClusterAutoscalerConfig
from components.addons.cluster_autoscaler.policy import iam_policy
from components.kubernetes.charts import ChartSource
from components.location import Location
from components.nodes.spot_tags import discovery_tags
from components.placement import RunsOn
from tests.cluster_refs import given
from tests.policies import allowed

OIDC = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
LOCATION = Location(region="eu-west-1", account="111122223333")
SPOT = {"name": "ng-spot", "min": 2, "max": 5}
BASE = {"name": "ng-base", "min": 0, "max": 1}
FREE = {
    "scale-down-utilization-threshold": 0.4,
    "max-nodes-total": 1000000,
    "skip-nodes-with-system-pods": False,
    "balancing-ignore-label_1": "a",
}
ROLE_ARN = "arn:aws:iam::111122223333:role/autoscaler-role"

RELEASE = "kubernetes:helm.sh/v3:Release"
ACCOUNT = "kubernetes:core/v1:ServiceAccount"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
INLINE = "aws:iam/rolePolicy:RolePolicy"


def autoscaler(config=None, **args):
    """A program with the autoscaler, and a queue that stands for its pods' compute."""
    usual = {
        "config": ClusterAutoscalerConfig.model_validate(config or {}),
        "runs_on": RunsOn.NODES,
        "needs": [aws.sqs.Queue("home")],
    }
    return addon.ClusterAutoscaler(
        "autoscaler", given(addon.ClusterAutoscalerArgs, **(usual | args))
    )


def on_nodes():
    autoscaler()


def spot_first():
    autoscaler({"expander": "priority"}, spot_groups=["a.b"])


def own_order():
    own = {"expander": "priority", "priorities": {"7": ["mine"]}}
    autoscaler(own, spot_groups=["a.b"])


def without_an_order():
    autoscaler(spot_groups=["a.b"])


def on_fargate():
    autoscaler({"nodeSelector": {"lifecycle": "OnDemand"}}, runs_on=RunsOn.FARGATE)


def in_every_way():
    config = {
        "replicas": 2,
        "nodeSelector": {"lifecycle": "OnDemand"},
        "groups": [SPOT, BASE],
        "expander": "priority",
        "priorities": {"10": [".*"], "50": [".*spot.*"]},
        "skipNodesWithLocalStorage": True,
        "balanceSimilarNodeGroups": True,
        "scaleDownUnneededTime": "3m",
        "scaleDownDelayAfterAdd": "5m",
        "v": 2,
        "extraArgs": FREE,
    }
    charts = ChartSource(mirror="oci://example.com/charts", images="example.com/images")
    autoscaler(config, charts=charts, isolated=True)


def values(built):
    return built.one(RELEASE).inputs["values"]


def flags(built):
    return values(built)["extraArgs"]


def refused(config):
    """The paths of the mistakes, with what is said of each."""
    with pytest.raises(ValidationError) as error:
        ClusterAutoscalerConfig.model_validate(config)
    return [
        (".".join(filter(None, (*map(str, one["loc"]), mistake.path))), mistake.problem)
        for one in error.value.errors()
        for mistake in one["ctx"]["mistakes"]
    ]


@pytest.mark.feature("A3-03")
def test_it_may_scale_the_groups_of_its_cluster_and_no_other():
    china = Location(region="cn-north-1", account="111122223333")
    rights = allowed(iam_policy(location=china, cluster="dev"))

    groups = ("AutoScalingGroups", "AutoScalingInstances", "LaunchConfigurations")
    machines = ("Images", "InstanceTypes", "LaunchTemplateVersions")
    assert {action for action, resource in rights if resource == "*"} == {
        *(f"autoscaling:Describe{noun}" for noun in (*groups, "ScalingActivities")),
        *(f"ec2:Describe{noun}" for noun in machines),
        "ec2:GetInstanceTypesFromInstanceRequirements",
    }
    arn = "arn:aws-cn:{}:cn-north-1:111122223333:{}".format
    group = arn("autoscaling", "autoScalingGroup:*:autoScalingGroupName/*")
    tag = "aws:ResourceTag/k8s.io/cluster-autoscaler"
    own = {"StringEquals": {f"{tag}/enabled": "true", f"{tag}/dev": "owned"}}
    assert {right: condition for right, condition in rights.items() if right[1] != "*"} == {
        ("eks:DescribeNodegroup", arn("eks", "nodegroup/dev/*/*")): None,
        ("autoscaling:SetDesiredCapacity", group): own,
        ("autoscaling:TerminateInstanceInAutoScalingGroup", group): own,
    }


@pytest.mark.feature("A3-03", "A3-07")
def test_with_groups_by_name_it_may_scale_those_and_no_other():
    policy = iam_policy(location=LOCATION, cluster="dev", groups=["ng-spot", "ng-base"])

    scale = policy["Statement"][-1]
    group = "arn:aws:autoscaling:eu-west-1:111122223333:autoScalingGroup:*:autoScalingGroupName"
    assert scale["Resource"] == [f"{group}/ng-spot", f"{group}/ng-base"]
    assert "Condition" not in scale


def test_its_rights_go_by_the_tags_that_the_chart_looks_for(upstream_values):
    searched = upstream_values("cluster-autoscaler")["autoDiscovery"]["tags"]

    ours = "{{ .Values.autoDiscovery.clusterName }}"
    assert list(discovery_tags("dev")) == [tag.replace(ours, "dev") for tag in searched]


@pytest.mark.feature("A3-03", "A3-04")
def test_the_role_has_these_rights_and_reaches_only_its_own_account(once):
    built = once(on_nodes)

    document = json.loads(built.one(INLINE).inputs["policy"])
    assert document == iam_policy(location=LOCATION, cluster="dev")
    bound = built.one(ASSOCIATION).inputs
    assert (bound["clusterName"], bound["namespace"]) == ("dev", "kube-system")
    assert bound["serviceAccount"] == built.one(ACCOUNT).inputs["metadata"]["name"]
    assert bound["roleArn"] == ROLE_ARN
    own = values(built)["rbac"]["serviceAccount"]
    assert own == {"create": False, "name": bound["serviceAccount"]}


@pytest.mark.feature("A3-04")
def test_on_fargate_the_role_comes_by_its_account(once):
    built = once(on_fargate)

    (trust,) = json.loads(built.one("aws:iam/role:Role").inputs["assumeRolePolicy"])["Statement"]
    assert trust["Condition"]["StringEquals"] == {
        f"{OIDC}:aud": "sts.amazonaws.com",
        f"{OIDC}:sub": "system:serviceaccount:kube-system:cluster-autoscaler",
    }
    assert built.one(ACCOUNT).inputs["metadata"]["annotations"] == {
        "eks.amazonaws.com/role-arn": ROLE_ARN
    }
    assert "nodeSelector" not in values(built)
    assert values(built)["resources"]["limits"] == {"cpu": "250m", "memory": "256M"}


@pytest.mark.feature("B-40")
@pytest.mark.parametrize("kubernetes", versions.EKS_ADDONS)
def test_its_image_is_of_the_cluster_s_minor(deploy, kubernetes):
    built = deploy(lambda: autoscaler(version=kubernetes))

    assert values(built)["image"]["tag"].startswith(f"v{kubernetes}.")


@pytest.mark.feature("B-40")
@pytest.mark.parametrize("kubernetes", ["1.32", "1.37"])
def test_a_cluster_of_another_minor_is_refused(deploy, kubernetes):
    with pytest.raises(pulumi.RunError) as error:
        deploy(lambda: autoscaler(version=kubernetes))

    assert str(error.value) == (
        f"clusterAutoscaler: has no image for Kubernetes {kubernetes} of the cluster, only for "
        "1.33 to 1.36: update the cluster, or drop the section"
    )


@pytest.mark.feature("A3-05", "A3-08")
def test_it_finds_the_groups_of_its_cluster_by_tag(once):
    told = values(once(on_nodes))

    assert told["autoDiscovery"] == {"clusterName": "dev"}
    assert "autoscalingGroups" not in told
    assert (told["cloudProvider"], told["awsRegion"]) == ("aws", "eu-west-1")


@pytest.mark.feature("A3-08", "A3-09", "A3-10")
def test_its_flags_are_those_of_the_documents(once):
    assert flags(once(on_nodes)) == {
        "expander": "least-waste",
        "skip-nodes-with-local-storage": False,
        "balance-similar-node-groups": False,
        "scale-down-unneeded-time": "10m",
        "scale-down-delay-after-add": "10m",
        "v": 4,
        "stderrthreshold": "info",
    }


@pytest.mark.feature("A3-07")
def test_groups_can_be_named_instead(once):
    told = values(once(in_every_way))

    assert told["autoscalingGroups"] == [
        {"name": "ng-spot", "minSize": 2, "maxSize": 5},
        {"name": "ng-base", "minSize": 0, "maxSize": 1},
    ]
    assert "autoDiscovery" not in told
    (*_, scale) = json.loads(once(in_every_way).one(INLINE).inputs["policy"])["Statement"]
    assert [arn.rpartition("/")[2] for arn in scale["Resource"]] == ["ng-spot", "ng-base"]


@pytest.mark.feature("A3-10", "A3-11")
def test_each_flag_of_a_key_is_a_setting_and_the_others_are_free(once):
    assert flags(once(in_every_way)) == {
        "expander": "priority",
        "skip-nodes-with-local-storage": True,
        "balance-similar-node-groups": True,
        "scale-down-unneeded-time": "3m",
        "scale-down-delay-after-add": "5m",
        "v": 2,
        "stderrthreshold": "info",
        "aws-use-static-instance-list": "true",
        "scale-down-utilization-threshold": "0.4",
        "max-nodes-total": "1000000",
        "skip-nodes-with-system-pods": "false",
        "balancing-ignore-label_1": "a",
    }


def test_groups_can_be_chosen_by_priority(once):
    told = values(once(in_every_way))

    assert told["expanderPriorities"] == {"10": [".*"], "50": [".*spot.*"]}


@pytest.mark.feature("A3-10")
@pytest.mark.parametrize("expander", ["random", "most-pods", "least-waste"])
def test_another_expander_can_be_chosen(deploy, expander):
    assert flags(deploy(lambda: autoscaler({"expander": expander})))["expander"] == expander


@pytest.mark.feature("A3-10")
@pytest.mark.parametrize("expander", ["least-cost", "price", "", "priority,random"])
def test_an_unknown_expander_is_refused(expander):
    with pytest.raises(ValidationError, match=r"expander\n  Input should be 'least-waste', "):
        ClusterAutoscalerConfig.model_validate({"expander": expander})


@pytest.mark.parametrize("expander", ["least-waste", "random"])
def test_priorities_that_nobody_reads_are_refused(expander):
    assert refused({"expander": expander, "priorities": {"1": [".*"]}}) == [
        (
            "priorities",
            f"is not read where expander is {expander}: choose priority, or drop it",
        )
    ]


@pytest.mark.feature("C-23")
def test_with_the_expander_priority_spot_grows_first_and_on_demand_where_it_cannot():
    priorities = addon.spot_first(["spot-ng-spot", "spot-a.b-1"])

    def first(groups):
        """As upstream chooses: the highest number with a pattern that matches a group."""
        for number in sorted(priorities, reverse=True):
            if found := [g for g in groups if any(re.search(p, g) for p in priorities[number])]:
                return found
        return []

    base = "eks-base-7ac6e5d6"
    assert first([base, "spot-ng-spot"]) == ["spot-ng-spot"]
    # Where EC2 has no spot capacity, the autoscaler leaves that group out for a while.
    assert first([base]) == [base]
    assert first([base, "spot-aXb-1"]) == [base, "spot-aXb-1"]


@pytest.mark.feature("C-23")
@pytest.mark.parametrize(
    ("program", "priorities"),
    [
        (spot_first, {"50": [r"^a\.b$"], "10": [".*"]}),
        (own_order, {"7": ["mine"]}),
        (without_an_order, None),
    ],
)
def test_own_priorities_come_before_those_by_market(once, program, priorities):
    values = once(program).one(RELEASE).inputs["values"]

    assert values.get("expanderPriorities") == priorities


@pytest.mark.parametrize("priorities", [{"0": [".*"]}, {"one": [".*"]}, {"1": []}, {"1": [""]}])
def test_a_priority_is_a_positive_number_with_patterns(priorities):
    with pytest.raises(ValidationError, match="priorities"):
        ClusterAutoscalerConfig.model_validate({"expander": "priority", "priorities": priorities})


@pytest.mark.parametrize(
    ("flag", "key"),
    [
        ("expander", "expander"),
        ("skip-nodes-with-local-storage", "skipNodesWithLocalStorage"),
        ("balance-similar-node-groups", "balanceSimilarNodeGroups"),
        ("scale-down-unneeded-time", "scaleDownUnneededTime"),
        ("scale-down-delay-after-add_2", "scaleDownDelayAfterAdd"),
        ("v", "v"),
        ("nodes_1", "groups"),
        ("node-group-auto-discovery", "groups"),
    ],
)
def test_a_flag_that_has_a_key_is_refused_beside_it(flag, key):
    told = [(f"extraArgs.{flag}", f"has a key of its own: use {key}")]

    assert refused({"extraArgs": {flag: "1"}}) == told
    aliases = {field.alias for field in ClusterAutoscalerConfig.model_fields.values()}
    assert key in aliases


def test_no_flag_of_its_own_keys_is_free(once):
    own = dict.fromkeys(flags(once(in_every_way)).keys() - FREE.keys(), "1")

    assert {path for path, _ in refused({"extraArgs": own})} == {f"extraArgs.{f}" for f in own}


@pytest.mark.parametrize(
    "flag", ["stderrthreshold", "aws-use-static-instance-list", "cloud-provider", "namespace"]
)
def test_a_flag_that_follows_from_the_cluster_is_refused(flag):
    told = [(f"extraArgs.{flag}", "is set by this program: drop it")]

    assert refused({"extraArgs": {flag: "1"}}) == told


@pytest.mark.parametrize("flag", ["--v", "Expander", "_1", "scan interval"])
def test_a_flag_is_written_as_it_is_called(flag):
    with pytest.raises(ValidationError, match="should match pattern"):
        ClusterAutoscalerConfig.model_validate({"extraArgs": {flag: "1"}})


def test_a_group_named_twice_or_with_bounds_that_fall_is_refused():
    assert refused({"groups": [SPOT, BASE, SPOT]}) == [("groups", "names it twice: drop one")]
    assert refused({"groups": [BASE, SPOT | {"min": 6}]}) == [
        ("groups.1.max", "lies below min 6: correct one of them")
    ]


@pytest.mark.parametrize(
    "groups", [[], [SPOT | {"name": "*"}], [SPOT | {"name": "a:b"}], [SPOT | {"max": 0}]]
)
def test_a_list_of_groups_names_some_and_each_means_one(groups):
    with pytest.raises(ValidationError, match="groups"):
        ClusterAutoscalerConfig.model_validate({"groups": groups})


def test_it_can_be_there_without_a_pod_while_its_nodes_are_another_s(deploy):
    assert values(deploy(lambda: autoscaler({"replicas": 0})))["replicaCount"] == 0
    assert ClusterAutoscalerConfig().replicas == 1


def test_its_pods_may_run_where_only_the_restricted_do(once):
    told = values(once(on_nodes))

    pod, container = told["securityContext"], told["containerSecurityContext"]
    assert (pod["runAsNonRoot"], pod["seccompProfile"]) == (True, {"type": "RuntimeDefault"})
    assert pod["runAsUser"] > 0
    assert container["allowPrivilegeEscalation"] is False
    assert container["capabilities"] == {"drop": ["ALL"]}
    assert container["readOnlyRootFilesystem"] is True


def test_it_keeps_no_node_for_itself_and_needs_no_coredns(once):
    told = values(once(on_nodes))

    assert told["podDisruptionBudget"] == {"maxUnavailable": 1}
    assert told["dnsPolicy"] == "Default"


def test_it_comes_after_its_rights_and_its_compute_and_goes_before_them(once):
    built = once(on_nodes)

    release = built.one(RELEASE)
    for needed in ("aws:sqs/queue:Queue", ASSOCIATION, INLINE, ACCOUNT):
        assert built.waits_for(release, built.one(needed))
