"""Everything that was not there before is found, in the account and in the cluster."""

import pytest

from rehearsal import account_things, leftovers
from rehearsal.account_things import AWS_KINDS, Thing
from rehearsal.clients import aws_client
from rehearsal.stack_file import DEFAULT_ACCOUNT
from rehearsal.state import State


class FakeCluster:
    """Answers discovery and lists."""

    def __init__(self, objects):
        self.objects = objects
        self.annotations = {}

    def get(self, path):
        def kind(name, kind, verbs=("list", "get")):
            return {"name": name, "kind": kind, "verbs": list(verbs)}

        found = {
            "/apis": {"groups": [{"preferredVersion": {"groupVersion": "karpenter.sh/v1"}}]},
            "/api/v1": {
                "resources": [
                    kind("pods", "Pod"),
                    kind("pods/log", "Pod", ("get",)),
                    kind("bindings", "Binding", ("create",)),
                    kind("events", "Event"),
                    kind("leases", "Lease"),
                    kind("clusterroles", "ClusterRole"),
                    kind("configmaps", "ConfigMap"),
                    kind("customresourcedefinitions", "CustomResourceDefinition"),
                    kind("csidrivers", "CSIDriver"),
                    kind("apiservices", "APIService"),
                ]
            },
            "/apis/karpenter.sh/v1": {"resources": [kind("nodepools", "NodePool")]},
        }
        return found[path]

    def items(self, path):
        return [
            {
                "metadata": {"name": name, "annotations": self.annotations.get(name)}
                | ({"namespace": namespace} if namespace else {})
                | ({"deletionTimestamp": "2026-11-21T00:00:00Z"} if more else {}),
                "spec": {"nodeName": more[0]} if more else {},
            }
            for namespace, name, *more in self.objects.get(path.rpartition("/")[2], [])
        ]


def test_custom_resources_are_found_and_what_the_control_plane_makes_for_itself_is_not():
    cluster = FakeCluster(
        {
            "nodes": [("", "n1")],
            "pods": [
                ("default", "inflate-1"),
                ("default", "being-deleted", "n1"),
                ("default", "dead", "n2"),
            ],
            "clusterroles": [("", "rehearsal-simulated-fleet"), ("", "karpenter")],
            "events": [("default", "something-happened")],
            "leases": [("kube-system", "kube-scheduler"), ("karpenter", "leader")],
            "configmaps": [("kube-system", "kube-root-ca.crt"), ("karpenter", "kube-root-ca.crt")],
            "nodepools": [("", "default")],
        }
    )

    assert leftovers.cluster_things(cluster) == {
        Thing("Pod", "default/inflate-1", ""),
        Thing("Pod", "default/being-deleted", ""),
        Thing("ClusterRole", "karpenter", ""),
        Thing("Lease", "karpenter/leader", ""),
        Thing("ConfigMap", "karpenter/kube-root-ca.crt", ""),
        Thing("NodePool", "default", ""),
    }


def test_what_helm_keeps_for_the_next_installation_is_no_leftover():
    cluster = FakeCluster(
        {
            "customresourcedefinitions": [
                ("", "targetgroupbindings.elbv2.k8s.aws"),
                ("", "dnsendpoints.externaldns.k8s.io"),
                ("", "nodepools.karpenter.sh"),
            ],
            "apiservices": [("", "v1beta1.elbv2.k8s.aws"), ("", "v1.karpenter.sh")],
            "csidrivers": [("", "efs.csi.aws.com"), ("", "ebs.csi.aws.com")],
        }
    )
    cluster.annotations["efs.csi.aws.com"] = {"helm.sh/resource-policy": "keep", "a": "b"}
    cluster.annotations["ebs.csi.aws.com"] = {"helm.sh/resource-policy": "delete"}

    assert leftovers.cluster_things(cluster) == {
        Thing("CustomResourceDefinition", "nodepools.karpenter.sh", ""),
        Thing("APIService", "v1.karpenter.sh", ""),
        Thing("CSIDriver", "ebs.csi.aws.com", ""),
    }


