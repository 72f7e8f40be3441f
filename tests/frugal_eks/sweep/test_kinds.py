"""What is found besides its tags, what is in use, and what it costs."""

from collections.abc import Callable
from typing import Any

import pytest
from moto.ec2.models import ec2_backends

from frugal_eks.sweep.compute import REGION_TAG
from frugal_eks.sweep.network import NODE_TAG
from frugal_eks.sweep.things import Fate, Finding
from tests.frugal_eks.sweep.conftest import Ran
from tests.frugal_eks.sweep.world import CLUSTER, LIFECYCLE, OTHER_REGION, OWNED, REGION, World

pytestmark = pytest.mark.feature("C-03")

Findings = Callable[[], dict[str, Finding]]
Sweep = Callable[..., Ran]
Calls = list[tuple[str, dict[str, Any]]]


def test_a_group_goes_with_its_instances_and_its_template(world: World, sweep: Sweep, calls: Calls):
    template = world.template({"eks:eks-cluster-name": CLUSTER})
    group = world.group(OWNED, size=2, template=template)
    before = world.everything()
    first, second = (id for id in before if id.startswith("i-"))

    assert sweep("--yes").code == 0
    assert not world.everything() & {group, template, first, second}
    # AWS, unlike moto, deletes no group that has instances, unless it is told so.
    asked = {"AutoScalingGroupName": group, "ForceDelete": True}
    assert ("DeleteAutoScalingGroup", asked) in calls


def test_a_target_group_goes_after_the_balancer_whose_listener_leads_to_it(
    world: World, sweep: Sweep
):
    balancer, targets = world.balancer(OWNED), world.target_group(OWNED)
    world.elbv2.create_listener(
        LoadBalancerArn=balancer,
        Protocol="TCP",
        Port=80,
        DefaultActions=[{"Type": "forward", "TargetGroupArn": targets}],
    )

    assert sweep("--yes").code == 0
    assert not world.everything() & {balancer, targets}


def test_a_target_group_that_a_strangers_listener_leads_to_stays(world: World, sweep: Sweep):
    balancer, targets = world.balancer({}), world.target_group(OWNED)
    world.elbv2.create_listener(
        LoadBalancerArn=balancer,
        Protocol="TCP",
        Port=80,
        DefaultActions=[{"Type": "forward", "TargetGroupArn": targets}],
    )

    ran = sweep("--yes")

    assert ran.code == 1
    assert "is left: " in ran.out
    assert "ResourceInUse" in ran.out
    assert {balancer, targets} <= world.everything()


def test_a_template_that_somebody_elses_group_uses_stays(world: World, sweep: Sweep):
    template = world.template(OWNED)
    group = world.group({}, template=template)

    ran = sweep("--yes")

    assert ran.code == 1
    assert f"launch template {template}" in ran.out
    assert f"is left: used by the Auto Scaling group {group}" in ran.out
    assert template in world.everything()


def test_a_profile_of_the_same_cluster_in_another_region_is_not_found(
    world: World, findings: Findings
):
    here = world.profile(OWNED | {REGION_TAG: REGION})
    world.profile(OWNED | {REGION_TAG: OTHER_REGION})

    assert list(findings()) == [here]


def test_a_profile_that_an_instance_uses_stays(world: World, sweep: Sweep):
    profile = world.profile(OWNED)
    instance = world.instance({}, IamInstanceProfile={"Name": profile})

    ran = sweep("--yes")

    assert ran.code == 1
    assert f"is left: used by {instance}" in ran.out
    assert profile in world.everything()


def test_the_role_of_a_profile_stays(world: World, sweep: Sweep):
    world.profile(OWNED)

    assert sweep("--yes").code == 0
    assert world.iam.get_role(RoleName=world.role)


def test_an_interface_of_the_clusters_node_is_found_though_it_does_not_name_the_cluster(
    world: World, findings: Findings
):
    node, stranger = world.instance(OWNED), world.instance({})
    world.ec2.terminate_instances(InstanceIds=[node])
    ours = world.interface({NODE_TAG: node})
    world.interface({NODE_TAG: stranger})

    found = {id: finding.by for id, finding in findings().items()}

    assert found == {ours: f"{NODE_TAG}={node}, an instance of the cluster"}


def test_an_attached_interface_stays(world: World, sweep: Sweep):
    stranger = world.instance({})
    interface = world.interface(OWNED)
    world.ec2.attach_network_interface(
        NetworkInterfaceId=interface, InstanceId=stranger, DeviceIndex=1
    )

    ran = sweep("--yes")

    assert ran.code == 1
    assert f"is left: attached to {stranger}" in ran.out
    assert interface in world.everything()


