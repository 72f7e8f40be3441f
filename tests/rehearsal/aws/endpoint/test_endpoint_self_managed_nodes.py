"""Instances of a program's own groups become nodes, or do not, as on AWS."""

import json

import pytest
import yaml

from tests.rehearsal.aws.endpoint.groups import Groups, mime, node_config

FLAGS = (
    "--node-labels=lifecycle=Ec2Spot,frugal-eks/node-group=ng-spot",
    "--register-with-taints=spotInstance=true:PreferNoSchedule,other:NoExecute",
)


@pytest.fixture
def groups(aws):
    aws.create_cluster()
    made = Groups(aws)
    yield made
    made.clear()


def nodes(groups):
    groups.settle()
    return list(groups.aws.kubernetes.named("Node").values())


def test_an_instance_is_a_node_with_what_its_user_data_say(groups):
    groups.let_in()
    disks = [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30, "VolumeType": "gp3"}}]
    data = {"UserData": mime(node_config("demo", *FLAGS)), "BlockDeviceMappings": disks}

    name = groups.make(1, data=data)

    (node,) = nodes(groups)
    (instance,) = groups.instances(name)
    zone = instance["Placement"]["AvailabilityZone"]
    assert node["metadata"]["name"] == instance["PrivateDnsName"]
    assert node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}
    assert node["spec"]["providerID"] == f"aws:///{zone}/{instance['InstanceId']}"
    assert node["spec"]["taints"] == [
        {"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"},
        {"key": "other", "value": "", "effect": "NoExecute"},
    ]
    labels = node["metadata"]["labels"]
    assert "kwok.x-k8s.io/node" not in labels
    assert labels.pop("topology.k8s.aws/zone-id").startswith("euc1-az")
    assert labels == {
        "lifecycle": "Ec2Spot",
        "frugal-eks/node-group": "ng-spot",
        "node.kubernetes.io/instance-type": instance["InstanceType"],
        "topology.kubernetes.io/zone": zone,
        "topology.kubernetes.io/region": zone[:-1],
        "kubernetes.io/hostname": instance["PrivateDnsName"],
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    }
    assert node["status"]["capacity"]["cpu"] == "2"
    assert node["status"]["capacity"]["ephemeral-storage"] == "30Gi"


def test_plain_yaml_and_later_documents_count(groups):
    groups.let_in()
    first = yaml.safe_dump(json.loads(node_config("demo", "--node-labels=a=1")))
    second = {
        "kind": "NodeConfig",
        "spec": {
            "kubelet": {
                "config": {
                    "maxPods": 20,
                    "registerWithTaints": [{"key": "t", "effect": "NoSchedule"}],
                },
                "flags": ["--node-labels=b=2"],
            }
        },
    }

    groups.make(1, data={"UserData": first})
    groups.make(1, data={"UserData": mime(first, yaml.safe_dump(second))})

    plain, both = nodes(groups)
    assert plain["metadata"]["labels"]["a"] == "1"
    assert plain["spec"]["taints"] == []
    assert both["metadata"]["labels"].items() >= {"a": "1", "b": "2"}.items()
    assert both["spec"]["taints"] == [{"key": "t", "value": "", "effect": "NoSchedule"}]
    assert both["status"]["capacity"]["pods"] == "20"


def test_bottlerocket_joins_by_its_settings(groups):
    groups.let_in()
    data = """
[settings.kubernetes]
cluster-name = "demo"
api-server = "https://127.0.0.1:6443"
cluster-certificate = "Q0E="
max-pods = 11

[settings.kubernetes.node-labels]
lifecycle = "Ec2Spot"

[settings.kubernetes.node-taints]
spotInstance = ["true:PreferNoSchedule"]
plain = ":NoSchedule"
"""

    groups.make(1, data={"UserData": data})

    (node,) = nodes(groups)
    assert node["metadata"]["labels"]["lifecycle"] == "Ec2Spot"
    assert node["spec"]["taints"] == [
        {"key": "spotInstance", "value": "true", "effect": "PreferNoSchedule"},
        {"key": "plain", "value": "", "effect": "NoSchedule"},
    ]
    assert node["status"]["capacity"]["pods"] == "11"


