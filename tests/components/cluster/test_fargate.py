import json

import pytest
from pydantic import ValidationError

import stack_config
from components.cluster.fargate import FargateProfiles, FargateProfilesArgs, in_order
from components.cluster.fargate_config import FargateConfig
from components.location import Location
from tests.cluster_refs import cluster_ref

LOCATION = Location(region="eu-west-1", account="111122223333")
PROFILE = "aws:eks/fargateProfile:FargateProfile"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
POLICY = "aws:iam/rolePolicy:RolePolicy"
LOGS = "aws:cloudwatch/logGroup:LogGroup"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
NAMESPACE = "kubernetes:core/v1:Namespace"
GROUP = "/aws/eks/dev/fargate"


def groups_there(*names):
    return {"aws:cloudwatch/getLogGroups:getLogGroups": lambda _: {"logGroupNames": names}}


def profiles(config, *, first=None, location=LOCATION):
    args = FargateProfilesArgs(
        config=FargateConfig.model_validate(config),
        first=first,
        cluster=cluster_ref(location=location),
        subnet_ids=["subnet-a", "subnet-b"],
    )
    return FargateProfiles("pods", args)


def without_logs():
    batch = {"namespace": "batch", "labels": {"parallel": "true", "size": "large"}}
    second = {"namespace": "experiments"}
    names = {
        "batch": [batch, second],
        "karpenter": [{"namespace": "karpenter"}],
        "system": [{"namespace": "kube-system"}],
    }
    profiles({"profiles": names}, first="karpenter")


def with_logs():
    profiles({"profiles": {"system": [{"namespace": "kube-system"}]}, "logs": {"retentionDays": 7}})


@pytest.mark.feature("A2-02", "A2-05")
def test_a_profile_is_its_subnets_namespaces_and_labels(once):
    built = once(without_logs)

    # No name: Pulumi's own has an end of its own, so that a new profile stands beside the old one.
    def profile(*selectors):
        return {
            "clusterName": "dev",
            "podExecutionRoleArn": "arn:aws:iam::111122223333:role/pods-role",
            "subnetIds": ["subnet-a", "subnet-b"],
            "selectors": list(selectors),
        }

    labels = {"parallel": "true", "size": "large"}
    assert {each.request.name: each.inputs for each in built.every(PROFILE)} == {
        "pods-batch": profile(
            {"namespace": "batch", "labels": labels}, {"namespace": "experiments"}
        ),
        "pods-karpenter": profile({"namespace": "karpenter"}),
        "pods-system": profile({"namespace": "kube-system"}),
    }


@pytest.mark.feature("A2-29", "A2-30", "A2-02")
def test_the_shipped_stack_selects_the_namespaces_of_karpenter_and_of_the_system(platform):
    built = platform()

    subnets = [f"network-private-{number}-id" for number in (1, 2, 3)]
    given = {each.request.name: each.inputs for each in built.every(PROFILE)}
    assert {name: profile["selectors"] for name, profile in given.items()} == {
        "fargate-karpenter": [{"namespace": "karpenter"}],
        "fargate-kube-system": [{"namespace": "kube-system"}],
    }
    assert [profile["subnetIds"] for profile in given.values()] == [subnets, subnets]


@pytest.mark.feature("A2-05")
def test_further_profiles_of_the_stack_file_are_made_as_it_says(another):
    profile = another.named(PROFILE, "fargate-batch").inputs

    assert profile["selectors"] == [{"namespace": "batch-*", "labels": {"parallel": "true"}}]


@pytest.mark.feature("B-23")
def test_profiles_are_made_and_deleted_one_at_a_time_the_first_being_waited_for(once):
    built = once(without_logs)

    order = [built.named(PROFILE, f"pods-{name}") for name in ("karpenter", "batch", "system")]
    waits = [[built.waits_for(one, two) for two in order] for one in order]
    assert waits == [[False, False, False], [True, False, False], [True, True, False]]


@pytest.mark.feature("B-23")
def test_karpenter_waits_for_its_own_profile_and_for_no_other(another):
    release = another.named("kubernetes:helm.sh/v3:Release", "karpenter")

    waits = {
        name: another.waits_for(release, another.named(PROFILE, f"fargate-{name}"))
        for name in ("karpenter", "batch", "dns")
    }
    assert waits == {"karpenter": True, "batch": False, "dns": False}


