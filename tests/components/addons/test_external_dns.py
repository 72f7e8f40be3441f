import json
from pathlib import Path

import grpc
import jsonschema
import pulumi
import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components.addons.external_dns import component as addon
from components.addons.external_dns.config import ExternalDnsConfig, hostname_problem
from components.addons.external_dns.policy import iam_policy
from components.placement import RunsOn
from tests.cluster_refs import given

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "rehearsal" / "charts" / "external-dns" / "upstream.schema.json"
OIDC = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
GET_ZONE = "aws:route53/getZone:getZone"

RELEASE = "kubernetes:helm.sh/v3:Release"
ACCOUNT = "kubernetes:core/v1:ServiceAccount"
INLINE = "aws:iam/rolePolicy:RolePolicy"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"


class Refusal(grpc.RpcError):
    """How the engine hands out the error of a data source."""

    def __init__(self, text):
        self.text = text

    def code(self):
        return grpc.StatusCode.UNKNOWN

    def details(self):
        return self.text


def external_dns(config=None, **args):
    """A program with ExternalDNS for two zones; `args` in place of the usual ones."""
    home = aws.sqs.Queue("home")  # stands for the pod's compute
    zones = {"zones": ["example.com", "example.org"]}
    usual = {
        "config": ExternalDnsConfig(**(zones | (config or {}))),
        "needs": [home],
    }
    return addon.ExternalDns("dns", given(addon.ExternalDnsArgs, **(usual | args)))


def on_fargate():
    external_dns({"policy": "sync", "exclude_domains": ["office.example.com"]})


def on_nodes():
    external_dns({"node_selector": {"lifecycle": "OnDemand"}}, runs_on=RunsOn.NODES)


def values(built):
    return built.one(RELEASE).inputs["values"]


@pytest.mark.feature("A2-21")
def test_it_may_write_the_given_zones_and_no_other():
    write, find = iam_policy(partition="aws-cn", zone_ids=["Z1", "Z2"])["Statement"]

    assert write == {
        "Effect": "Allow",
        "Action": ["route53:ChangeResourceRecordSets", "route53:ListResourceRecordSets"],
        "Resource": ["arn:aws-cn:route53:::hostedzone/Z1", "arn:aws-cn:route53:::hostedzone/Z2"],
    }
    assert find == {"Effect": "Allow", "Action": "route53:ListHostedZones", "Resource": "*"}


@pytest.mark.feature("A2-21", "A2-38", "A2-39")
def test_role_and_chart_get_the_zones_that_are_found_by_name(once, account):
    built = once(on_fargate, account)

    zone_ids = ["Z-example.com", "Z-example.org"]
    document = json.loads(built.one(INLINE).inputs["policy"])
    assert document == iam_policy(partition="aws", zone_ids=zone_ids)
    assert values(built)["extraArgs"] == {"aws-zone-type": "public", "zone-id-filter": zone_ids}
    assert values(built)["domainFilters"] == ["example.com", "example.org"]
    assert values(built)["provider"] == {"name": "aws"}


@pytest.mark.feature("A2-21", "A2-34")
def test_on_fargate_the_role_is_on_the_service_account_of_the_chart(once, account):
    built = once(on_fargate, account)

    (trust,) = json.loads(built.one("aws:iam/role:Role").inputs["assumeRolePolicy"])["Statement"]
    made, release = built.one(ACCOUNT).inputs["metadata"], built.one(RELEASE).inputs
    assert trust["Condition"]["StringEquals"] == {
        f"{OIDC}:aud": "sts.amazonaws.com",
        f"{OIDC}:sub": "system:serviceaccount:kube-system:external-dns",
    }
    assert made == {
        "name": "external-dns",
        "namespace": "kube-system",
        "annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/dns-role"},
    }
    assert release["namespace"] == made["namespace"]
    assert release["values"]["serviceAccount"] == {"create": False, "name": made["name"]}


@pytest.mark.feature("A2-21")
def test_on_nodes_the_role_comes_by_pod_identity(once, account):
    built = once(on_nodes, account)

    bound = built.one(ASSOCIATION).inputs
    assert (bound["clusterName"], bound["namespace"]) == ("dev", "kube-system")
    assert bound["serviceAccount"] == values(built)["serviceAccount"]["name"]
    assert bound["roleArn"] == "arn:aws:iam::111122223333:role/dns-role"


@pytest.mark.feature("A2-38")
@pytest.mark.parametrize(
    ("zone_type", "vpc_id", "asked"),
    [
        ("public", None, {"privateZone": False}),
        ("public", "vpc-1", {"privateZone": False}),
        ("private", None, {"privateZone": True}),
        ("private", "vpc-1", {"privateZone": True, "vpcId": "vpc-1"}),
    ],
)
def test_a_zone_is_asked_for_by_its_name_and_type(deploy, account, zone_type, vpc_id, asked):
    queries = []

    def get_zone(query):
        queries.append(query)
        return {"zoneId": "Z1"}

    built = deploy(
        lambda: external_dns({"zones": ["example.com"], "zone_type": zone_type}, vpc_id=vpc_id),
        account | {GET_ZONE: get_zone},
    )

    assert queries == [{"name": "example.com"} | asked]
    assert values(built)["extraArgs"]["aws-zone-type"] == zone_type


