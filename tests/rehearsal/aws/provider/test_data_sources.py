"""Data sources answer from the played account, and say what is missing as AWS's provider does."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from tests.rehearsal.aws.provider.world import IMAGE, World

ZONE = "aws:route53/getZone:getZone"
PARAMETERS = "aws:ssm/getParametersByPath:getParametersByPath"
IMAGES = "aws:ec2/getAmiIds:getAmiIds"
ENDPOINT = "aws:ec2/getVpcEndpoint:getVpcEndpoint"
OIDC = "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider"


@pytest.fixture
def route53(played_aws: str) -> Iterator[Any]:
    """Its zones are gone after the test."""
    client = boto3.client("route53", "eu-west-1", endpoint_url=played_aws)
    yield client
    for zone in client.list_hosted_zones()["HostedZones"]:
        client.delete_hosted_zone(Id=zone["Id"])
    client.close()


def make_zone(route53: Any, name: str, *vpcs: str) -> str:
    """A zone, private if it has VPCs; its id without the path."""
    first = {"VPC": {"VPCId": vpcs[0], "VPCRegion": "eu-west-1"}} if vpcs else {}
    made = route53.create_hosted_zone(
        Name=name,
        CallerReference=f"{name}{vpcs}",
        HostedZoneConfig={"PrivateZone": bool(vpcs)},
        **first,
    )
    return made["HostedZone"]["Id"].rpartition("/")[2]


def test_a_hosted_zone_is_found_by_name_and_kind(engine: Any, world: World, route53: Any):
    vpc = world.vpc().id
    public = make_zone(route53, "example.com")
    private = make_zone(route53, "example.com", vpc)

    found = engine.invoke(ZONE, {"name": "example.com"})
    assert (found["zoneId"], found["name"], found["privateZone"]) == (public, "example.com", False)
    assert found["nameServers"]
    assert found["arn"] == f"arn:aws:route53:::hostedzone/{public}"
    for asked in ({"privateZone": True}, {"vpcId": vpc}, {"privateZone": True, "vpcId": vpc}):
        assert engine.invoke(ZONE, {"name": "example.com.", **asked})["zoneId"] == private


def test_a_hosted_zone_that_is_missing_or_not_the_only_one_is_told(
    engine: Any, world: World, route53: Any
):
    first, second = world.vpc().id, world.vpc().id
    for vpc in (first, second):
        make_zone(route53, "example.com", vpc)

    for asked in ({"name": "example.com"}, {"name": "example.org", "privateZone": True}):
        with pytest.raises(engine.Refusal, match="no matching Route 53 Hosted Zone found"):
            engine.invoke(ZONE, asked)
    with pytest.raises(engine.Refusal, match="multiple Route 53 Hosted Zones matched"):
        engine.invoke(ZONE, {"name": "example.com", "privateZone": True})
    assert engine.invoke(ZONE, {"name": "example.com", "vpcId": first})["zoneId"]


def test_an_image_of_amazon_linux_is_there_by_its_name(engine: Any):
    def ids(name: str, owner: str = "amazon") -> list[str]:
        filters = [{"name": "name", "values": [name]}]
        asked = {"owners": [owner], "filters": filters, "includeDeprecated": True}
        return engine.invoke(IMAGES, asked)["ids"]

    (image,) = ids(IMAGE)

    assert ids(IMAGE, "137112412989") == ids(IMAGE) == [image]
    assert ids(IMAGE, "self") == []
    assert ids(IMAGE.replace("20260930", "20261001")) not in ([], [image])
    assert ids(IMAGE.replace("20260930", "20261301")) == []
    assert ids("al2023-ami-2023.12-arm64") == []


def test_endpoints_of_a_vpc_are_found_by_their_service(engine: Any, world: World):
    service = "com.amazonaws.eu-west-1.s3"
    vpc = world.vpc().id
    asked = {
        "vpcId": vpc,
        "serviceName": service,
        "vpcEndpointType": "Gateway",
        "state": "available",
    }
    with pytest.raises(engine.Refusal, match="no matching EC2 VPC Endpoint found"):
        engine.invoke(ENDPOINT, asked)
    made = world.make("aws:ec2/vpcEndpoint:VpcEndpoint", {"vpcId": vpc, "serviceName": service})

    assert engine.invoke(ENDPOINT, asked)["id"] == made.id
    with pytest.raises(engine.Refusal, match="no matching EC2 VPC Endpoint found"):
        engine.invoke(ENDPOINT, asked | {"vpcEndpointType": "Interface"})
    world.make("aws:ec2/vpcEndpoint:VpcEndpoint", {"vpcId": vpc, "serviceName": service})
    with pytest.raises(engine.Refusal, match="multiple EC2 VPC Endpoints matched"):
        engine.invoke(ENDPOINT, asked)


def test_of_many_subnets_those_that_exist_are_named(engine: Any, world: World):
    subnets = world.subnets()
    filters = [{"name": "subnet-id", "values": [*subnets, "subnet-00000000"]}]

    found = engine.invoke("aws:ec2/getSubnets:getSubnets", {"filters": filters})

    assert sorted(found["ids"]) == sorted(subnets)
    with pytest.raises(engine.Refusal, match=r"InvalidSubnetID.NotFound.*subnet-00000000"):
        engine.invoke("aws:ec2/getSubnet:getSubnet", {"id": "subnet-00000000"})


def test_an_oidc_provider_is_found_by_its_url(engine: Any, world: World):
    url = "https://oidc.example.com/id/B"
    inputs = {"url": url, "clientIdLists": ["sts.amazonaws.com"], "tags": {"a": "b"}}
    made = world.make("aws:iam/openIdConnectProvider:OpenIdConnectProvider", inputs)

    found = engine.invoke(OIDC, {"url": url})
    assert (found["arn"], found["tags"]) == (made.id, {"a": "b"})
    assert found["clientIdLists"] == ["sts.amazonaws.com"]
    assert engine.invoke(OIDC, {"arn": made.id})["url"] == "oidc.example.com/id/B"
    with pytest.raises(
        engine.Refusal,
        match=r"finding IAM OIDC Provider by url \(https://oidc.example.com/id/C\): not found",
    ):
        engine.invoke(OIDC, {"url": "https://oidc.example.com/id/C"})
    with pytest.raises(engine.Refusal, match="one of `arn,url` must be specified"):
        engine.invoke(OIDC, {})


def test_a_cluster_and_its_add_ons_are_described(engine: Any, world: World):
    cluster, subnets = world.cluster()
    addon = {"clusterName": cluster, "addonName": "kube-proxy"}
    with pytest.raises(engine.Refusal, match=r"ResourceNotFoundException.*kube-proxy"):
        engine.invoke("aws:eks/getAddon:getAddon", addon)
    world.make("aws:eks/addon:Addon", addon)

    found = engine.invoke("aws:eks/getAddon:getAddon", addon)
    assert (found["addonVersion"], found["id"]) == ("v1.35.3-eksbuild.2", f"{cluster}:kube-proxy")
    described = engine.invoke("aws:eks/getCluster:getCluster", {"name": cluster})
    assert sorted(described["vpcConfig"]["subnetIds"]) == sorted(subnets)
    assert described["vpcConfig"]["clusterSecurityGroupId"].startswith("sg-")
    assert described["identities"][0]["oidcs"][0]["issuer"].startswith("https://oidc.eks.")
    assert described["accessConfigs"][0]["authenticationMode"] == "API"
    assert (described["version"], described["status"]) == ("1.35", "ACTIVE")
    with pytest.raises(engine.Refusal, match=r"ResourceNotFoundException.*nowhere"):
        engine.invoke("aws:eks/getCluster:getCluster", {"name": "nowhere"})


def test_parameters_are_found_by_their_path(engine: Any, played_aws: str):
    ssm = boto3.client("ssm", "eu-west-1", endpoint_url=played_aws)
    for number in range(12):  # AWS gives ten a page
        ssm.put_parameter(Name=f"/mine/{number:02}", Value=str(number), Type="String")
    ssm.put_parameter(Name="/mine/deep/one", Value="x", Type="SecureString")
    ssm.close()

    found = engine.invoke(PARAMETERS, {"path": "/mine"})
    assert found["names"] == [f"/mine/{number:02}" for number in range(12)]
    assert found["values"] == [str(number) for number in range(12)]
    assert set(found["types"]) == {"String"}
    assert found["arns"][0].endswith(":parameter/mine/00")
    assert found["id"] == "/mine"
    deep = engine.invoke(PARAMETERS, {"path": "/mine", "recursive": True})
    assert "/mine/deep/one" in deep["names"]
    nothing = engine.invoke(PARAMETERS, {"path": "/aws/service/eks/optimized-ami/1.35/nonsense"})
    assert nothing["names"] == nothing["values"] == nothing["arns"] == []


def test_log_groups_are_found_by_the_beginning_of_their_name(engine: Any, world: World):
    token = "aws:cloudwatch/getLogGroups:getLogGroups"
    for name in ("/of/this/one", "/of/this/two", "/of/that"):
        world.make("aws:cloudwatch/logGroup:LogGroup", {"name": name})

    found = engine.invoke(token, {"logGroupNamePrefix": "/of/this"})

    assert found["logGroupNames"] == ["/of/this/one", "/of/this/two"]
    assert [arn.partition(":log-group:")[2] for arn in found["arns"]] == found["logGroupNames"]
    assert engine.invoke(token, {"logGroupNamePrefix": "/of/none"})["logGroupNames"] == []


def test_a_key_tells_whether_it_can_be_used(engine: Any, world: World):
    token = "aws:kms/getKey:getKey"
    made = world.key()
    key = made.state["arn"]

    found = engine.invoke(token, {"keyId": key})
    engine.provider.account.request("kms", "DisableKey", {"KeyId": made.id})
    disabled = engine.invoke(token, {"keyId": key})

    assert (found["arn"], found["keyState"], found["enabled"]) == (key, "Enabled", True)
    assert (found["keyUsage"], found["keySpec"]) == ("ENCRYPT_DECRYPT", "SYMMETRIC_DEFAULT")
    assert (disabled["keyState"], disabled["enabled"]) == ("Disabled", False)
    with pytest.raises(engine.Refusal, match="NotFoundException"):
        engine.invoke(token, {"keyId": key[:-4] + "none"})