@pytest.mark.parametrize(
    ("first", "order"),
    [(None, ["b", "a", "c"]), ("c", ["c", "b", "a"]), ("b", ["b", "a", "c"])],
)
def test_the_order_is_the_stack_file_s_but_for_the_first(first, order):
    assert in_order(["b", "a", "c"], first=first) == order


@pytest.mark.feature("B-22")
def test_only_profiles_of_this_cluster_may_use_the_pod_execution_role(once):
    built = once(without_logs)

    assert json.loads(built.one(ROLE).inputs["assumeRolePolicy"]) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "eks-fargate-pods.amazonaws.com"},
                "Action": "sts:AssumeRole",
                "Condition": {
                    "ArnLike": {
                        "aws:SourceArn": "arn:aws:eks:eu-west-1:111122223333:fargateprofile/dev/*"
                    }
                },
            }
        ],
    }


def test_the_pod_execution_role_may_fetch_images_and_nothing_of_its_own(once):
    built = once(without_logs)

    assert built.one(ATTACHMENT).inputs == {
        "role": "pods-role",
        "policyArn": "arn:aws:iam::aws:policy/AmazonEKSFargatePodExecutionRolePolicy",
    }
    assert built.every(POLICY) == []
    waiting = [built.waits_for(each, built.one(ATTACHMENT)) for each in built.every(PROFILE)]
    assert waiting == [True, True, True]


@pytest.mark.feature("B-22")
def test_in_china_the_arns_are_of_its_partition(deploy):
    china = Location(region="cn-north-1", account="111122223333")
    config = {"profiles": {"system": [{"namespace": "kube-system"}]}}
    built = deploy(lambda: profiles(config, location=china))

    source = "arn:aws-cn:eks:cn-north-1:111122223333:fargateprofile/dev/*"
    assert source in built.one(ROLE).inputs["assumeRolePolicy"]
    arn = "arn:aws-cn:iam::aws:policy/AmazonEKSFargatePodExecutionRolePolicy"
    assert built.one(ATTACHMENT).inputs["policyArn"] == arn


@pytest.mark.feature("B-24")
def test_logs_are_off_unless_they_are_asked_for(once):
    kinds = {declared.request.type for declared in once(without_logs).declared}

    assert not kinds & {LOGS, POLICY, CONFIG_MAP, NAMESPACE}


@pytest.mark.feature("B-24")
def test_logs_go_to_one_group_which_the_pods_may_write_to_and_not_make(once):
    built = once(with_logs, groups_there())

    assert built.one(LOGS).inputs == {"name": GROUP, "retentionInDays": 7}
    group = f"arn:aws:logs:eu-west-1:111122223333:log-group:{GROUP}"
    assert json.loads(built.one(POLICY).inputs["policy"]) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "WriteLogsOfFargatePods",
                "Effect": "Allow",
                "Action": ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
                "Resource": [group, f"{group}:*"],
            }
        ],
    }


@pytest.mark.feature("B-24")
@pytest.mark.behaviour("log-group-already-exists")
@pytest.mark.parametrize(
    ("there", "adopted"),
    [([GROUP, f"{GROUP}-logs"], GROUP), ([f"{GROUP}-logs"], ""), ([], "")],
)
def test_a_log_group_of_that_very_name_is_adopted(deploy, there, adopted):
    found = groups_there(*there)
    built = [deploy(with_logs, found, preview=preview) for preview in (True, False)]

    assert [each.one(LOGS).request.importId for each in built] == [adopted, adopted]


@pytest.mark.feature("B-24")
def test_eks_finds_the_log_settings_where_it_looks_for_them(once):
    built = once(with_logs, groups_there())

    namespace, settings = built.one(NAMESPACE).inputs, built.one(CONFIG_MAP).inputs
    assert namespace["metadata"] == {
        "name": "aws-observability",
        "labels": {"aws-observability": "enabled"},
    }
    assert settings["metadata"] == {"name": "aws-logging", "namespace": "aws-observability"}
    assert settings["data"] == {
        "flb_log_cw": "false",
        "output.conf": (
            "[OUTPUT]\n"
            "    Name cloudwatch_logs\n"
            "    Match *\n"
            "    region eu-west-1\n"
            f"    log_group_name {GROUP}\n"
            "    log_stream_prefix fargate-\n"
            "    auto_create_group false\n"
        ),
    }