@pytest.mark.parametrize(
    ("user_data", "why"),
    [
        (node_config("another"), "there is no active cluster another"),
        (node_config(apiServerEndpoint="https://other"), "name the endpoint https://other"),
        (node_config(certificateAuthority="T1RIRVI="), "another certificate than the cluster"),
        (node_config(cidr=""), "nodeadm needs spec.cluster.cidr"),
        (
            node_config("demo", "--node-labels=node-role.kubernetes.io/spot="),
            "it may not set the label node-role.kubernetes.io/spot itself",
        ),
        (node_config("demo", "--register-with-taints=a=b:NoScheduling"), "is no taint with one of"),
        ("kind: NodeConfig\n  spec: [", "nodeadm cannot read its NodeConfig"),
        ("[settings.kubernetes]\ncluster-name = 'demo'", "needs settings.kubernetes.api-server"),
        ("[settings", "Bottlerocket cannot read its settings"),
    ],
)
def test_wrong_user_data_make_no_node_and_the_log_says_why_once(groups, caplog, user_data, why):
    groups.let_in()
    name = groups.make(1, data={"UserData": user_data})

    assert nodes(groups) == nodes(groups) == []
    (instance,) = groups.states(name)
    told = [m for m in caplog.messages if m.startswith(f"{instance} is no node: ")]
    assert [why in message for message in told] == [True]


def test_user_data_of_something_else_make_no_node_and_no_noise(groups, caplog):
    groups.let_in()
    groups.make(1, data={"UserData": "#!/bin/sh\nyum install nat"})
    groups.make(1)

    assert nodes(groups) == []
    assert not [message for message in caplog.messages if "is no node" in message]


def test_a_role_without_an_access_entry_for_nodes_joins_when_it_has_one(groups, caplog):
    groups.let_in(None)
    groups.make(1, data={"UserData": mime(node_config())})
    assert nodes(groups) == []
    assert f"{groups.role} has no access entry in demo: make one of type EC2_LINUX" in caplog.text
    entry = {"clusterName": "demo", "principalArn": groups.role}
    groups.aws.eks.create_access_entry(**entry, type="STANDARD")
    assert nodes(groups) == []
    assert "has an access entry of type STANDARD in demo" in caplog.text
    groups.aws.eks.delete_access_entry(**entry)

    groups.aws.eks.create_access_entry(**entry, type="EC2_LINUX")

    assert [node["kind"] for node in nodes(groups)] == ["Node"]


def test_an_instance_without_a_profile_does_not_join(groups, caplog):
    groups.make(1, data={"UserData": mime(node_config())})

    assert nodes(groups) == []
    assert "it has no instance profile with a role" in caplog.text


def test_a_node_goes_with_its_instance_and_its_pods_with_it(groups):
    groups.let_in()
    name = groups.make(2, data={"UserData": mime(node_config())})
    first, second = nodes(groups)
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"on-{node['metadata']['name']}", "namespace": "a"},
            "spec": {"nodeName": node["metadata"]["name"]},
        }
        for node in (first, second)
    ]
    groups.aws.kubernetes.apply(pods)
    instance = first["spec"]["providerID"].rpartition("/")[2]

    groups.aws.client("ec2").terminate_instances(InstanceIds=[instance])

    names = [node["metadata"]["name"] for node in nodes(groups)]
    assert first["metadata"]["name"] not in names
    assert second["metadata"]["name"] in names
    assert names[1:] == [
        one["PrivateDnsName"]
        for one in groups.instances(name)
        if one["PrivateDnsName"] != second["metadata"]["name"]
    ]
    assert set(groups.aws.kubernetes.named("Pod")) == {pods[1]["metadata"]["name"]}
    assert groups.aws.kubernetes.grace == 0


def test_a_refresh_brings_nodes_with_the_labels_of_the_new_user_data(groups):
    groups.let_in()
    name = groups.make(2, data={"UserData": mime(node_config("demo", "--node-labels=v=1"))})
    assert {node["metadata"]["labels"]["v"] for node in nodes(groups)} == {"1"}
    groups.template(name, UserData=mime(node_config("demo", "--node-labels=v=2")))

    groups.aws.client("autoscaling").start_instance_refresh(
        AutoScalingGroupName=name, Preferences={"MinHealthyPercentage": 0}
    )

    assert [node["metadata"]["labels"]["v"] for node in nodes(groups)] == ["2", "2"]


def test_nodes_go_with_their_cluster(groups):
    groups.let_in()
    groups.make(1, data={"UserData": mime(node_config())})
    assert nodes(groups)

    groups.aws.eks.delete_cluster(name="demo")
    groups.aws.eks.list_clusters()

    assert nodes(groups) == []
