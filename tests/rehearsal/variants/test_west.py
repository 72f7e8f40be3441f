"""What stands when a stack has everything turned the other way."""

import json
import re
from typing import Any

import pytest
import yaml

from components import versions
from components.network.tags import DISCOVERY_TAG as DISCOVERY
from components.nodes.node_security_group_config import CLUSTER, NODES, RULES
from rehearsal.engine import Outcome
from rehearsal.state import ROOT
from tests.rehearsal.variants.west import BOUNDARY, DEFAULT_CLASS, PATH, done, part

pytestmark = pytest.mark.engine


def tagged(groups: list[dict[str, Any]], key: str) -> list[str]:
    return [g["GroupId"] for g in groups if key in {tag["Key"] for tag in g.get("Tags", [])}]


def test_a_second_preview_is_empty(west):
    assert done(west.again) == set()


@pytest.mark.feature("B-41")
def test_nothing_of_another_stack_is_in_this_one(west):
    shipped = (ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text()
    state = json.dumps(west.resources)

    assert len(re.findall(r"us-west-2", state)) > len(west.resources)
    for word in ("eu-west-1", "111122223333", "nodeless"):
        assert word in shipped
        assert word not in state


@pytest.mark.feature("A2-10")
def test_no_key_is_in_the_state_or_on_the_bastion(west):
    keys = re.compile(r"\b(AKIA|ASIA)[A-Z2-7]{16}\b|aws_secret_access_key", re.IGNORECASE)
    state = json.dumps(west.resources)

    assert [secret for secret in west.secrets if secret in state] == []
    assert not keys.search(state)
    assert "aws eks update-kubeconfig" in west.seen.user_data
    assert not keys.search(west.seen.user_data)
    assert "BEGIN" not in west.seen.user_data


@pytest.mark.feature("A2-09", "A2-11")
def test_the_bastion_is_reached_with_the_named_key_from_the_given_addresses(west):
    bastion = next(one for one in west.seen.instances if one.get("KeyName"))
    groups = {g["GroupId"] for each in bastion["NetworkInterfaces"] for g in each["Groups"]}
    inwards = [r for r in west.seen.rules if r["GroupId"] in groups and not r["IsEgress"]]

    assert bastion["KeyName"] == "desk"
    assert [(r["FromPort"], r["ToPort"], r["CidrIpv4"]) for r in inwards] == [
        (22, 22, "203.0.113.7/32")
    ]
    assert west.outputs["bastionAddress"] == bastion["PublicIpAddress"]
    assert west.outputs["bastionCommand"] == (
        f"ssh -i ~/.ssh/desk.pem ec2-user@{bastion['PublicIpAddress']}"
    )


@pytest.mark.feature("B-14")
def test_every_role_has_the_path_and_the_boundary(west):
    made = {r["id"] for r in west.resources if r["type"] == "aws:iam/role:Role"}
    roles = [role for role in west.seen.roles if role["RoleName"] in made]

    assert len(roles) == len(made)
    assert {role["Path"] for role in roles} == {PATH}
    boundaries = {role["PermissionsBoundary"]["PermissionsBoundaryArn"] for role in roles}
    assert boundaries == {BOUNDARY}


@pytest.mark.feature("B-12", "C-12")
def test_nodes_have_a_group_of_their_own_that_the_control_plane_reaches(west):
    keys = ("kubernetes.io/cluster/west", DISCOVERY)
    by_tag = [tagged(west.seen.groups, key) for key in keys]
    assert [len(found) for found in by_tag] == [1, 1], by_tag
    (shared,), (nodes,) = by_tag
    ids = {CLUSTER: shared, NODES: nodes}

    rules = {
        (r["ReferencedGroupInfo"]["GroupId"], r["GroupId"], r["IpProtocol"], r["FromPort"])
        for r in west.seen.rules
        if not r["IsEgress"] and r.get("ReferencedGroupInfo") and nodes in str(r)
    }
    wanted = {(ids[r.source], ids[r.target], r.protocol, r.port or -1) for r in RULES}
    assert nodes != shared == west.outputs["securityGroupId"]
    assert wanted <= rules
    ports = {port for source, target, _, port in rules if (source, target) == (shared, nodes)}
    assert ports == {443, 4443, 8443, 9443, 10250, 10251, 53}


@pytest.mark.feature("B-09", "C-15")
def test_private_subnets_go_out_by_the_nat_instance(west):
    instance = next(one for one in west.seen.instances if not one.get("KeyName"))
    ways = [r for r in west.seen.routes if r.get("DestinationCidrBlock") == "0.0.0.0/0"]
    private = [r for r in ways if not r.get("GatewayId", "").startswith("igw-")]

    assert instance["State"]["Name"] == "running"
    assert len(private) == 2  # noqa: PLR2004 (one a zone)
    assert all(r["NetworkInterfaceId"].startswith("eni-") for r in private)
    assert not [r for r in west.resources if "natGateway" in r["type"]]


def test_interface_endpoints_are_those_that_are_asked_for(west):
    found = {
        one["ServiceName"].removeprefix("com.amazonaws.us-west-2.") for one in west.seen.endpoints
    }

    assert found == {"s3", "ecr.api", "sts"}


@pytest.mark.feature("A2-27")
def test_the_plan_shows_the_build_of_each_eks_add_on_whatever_way_it_was_chosen(west):
    assert set(west.builds) >= {"vpc-cni", "kube-proxy", "coredns", "aws-ebs-csi-driver"}
    assert west.builds["vpc-cni"] == versions.VPC_CNI
    build = re.compile(r"v\d+\.\d+\.\d+-eksbuild\.\d+")
    assert [text for text in west.builds.values() if not build.fullmatch(text)] == []


@pytest.mark.feature("B-39")
def test_claims_get_an_encrypted_gp3_volume_by_default(west):
    default = {
        name: one["parameters"]
        for name, one in west.seen.classes.items()
        if DEFAULT_CLASS.items() <= (one["metadata"].get("annotations") or {}).items()
    }

    assert default == {"gp3": {"type": "gp3", "encrypted": "true"}}
    assert west.seen.classes["gp3"]["provisioner"] == "ebs.csi.aws.com"
    assert (
        west.seen.classes["efs"]["parameters"]["fileSystemId"] == (west.outputs["efsFileSystemId"])
    )


@pytest.mark.feature("A2-38")
def test_the_zone_is_found_by_its_name(west):
    assert f"hostedzone/{west.seen.zone_id}" in west.seen.dns_policy
    assert west.outputs["kubeOpsViewUrl"].startswith("http://ops.example.com")


def test_the_page_is_behind_an_internal_application_load_balancer(west):
    assert west.seen.balancers == [("application", "internal")]


@pytest.mark.feature("B-20")
def test_own_releases_start_when_the_platform_is_ready_and_go_before_it(west):
    assert west.seen.texts["greeting"] == {"text": "hello"}
    assert yaml.safe_load(west.seen.texts["elsewhere"]["values.yaml"]) == {"hands": 2}

    def times(outcome: Outcome) -> tuple[list[Any], list[Any]]:
        custom = [s for s in outcome.steps if s.custom and s.op != "same"]
        own = [s for s in custom if part(s.urn) == "ExtraReleases"]
        ready = {"Karpenter", "EksAddon", "EfsCsi", "EbsCsi", "KubeOpsView", "MetricsServer"}
        return own, [s for s in custom if part(s.urn) in ready]

    own, platform = times(west.up)
    assert max(s.finished for s in platform) <= min(s.started for s in own)
    own, platform = times(west.destroy)
    assert max(s.finished for s in own) <= min(s.started for s in platform)
