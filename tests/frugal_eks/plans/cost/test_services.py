"""What is paid by the hour, by the month, and by what passes through."""

import pytest

from frugal_eks.plans.cost import Assumptions

CLUSTER, CLUSTER_COMPONENT = "aws:eks/cluster:Cluster", "eks:index:Cluster"
NAT = "aws:ec2/natGateway:NatGateway"
INGRESS, SERVICE = "kubernetes:networking.k8s.io/v1:Ingress", "kubernetes:core/v1:Service"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"


def told(estimate):
    """What there is, and USD a month."""
    return {line.what: round(line.monthly.expected, 3) for line in estimate.lines}


def test_a_control_plane_costs_six_times_as_much_in_extended_support(resource, estimated):
    def at(version, support):
        policy = {"upgradePolicy": {"supportType": support}} if support else {}
        return estimated(resource(CLUSTER, inputs={"version": version, **policy}))

    standard = {"control plane": 73.0}
    assert told(at("1.35", "EXTENDED")) == standard
    assert told(at("1.33", "STANDARD")) == standard
    assert told(at("1.33", "EXTENDED")) == {**standard, "extended support of 1.33": 365.0}
    # EKS's own default is EXTENDED.
    assert told(at("1.30", None)) == {**standard, "extended support of 1.30": 365.0}


def test_the_control_plane_of_a_component_is_counted_once(resource, estimated):
    component = resource(CLUSTER_COMPONENT, custom=False)
    inside = resource(CLUSTER, parent=component.urn)

    assert told(estimated(component)) == {"control plane": 73.0}
    assert len(estimated(component, inside).lines) == 1


def test_data_through_nat_is_assumed_once_however_many_gateways_share_it(resource, estimated):
    given = [resource(NAT, name) for name in ("a", "b")]

    found = estimated(*given, assumptions=Assumptions(nat_gb=300))

    assert found.by_kind["NAT"].expected == pytest.approx(2 * 36.5 + 300 * 0.05)
    assert "300 GB a month pass through NAT (--nat-gb)." in found.assumptions
    assert not any("NAT" in each for each in estimated(resource(CLUSTER)).assumptions)


def test_logs_are_paid_when_they_come_in_and_while_they_are_kept(resource, estimated):
    def group(days):
        given = {"retentionInDays": days} if days else {}
        return resource("aws:cloudwatch/logGroup:LogGroup", inputs=given)

    assert told(estimated(group(60), assumptions=Assumptions(log_gb=10))) == {
        "10 GB of logs": 5.0,
        "20 GB of logs kept 60 days": 0.6,
    }
    assert told(estimated(group(None))) == {
        "5 GB of logs": 2.5,
        "60 GB of logs kept for ever: a year's worth": 1.8,
    }


def test_an_interface_endpoint_costs_in_each_of_its_zones_and_a_gateway_nothing(
    resource, estimated
):
    def endpoint(**inputs):
        return estimated(resource(ENDPOINT, inputs=inputs))

    three = endpoint(vpcEndpointType="Interface", subnetIds=["a", "b", "c"])
    assert told(three) == {"interface endpoint in 3 zones": 21.9}
    assert told(endpoint(vpcEndpointType="Gateway")) == {}
    assert told(endpoint()) == {}


def test_a_load_balancer_is_what_the_controller_makes_of_an_object(resource, estimated):
    def ingress(group=None):
        annotations = {"alb.ingress.kubernetes.io/group.name": group} if group else {}
        return resource(INGRESS, inputs={"metadata": {"annotations": annotations}})

    def service(kind):
        return resource(SERVICE, inputs={"spec": {"type": kind}})

    assert told(estimated(service("LoadBalancer"))) == {"network load balancer": 21.9}
    assert told(estimated(service("ClusterIP"))) == {}
    shared, own = [ingress("one"), ingress("one")], [ingress(), ingress()]
    assert estimated(*shared).total.expected == pytest.approx(14.6)
    assert estimated(*own).total.expected == pytest.approx(29.2)
    made = resource("aws:lb/loadBalancer:LoadBalancer", inputs={"loadBalancerType": "network"})
    assert told(estimated(made)) == {"network load balancer": 21.9}


def test_what_costs_by_the_month(resource, estimated):
    found = estimated(
        resource("aws:kms/key:Key"),
        resource("aws:ec2/eip:Eip"),
        resource("aws:route53/zone:Zone"),
        resource("aws:efs/fileSystem:FileSystem"),
        assumptions=Assumptions(efs_gb=50),
    )

    assert told(found) == {
        "KMS key": 1.0,
        "public IPv4 address": 3.65,
        "hosted zone": 0.5,
        "50 GB of files": 15.0,
    }


def test_of_a_region_without_a_price_list_everything_is_unknown_and_nothing_is_zero(
    resource, estimated
):
    """us-east-1 and eu-west-1 have one: neither stands in for another region."""
    given = [resource(CLUSTER, "cluster"), resource(NAT, "nat"), resource("aws:kms/key:Key", "key")]

    found = estimated(*given, region="ap-south-2", folder=None)

    assert found.lines == ()
    assert found.dates is None
    assert [each.what for each in found.unknown] == [
        "control plane: the price of eksHour in ap-south-2",
        "NAT gateway: the price of natHour in ap-south-2",
        "100 GB through NAT: the price of natGb in ap-south-2",
        "KMS key: the price of kmsKeyMonth in ap-south-2",
    ]
