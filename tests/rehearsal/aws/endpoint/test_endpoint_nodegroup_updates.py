"""What EKS does with a new version, release or launch template of a managed node group."""

import base64

import pytest

from tests.rehearsal.aws.endpoint.conftest import refused

GROUP = {"clusterName": "demo", "nodegroupName": "base"}
OLD, NEWER = "1.35.8-20260917", "1.35.8-20260923"
RECOMMENDED = (
    "/aws/service/eks/optimized-ami/{minor}/amazon-linux-2023/arm64/standard/recommended"
    "/release_version"
)


def create(aws, version="1.35", **changes):
    aws.create_cluster(version=version)
    arguments = {
        "nodeRole": aws.role("ec2.amazonaws.com"),
        "subnets": aws.subnets,
        "scalingConfig": {"minSize": 1, "maxSize": 4, "desiredSize": 3},
        "instanceTypes": ["m6g.large"],
        "amiType": "AL2023_ARM_64_STANDARD",
        "releaseVersion": OLD,
        "launchTemplate": {"id": template(aws), "version": "1"},
        **changes,
    }
    aws.eks.create_nodegroup(**GROUP, **arguments)
    return describe(aws)


def template(aws):
    ec2 = aws.client("ec2")
    made = ec2.create_launch_template(
        LaunchTemplateName=f"of-{aws.vpc}",
        LaunchTemplateData={"UserData": base64.b64encode(b"1").decode()},
    )["LaunchTemplate"]["LaunchTemplateId"]
    data = {"UserData": base64.b64encode(b"2").decode()}
    ec2.create_launch_template_version(LaunchTemplateId=made, LaunchTemplateData=data)
    return made


def describe(aws):
    return aws.eks.describe_nodegroup(**GROUP)["nodegroup"]


def latest(aws, minor):
    name = RECOMMENDED.format(minor=minor)
    return aws.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]


def update(aws, **changes):
    """Begin an update; what DescribeUpdate tells when nothing is under way any more."""
    begun = aws.eks.update_nodegroup_version(**GROUP, **changes)["update"]
    for _ in range(10):
        aws.eks.list_clusters()
    found = aws.eks.describe_update(name="demo", nodegroupName="base", updateId=begun["id"])
    return found["update"]


def upgrade(aws, version="1.36"):
    aws.eks.update_cluster_version(name="demo", version=version)
    aws.eks.list_clusters()


def test_a_new_template_without_a_release_brings_the_latest_release(aws):
    made = create(aws)
    chosen = {"id": made["launchTemplate"]["id"], "version": "2"}

    assert update(aws, launchTemplate=chosen)["status"] == "Successful"
    assert describe(aws)["launchTemplate"] == chosen
    assert describe(aws)["releaseVersion"] == latest(aws, "1.35") != OLD


def test_a_release_that_is_given_stays_with_the_new_template(aws):
    chosen = {"id": create(aws)["launchTemplate"]["id"], "version": "2"}
    update(aws, launchTemplate=chosen, releaseVersion=NEWER)

    assert describe(aws)["releaseVersion"] == NEWER


def test_there_is_no_way_back_to_an_older_release(aws):
    create(aws, releaseVersion=NEWER)

    told = refused(lambda: aws.eks.update_nodegroup_version(**GROUP, releaseVersion=OLD))
    assert told.startswith("InvalidParameterException: Requested release version")
    assert describe(aws)["releaseVersion"] == NEWER


def test_a_group_stays_at_its_minor_until_its_version_is_given(aws):
    create(aws, "1.34", releaseVersion="1.34.4-20260224")
    upgrade(aws, "1.35")

    told = refused(lambda: aws.eks.update_nodegroup_version(**GROUP, releaseVersion=OLD))
    assert told.endswith(
        f"Requested release version {OLD} is not valid for kubernetes version 1.34."
    )
    assert describe(aws)["version"] == "1.34"
    assert update(aws, version="1.35", releaseVersion=OLD)["status"] == "Successful"
    assert (describe(aws)["version"], describe(aws)["releaseVersion"]) == ("1.35", OLD)


def test_a_version_without_a_release_brings_the_latest_of_that_version(aws):
    create(aws, "1.34", releaseVersion="1.34.4-20260224")
    upgrade(aws, "1.35")
    update(aws, version="1.35")

    assert describe(aws)["releaseVersion"] == latest(aws, "1.35")