@pytest.mark.feature("A2-38")
def test_zones_that_there_are_not_are_all_told_at_once(deploy, account):
    def get_zone(query):
        if query["name"] == "b.com":
            raise Refusal("multiple Route 53 Hosted Zones matched; use additional constraints")
        if query["name"] != "example.com":
            raise Refusal(
                "invocation of aws:route53/getZone: no matching Route 53 Hosted Zone found"
            )
        return {"zoneId": "Z1"}

    zones = ["a.com", "example.com", "b.com", "c.com"]
    with pytest.raises(pulumi.RunError) as told:
        deploy(lambda: external_dns({"zones": zones}), account | {GET_ZONE: get_zone})

    assert str(told.value).splitlines() == [
        "addons.externalDns.zones[0]: there is no public hosted zone a.com in account "
        "111122223333: make it, or correct the name",
        "addons.externalDns.zones[2]: account 111122223333 has more than one public hosted zone "
        "b.com: delete all but one, or name a part of it that has a zone of its own",
        "addons.externalDns.zones[3]: there is no public hosted zone c.com in account "
        "111122223333: make it, or correct the name",
    ]


def test_another_refusal_of_aws_is_told_as_it_is(deploy, account):
    def get_zone(_):
        raise Refusal("AccessDenied: not authorized to perform route53:ListHostedZones")

    with pytest.raises(Exception, match=r"perform route53:ListHostedZones") as told:
        deploy(external_dns, account | {GET_ZONE: get_zone})

    assert not isinstance(told.value, pulumi.RunError)


@pytest.mark.feature("C-22")
def test_no_default_that_decides_over_records_is_left_to_the_chart(once, account):
    told = values(once(on_fargate, account))

    assert told["policy"] == "sync"
    assert told["registry"] == "txt"
    assert told["txtOwnerId"] == "dev"
    assert told["annotationPrefix"] == addon.ANNOTATION_PREFIX


@pytest.mark.feature("A2-40", "C-22")
def test_the_annotation_is_the_one_that_users_of_the_pinned_version_know():
    """From 0.22 on, the default is another; the chart reads a prefix by its last slash."""
    assert addon.ANNOTATION_PREFIX == "external-dns.alpha.kubernetes.io/"


@pytest.mark.feature("C-22")
def test_records_are_deleted_only_where_the_stack_file_asks_for_it(once, account):
    assert values(once(on_nodes, account))["policy"] == "upsert-only"


@pytest.mark.feature("A2-40")
def test_services_and_ingresses_get_their_records_when_they_change(once, account):
    told = values(once(on_fargate, account))

    assert told["sources"] == ["service", "ingress"]
    assert told["triggerLoopOnEvent"] is True
    assert told["interval"] == "5m"


def test_the_region_that_aws_injects_is_not_in_its_own_environment(once, account):
    """One of AWS's two variables given here would suppress both."""
    assert "env" not in values(once(on_fargate, account))


def test_two_pods_never_write_at_once(once, account):
    assert values(once(on_fargate, account))["deploymentStrategy"] == {"type": "Recreate"}
    with pytest.raises(ValidationError, match="would write the same records at once: drop it"):
        ExternalDnsConfig(zones=("example.com",), replicas=2)


def test_parts_of_a_zone_can_be_left_alone(once, account):
    assert values(once(on_fargate, account))["excludeDomains"] == ["office.example.com"]
    with pytest.raises(ValidationError, match=r"excludeDomains\[1\]: lies in none of zones"):
        ExternalDnsConfig(
            zones=("example.com",), exclude_domains=("a.example.com", "notexample.com")
        )


@pytest.mark.parametrize("zones", [(), ("example",), ("Example.com",), ("example.com.",)])
def test_a_zone_has_a_name_as_route_53_spells_it_without_its_last_dot(zones):
    with pytest.raises(ValidationError):
        ExternalDnsConfig(zones=zones)


@pytest.mark.parametrize(
    ("hostname", "problem"),
    [
        ("view.example.com", None),
        ("view.dev.example.com", None),
        ("view.example.net", "lies in no zone of addons.externalDns.zones (example.com, a.b.org):"),
        ("viewexample.com", "lies in no zone"),
        ("example.com", "is a whole zone,"),
        ("view.office.example.com", "is left alone by addons.externalDns.excludeDomains:"),
    ],
)
def test_a_hostname_gets_a_record_or_a_reason_why_not(hostname, problem):
    told = hostname_problem(hostname, ("example.com", "a.b.org"), excluded=("office.example.com",))

    assert told is None if problem is None else told.startswith(problem)


def test_the_schema_that_values_are_held_against_refuses_what_is_wrong():
    with pytest.raises(jsonschema.ValidationError, match="is not one of"):
        jsonschema.validate({"policy": "everything"}, json.loads(SCHEMA.read_text()))


def test_cluster_autoscaler_may_take_its_node(once, account):
    key = "cluster-autoscaler.kubernetes.io/safe-to-evict"
    assert values(once(on_nodes, account))["podAnnotations"] == {key: "true"}


def test_it_says_that_route_53_has_no_endpoint_in_a_vpc():
    assert ExternalDnsConfig.NO_ENDPOINT == "Route 53"
