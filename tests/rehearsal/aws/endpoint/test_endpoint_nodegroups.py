import pytest

from tests.rehearsal.aws.endpoint.conftest import REGION, refused


def create(aws, **changes):
    arguments = {
        "nodeRole": aws.role("ec2.amazonaws.com"),
        "subnets": aws.subnets,
        "scalingConfig": {"minSize": 1, "maxSize": 4, "desiredSize": 3},
        "instanceTypes": ["m6g.large"],
        "amiType": "AL2023_ARM_64_STANDARD",
        **changes,
    }
    aws.eks.create_nodegroup(clusterName="demo", nodegroupName="base", **arguments)
    return describe(aws)


def describe(aws):
    return aws.eks.describe_nodegroup(clusterName="demo", nodegroupName="base")["nodegroup"]


def group_of(aws, nodegroup):
    (resources,) = nodegroup["resources"]["autoScalingGroups"]
    found = aws.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[resources["name"]]
    )
    return found["AutoScalingGroups"][0]


def test_a_node_group_is_nodes_in_all_zones(aws):
    aws.create_cluster()
    taint = {"key": "base", "value": "true", "effect": "NO_SCHEDULE"}

    nodegroup = create(aws, labels={"lifecycle": "OnDemand"}, taints=[taint])

    assert nodegroup["status"] == "ACTIVE"
    nodes = aws.kubernetes.named("Node").values()
    labels = [node["metadata"]["labels"] for node in nodes]
    assert {one["topology.kubernetes.io/zone"] for one in labels} == {
        f"{REGION}{zone}" for zone in "abc"
    }
    for node, one in zip(nodes, labels, strict=True):
        assert one["lifecycle"] == "OnDemand"
        assert one["eks.amazonaws.com/capacityType"] == "ON_DEMAND"
        assert one["kubernetes.io/arch"] == "arm64"
        assert node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}
        assert "kwok.x-k8s.io/node" not in one
        assert node["spec"]["taints"] == [{**taint, "effect": "NoSchedule"}]
        assert node["spec"]["providerID"].startswith(
            f"aws:///{one['topology.kubernetes.io/zone']}/i-"
        )
        assert node["status"]["capacity"]["cpu"] == "2"
        assert node["status"]["capacity"]["pods"] == "29"


def test_nodes_are_instances_of_an_auto_scaling_group(aws):
    aws.create_cluster()
    group = group_of(aws, create(aws))

    ids = [one["InstanceId"] for one in group["Instances"]]

    assert (group["MinSize"], group["MaxSize"], group["DesiredCapacity"]) == (1, 4, 3)
    providers = [node["spec"]["providerID"] for node in aws.kubernetes.named("Node").values()]
    assert sorted(p.rpartition("/")[2] for p in providers) == sorted(ids)


def test_nodes_follow_an_update_of_the_size(aws):
    aws.create_cluster()
    create(aws)

    for desired in (1, 4):
        aws.eks.update_nodegroup_config(
            clusterName="demo", nodegroupName="base", scalingConfig={"desiredSize": desired}
        )
        assert describe(aws)["scalingConfig"]["desiredSize"] == desired
        assert len(aws.kubernetes.named("Node")) == desired


def test_nodes_follow_their_group_when_somebody_else_resizes_it(aws):
    aws.create_cluster()
    group = group_of(aws, create(aws))

    aws.client("autoscaling").set_desired_capacity(
        AutoScalingGroupName=group["AutoScalingGroupName"], DesiredCapacity=1
    )
    describe(aws)

    assert len(aws.kubernetes.named("Node")) == 1


def test_deleting_a_node_group_leaves_no_node_instance_or_group(aws):
    aws.create_cluster()
    group = group_of(aws, create(aws))
    pod = {"kind": "Pod", "metadata": {"name": "p", "namespace": "a"}, "spec": {}}
    pod["spec"]["nodeName"] = next(iter(aws.kubernetes.named("Node")))
    aws.kubernetes.apply([pod])
    assert refused(lambda: aws.eks.delete_cluster(name="demo")).endswith("attached: ['base']")

    aws.eks.delete_nodegroup(clusterName="demo", nodegroupName="base")

    assert aws.eks.list_nodegroups(clusterName="demo")["nodegroups"] == []
    assert aws.kubernetes.named("Node") == {}
    assert aws.kubernetes.named("Pod") == {}
    assert aws.kubernetes.grace == 0
    ids = [one["InstanceId"] for one in group["Instances"]]
    ended = aws.client("ec2").describe_instances(InstanceIds=ids)["Reservations"]
    assert {i["State"]["Name"] for r in ended for i in r["Instances"]} == {"terminated"}
    found = aws.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[group["AutoScalingGroupName"]]
    )
    assert found["AutoScalingGroups"] == []
    aws.eks.delete_cluster(name="demo")
    aws.eks.list_clusters()
    name = [{"Name": "vpc-id", "Values": [aws.vpc]}]
    left = aws.client("ec2").describe_security_groups(Filters=name)["SecurityGroups"]
    assert [group["GroupName"] for group in left] == ["default"]