@pytest.mark.feature("B-24")
def test_log_settings_rights_and_group_are_there_before_the_first_pod(once, another):
    built = once(with_logs, groups_there())

    needs = [built.one(kind) for kind in (CONFIG_MAP, NAMESPACE, POLICY, LOGS)]
    assert all(built.waits_for(built.one(PROFILE), need) for need in needs)
    # In a platform the settings go into the cluster that the stack made.
    provider = another.one("pulumi:providers:kubernetes")
    assert another.one(CONFIG_MAP).request.provider.startswith(provider.urn)


@pytest.mark.feature("B-24")
def test_pods_of_every_profile_may_write_to_where_the_settings_send_their_logs(another):
    group = "/aws/eks/seoul/fargate"

    (sent,) = [
        dict(line.split() for line in each.inputs["data"]["output.conf"].splitlines()[1:])
        for each in another.every(CONFIG_MAP)
    ]
    assert (sent["region"], sent["log_group_name"]) == ("ap-northeast-2", group)
    assert another.named(LOGS, "fargate-logs").inputs["name"] == group
    (writing,) = [each.inputs for each in another.every(POLICY) if group in each.inputs["policy"]]
    used = {each.inputs["podExecutionRoleArn"] for each in another.every(PROFILE)}
    assert used == {f"arn:aws:iam::111122223333:role/{writing['role']}"}


@pytest.mark.parametrize("program", [without_logs, with_logs])
def test_a_preview_shows_what_an_update_makes(once, program):
    found = groups_there()
    preview, update = once(program, found, preview=True), once(program, found)

    assert preview.tree() == update.tree()
    assert {each.request.name: each.inputs["selectors"] for each in preview.every(PROFILE)} == {
        each.request.name: each.inputs["selectors"] for each in update.every(PROFILE)
    }


@pytest.mark.feature("A2-02")
@pytest.mark.parametrize(
    ("selector", "namespace", "labels", "taken"),
    [
        ({"namespace": "batch"}, "batch", {}, True),
        ({"namespace": "batch"}, "batch-2", {}, False),
        ({"namespace": "batch"}, "batch", {"any": "thing"}, True),
        ({"namespace": "batch-?"}, "batch-2", {}, True),
        ({"namespace": "batch-?"}, "batch-22", {}, False),
        ({"namespace": "kube-*"}, "kube-system", {}, True),
        ({"namespace": "a", "labels": {"x": "1", "y": "2"}}, "a", {"x": "1", "y": "2"}, True),
        ({"namespace": "a", "labels": {"x": "1", "y": "2"}}, "a", {"x": "1"}, False),
        ({"namespace": "a", "labels": {"x": "1"}}, "a", {"x": "2"}, False),
        ({"namespace": "a", "labels": {"x*": "1?"}}, "a", {"xy": "12"}, True),
        ({"namespace": "a", "labels": {"x*": "1?"}}, "a", {"xy": "1"}, False),
    ],
)
def test_a_pod_is_taken_by_the_profile_that_selects_its_namespace_and_all_labels(
    selector, namespace, labels, taken
):
    none = {"namespace": "nobody"}
    config = FargateConfig.model_validate({"profiles": {"other": [none], "it": [none, selector]}})

    assert config.profile_of(namespace, labels) == ("it" if taken else None)


def test_coredns_is_known_to_run_on_fargate_where_a_wildcard_takes_it(stack_file):
    shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}
    shipped["fargate"] = {"profiles": {"all": [{"namespace": "k*"}]}}

    config = stack_config.parsed(shipped)
    assert (config.coredns_profile, config.karpenter_profile) == ("all", "all")


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (
            {"eks-mine": [{"namespace": "a"}]},
            "profiles.eks-mine: EKS keeps names that begin with eks-: rename it",
        ),
        ({"mine": []}, "profiles.mine: selects nothing: give one to five selectors"),
        (
            {"mine": [{"namespace": "a"}] * 6},
            "Tuple should have at most 5 items after validation, not 6",
        ),
        ({}, "Dictionary should have at least 1 item after validation, not 0"),
    ],
)
def test_profiles_that_eks_would_not_make_are_refused(names, problem):
    with pytest.raises(ValidationError) as refused:
        FargateConfig.model_validate({"profiles": names})

    assert [error["msg"] for error in refused.value.errors()] == [problem]