def test_what_is_there_before_is_no_leftover_and_all_else_is(endpoints, tmp_path, monkeypatch):
    monkeypatch.setattr(leftovers, "Cluster", lambda _: FakeCluster({}))
    state = State(tmp_path)
    state.remember(endpoints)
    ec2, iam, kms = (aws_client(service, endpoints) for service in ("ec2", "iam", "kms"))
    iam.create_role(RoleName="old", AssumeRolePolicyDocument="{}")
    leftovers.remember(state)
    ec2.create_vpc(CidrBlock="10.0.0.0/16")
    iam.create_role(RoleName="new", AssumeRolePolicyDocument="{}")
    iam.create_role(RoleName="admin", AssumeRolePolicyDocument="{}")
    iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")
    kept, going = (kms.create_key(Description="d")["KeyMetadata"] for _ in range(2))
    kms.schedule_key_deletion(KeyId=going["KeyId"], PendingWindowInDays=7)
    # AWS makes its own key with the first volume that is encrypted and names none.
    ec2.create_volume(AvailabilityZone="eu-west-1a", Size=1, Encrypted=True)
    leftovers.remember(state)

    left = leftovers.find(state, [f"arn:aws:iam::{DEFAULT_ACCOUNT}:role/admin"])

    by_kind = {thing.kind: thing for thing in left}
    rest = ["VPC", "route table", "security group", "volume"]
    assert sorted(by_kind) == ["IAM role", "KMS key", *rest]
    assert len(left) == len(by_kind)
    assert by_kind["IAM role"].name == "new"
    assert by_kind["KMS key"].id == kept["Arn"]


@pytest.mark.behaviour("log-group-comes-back-after-cluster-delete")
def test_the_group_of_a_control_planes_last_lines_is_no_leftover_but_a_stacks_own_is(endpoints):
    logs = aws_client("logs", endpoints)
    names = ["/aws/eks/gone/cluster", "/aws/eks/own/cluster", "/aws/eks/gone/fargate"]
    before = account_things.aws_things(endpoints)
    for name in names:
        logs.create_log_group(logGroupName=name)
    logs.put_retention_policy(logGroupName=names[1], retentionInDays=7)

    found = set(account_things.aws_things(endpoints)) - set(before)

    assert {thing.name for thing in found if thing.kind == "log group"} == set(names[1:])


def test_what_is_inside_of_something_is_found_too(endpoints):
    clients = [aws_client(service, endpoints) for service in ("ec2", "efs", "route53")]
    ec2, efs, route53 = clients
    zone = route53.create_hosted_zone(Name="example.com", CallerReference="1")["HostedZone"]["Id"]
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    before = account_things.aws_things(endpoints)
    text = {"Name": "a.example.com", "Type": "TXT", "TTL": 1, "ResourceRecords": [{"Value": '"x"'}]}
    part = {**text, "Name": "b.example.com", "Type": "NS", "ResourceRecords": [{"Value": "ns."}]}
    changes = [{"Action": "CREATE", "ResourceRecordSet": record} for record in (text, part)]
    route53.change_resource_record_sets(HostedZoneId=zone, ChangeBatch={"Changes": changes})
    files = efs.create_file_system(Tags=[{"Key": "Name", "Value": "files"}])["FileSystemId"]
    target = efs.create_mount_target(FileSystemId=files, SubnetId=subnet)
    pair = ec2.create_key_pair(KeyName="pair", KeyType="ed25519")["KeyName"]

    assert Thing("hosted zone", zone, "example.com.") in before
    assert not [thing for thing in before if thing.kind == "DNS record"]
    assert account_things.aws_things(endpoints) - before == {
        # In a zone that was there: all but the records that AWS puts in.
        Thing("DNS record", f"{zone} NS b.example.com.", "NS b.example.com."),
        Thing("DNS record", f"{zone} TXT a.example.com.", "TXT a.example.com."),
        Thing("EFS file system", files, "files"),
        Thing("EFS mount target", target["MountTargetId"], f"of {files}"),
        Thing("network interface", target["NetworkInterfaceId"], ""),
        Thing("key pair", pair, pair),
    }


def test_settling_waits_until_nothing_is_left_but_not_for_ever(monkeypatch):
    left = [[Thing("Node", "n1", "")], []]
    monkeypatch.setattr(leftovers, "find", lambda *_: left.pop(0) if len(left) > 1 else left[0])
    monkeypatch.setattr(leftovers.time, "sleep", lambda _: None)
    heard = []

    assert leftovers.settle(None, [], patience=5, tell=heard.append) == []
    assert heard == [1]
    left[:] = [[Thing("Node", "n1", "")]]
    assert leftovers.settle(None, [], patience=0, tell=heard.append) == left[0]


@pytest.mark.parametrize("kind", AWS_KINDS, ids=lambda kind: kind.kind)
def test_every_kind_can_be_listed(endpoints, kind):
    for thing in account_things._listed(aws_client(kind.service, endpoints), kind):
        assert thing.kind == kind.kind
        assert thing.id