def test_a_version_that_is_not_the_cluster_s_is_refused(aws):
    create(aws)

    assert refused(lambda: aws.eks.update_nodegroup_version(**GROUP, version="1.36")).endswith(
        "should be equal to Cluster kubernetes version 1.35 or NodeGroup kubernetes version 1.35"
    )


def test_a_group_keeps_the_template_that_it_was_made_with(aws):
    create(aws)
    other = aws.client("ec2").create_launch_template(
        LaunchTemplateName="another", LaunchTemplateData={"EbsOptimized": True}
    )["LaunchTemplate"]["LaunchTemplateId"]
    change = {"launchTemplate": {"id": other, "version": "1"}}

    told = refused(lambda: aws.eks.update_nodegroup_version(**GROUP, **change))
    assert "must be the one that the node group was made with" in told
    aws.client("ec2").delete_launch_template(LaunchTemplateId=other)


@pytest.mark.behaviour("mng-update-one-at-a-time")
def test_a_second_update_has_to_wait_for_the_first(aws):
    create(aws)
    aws.eks_state.moment = 60
    aws.eks.update_nodegroup_config(**GROUP, labels={"addOrUpdateLabels": {"new": "1"}})

    told = refused(lambda: aws.eks.update_nodegroup_version(**GROUP, releaseVersion=NEWER))
    assert told.startswith("ResourceInUseException: Nodegroup cannot be updated as it is currently")


def pod_on(aws, node, name="p", **metadata):
    pod = {"kind": "Pod", "metadata": {"name": name, "namespace": "a", **metadata}, "spec": {}}
    pod["spec"]["nodeName"] = node
    aws.kubernetes.apply([pod])


def test_new_nodes_are_there_before_the_old_ones_are_drained_and_end(aws):
    create(aws)
    before = set(aws.kubernetes.named("Node"))
    pod_on(aws, min(before))
    aws.eks_state.moment = 60

    aws.eks.update_nodegroup_version(**GROUP, releaseVersion=NEWER)

    both = aws.kubernetes.named("Node")
    assert before < both.keys()
    assert len(both) == 2 * len(before)
    assert {name for name, node in both.items() if node["spec"].get("unschedulable")} == before
    aws.eks_state.clusters["demo"].nodegroups["base"].transition.not_before = 0
    for _ in before:
        aws.eks.list_clusters()
    assert set(aws.kubernetes.named("Node")) == both.keys() - before
    assert aws.kubernetes.named("Pod") == {}


@pytest.mark.behaviour("mng-pod-eviction-failure")
@pytest.mark.parametrize("force", [False, True])
def test_a_pod_that_cannot_be_evicted_fails_the_update_unless_it_is_forced(aws, force):
    create(aws)
    before = set(aws.kubernetes.named("Node"))
    pod_on(aws, max(before), "guarded")
    pod_on(aws, max(before), "agent", ownerReferences=[{"kind": "DaemonSet", "name": "agents"}])
    aws.kubernetes.guarded.add("guarded")
    aws.eks_state.drain_seconds = 0

    ended = update(aws, releaseVersion=NEWER, force=force)

    after = set(aws.kubernetes.named("Node"))
    assert len(after) == len(before)
    assert describe(aws)["status"] == "ACTIVE"
    if force:
        assert (ended["status"], describe(aws)["releaseVersion"]) == ("Successful", NEWER)
        assert not after & before
        return
    assert (ended["status"], describe(aws)["releaseVersion"]) == ("Failed", OLD)
    (error,) = ended["errors"]
    assert error["errorCode"] == "PodEvictionFailure"
    assert error["errorMessage"].endswith("trying to evict pods from nodes in node group base")
    assert max(before) in after
    assert "guarded" in aws.kubernetes.named("Pod")
    assert not any(n["spec"].get("unschedulable") for n in aws.kubernetes.named("Node").values())


def test_eks_tells_the_size_that_somebody_else_asked_for(aws):
    (group,) = create(aws)["resources"]["autoScalingGroups"]

    aws.client("autoscaling").set_desired_capacity(
        AutoScalingGroupName=group["name"], DesiredCapacity=2
    )

    assert describe(aws)["scalingConfig"]["desiredSize"] == 2  # noqa: PLR2004