def test_eks_makes_the_access_entry_of_the_node_role(aws):
    aws.create_cluster()
    role = create(aws)["nodeRole"]

    entry = aws.eks.describe_access_entry(clusterName="demo", principalArn=role)["accessEntry"]

    assert entry["type"] == "EC2_LINUX"


def test_labels_and_taints_are_changed_one_by_one(aws):
    aws.create_cluster()
    gone = {"key": "a", "value": "1", "effect": "NO_SCHEDULE"}
    create(aws, labels={"keep": "1", "drop": "1"}, taints=[gone])

    aws.eks.update_nodegroup_config(
        clusterName="demo",
        nodegroupName="base",
        labels={"addOrUpdateLabels": {"new": "1"}, "removeLabels": ["drop"]},
        taints={"removeTaints": [gone]},
    )

    nodegroup = describe(aws)
    assert nodegroup["labels"] == {"keep": "1", "new": "1"}
    assert nodegroup["taints"] == []
    for node in aws.kubernetes.named("Node").values():
        assert node["metadata"]["labels"]["new"] == "1"
        assert node["spec"]["taints"] == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"instanceTypes": ["m99.large"]}, "[m99.large] is not a valid instance type in"),
        ({"instanceTypes": ["m6i.large"]}, "are not supported by amiType AL2023_ARM_64_STANDARD"),
        ({"scalingConfig": {"minSize": 3, "maxSize": 2}}, "desiredSize must lie between"),
        ({"version": "1.33"}, "Nodegroup Kubernetes version 1.33 must be the cluster's, 1.34"),
        ({"capacityType": "CHEAP"}, "Value 'CHEAP' at 'capacityType'"),
        ({"launchTemplate": {"id": "lt-0"}, "instanceTypes": []}, "does not exist"),
    ],
)
def test_a_node_group_that_aws_would_refuse_is_refused(aws, changes, problem):
    aws.create_cluster()

    assert problem in refused(lambda: create(aws, **changes))
    assert aws.eks.list_nodegroups(clusterName="demo")["nodegroups"] == []


def test_a_node_role_must_trust_ec2(aws):
    aws.create_cluster()
    role = aws.role("eks.amazonaws.com")

    assert refused(lambda: create(aws, nodeRole=role)).endswith("must trust ec2.amazonaws.com")


def image_of(aws, nodegroup):
    group = group_of(aws, nodegroup)
    (described,) = aws.client("ec2").describe_instances(
        InstanceIds=[group["Instances"][0]["InstanceId"]]
    )["Reservations"]
    ami = described["Instances"][0]["ImageId"]
    return aws.client("ec2").describe_images(ImageIds=[ami])["Images"][0]["Name"]


def test_nodes_start_from_the_release_that_is_pinned(aws):
    aws.create_cluster()

    nodegroup = create(aws, releaseVersion="1.34.10-20260903")

    assert nodegroup["releaseVersion"] == "1.34.10-20260903"
    assert image_of(aws, nodegroup) == "amazon-eks-node-al2023-arm64-standard-1.34-v20260903"


@pytest.mark.feature("B-34")
@pytest.mark.parametrize(
    "release",
    [
        "1.34.0-20261101",  # a Sunday
        "1.34.0-20260903",  # the patch of that day was 10
        "1.35.8-20260930",  # of another minor
        "1.66.0-1ad6b4a4",  # of another family
    ],
)
def test_a_release_that_was_never_published_is_refused(aws, release):
    aws.create_cluster()
    told = f"Requested release version {release} is not valid for kubernetes version 1.34"

    assert told in refused(lambda: create(aws, releaseVersion=release))
    create(aws)
    update = {"clusterName": "demo", "nodegroupName": "base", "releaseVersion": release}
    assert told in refused(lambda: aws.eks.update_nodegroup_version(**update))