def test_a_security_group_in_use_keeps_its_rules(world: World, sweep: Sweep):
    ours, theirs = world.security_group(OWNED), world.security_group({})
    rules: list[dict[str, Any]] = [
        {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": theirs}]},
    ]
    world.ec2.authorize_security_group_ingress(GroupId=ours, IpPermissions=rules)
    user = world.interface({}, groups=[ours])

    ran = sweep("--yes")

    assert ran.code == 1
    assert f"is left: used by {user}" in ran.out
    (kept,) = world.ec2.describe_security_groups(GroupIds=[ours])["SecurityGroups"]
    assert kept["IpPermissions"][0]["UserIdGroupPairs"][0]["GroupId"] == theirs


def test_groups_whose_rules_name_each_other_go(world: World, sweep: Sweep, calls: Calls):
    first, second = world.security_group(OWNED), world.security_group(OWNED)
    for one, other in ((first, second), (second, first)):
        open_to = {"UserIdGroupPairs": [{"GroupId": other}], "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}
        rules = [{"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, **open_to}]
        world.ec2.authorize_security_group_ingress(GroupId=one, IpPermissions=rules)
        world.ec2.authorize_security_group_egress(GroupId=one, IpPermissions=rules)
    rules = world.ec2.describe_security_group_rules()["SecurityGroupRules"]
    naming = {rule["SecurityGroupRuleId"] for rule in rules if "ReferencedGroupInfo" in rule}

    assert sweep("--yes").code == 0
    assert not {first, second} & world.everything()
    revoked = [given["SecurityGroupRuleIds"] for name, given in calls if name.startswith("Revoke")]
    # AWS, unlike moto, deletes no group that a rule names.
    assert {rule for some in revoked for rule in some} == naming


def test_a_group_that_a_strangers_rule_names_stays(world: World, findings: Findings):
    ours, theirs = world.security_group(OWNED), world.security_group({})
    rules = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": ours}]}]
    world.ec2.authorize_security_group_ingress(GroupId=theirs, IpPermissions=rules)

    assert findings()[ours].thing.busy == f"used by a rule of {theirs}"


def test_volumes_stay_unless_they_are_asked_for(world: World, sweep: Sweep):
    claimed = {
        "kubernetes.io/created-for/pvc/namespace": "shop",
        "kubernetes.io/created-for/pvc/name": "db",
        "ebs.csi.aws.com/cluster": "true",
    }
    volume = world.volume(OWNED | claimed)
    nameless = world.volume({"ebs.csi.aws.com/cluster": "true"})

    kept = sweep("--yes")

    assert kept.code == 1
    assert volume in kept.out
    assert "shop/db" in kept.out
    assert "kept, holds data: --volumes removes it" in kept.out
    assert "about 1.60 USD a month, 20 GiB gp3" in kept.out
    assert {volume, nameless} <= world.everything()

    assert sweep("--yes", "--volumes").code == 0
    assert {volume, nameless} & world.everything() == {nameless}


def test_an_attached_volume_stays_and_a_nodes_own_disk_is_no_news(
    world: World, findings: Findings, sweep: Sweep
):
    stranger = world.instance({})
    volume = world.volume(OWNED)
    world.ec2.attach_volume(VolumeId=volume, InstanceId=stranger, Device="/dev/xvdf")
    (disk,) = {id for id in world.everything() if id.startswith("vol-")} - {volume}
    world.tag(disk, OWNED)

    assert findings()[volume].thing.busy == f"attached to {stranger}"
    assert disk not in findings()
    assert sweep("--yes", "--volumes").code == 1
    assert volume in world.everything()


def test_a_stopped_instance_is_found_with_what_is_billed(world: World, findings: Findings):
    instance = world.instance(OWNED | {"Name": "base"})
    world.ec2.stop_instances(InstanceIds=[instance])

    found = findings()[instance]

    assert (found.fate, found.by, found.thing.name) == (Fate.REMOVE, f"{LIFECYCLE}=owned", "base")
    assert found.thing.cost == "m5.large on demand, stopped: by the hour"


def test_a_thing_of_another_account_is_shown_and_left_alone(
    world: World, findings: Findings, sweep: Sweep
):
    # The owner of the VPC shares it; what lies in it is seen by all.
    group = world.security_group(OWNED)
    backend = ec2_backends["123456789012"][REGION]
    backend.get_security_group_from_id(group).owner_id = "999999999999"

    assert findings()[group].why_not == "belongs to the account 999999999999"
    assert sweep("--yes").code == 0
    assert group in world.everything()


def test_a_protected_instance_is_named_and_the_rest_still_goes(world: World, sweep: Sweep):
    protected = world.instance(OWNED)
    world.ec2.modify_instance_attribute(InstanceId=protected, DisableApiTermination={"Value": True})
    other, interface = world.instance(OWNED), world.interface(OWNED)

    ran = sweep("--yes")

    assert ran.code == 1
    assert f"instance {protected} is left: " in ran.out
    assert "OperationNotPermitted" in ran.out
    assert {protected, other, interface} & world.everything() == {protected}
