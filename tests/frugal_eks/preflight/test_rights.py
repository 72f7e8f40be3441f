"""The rights that docs/preflight.md asks for are those that are used, and each may be missing."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frugal_eks.preflight.conftest import ACCOUNT, REGION, ROOT, Played, Told
from tests.frugal_eks.preflight.faults import EXISTING, key_of, played_cluster

POLICY = ROOT / "frugal_eks" / "preflight" / "policy.json"
ALWAYS_ALLOWED = "sts:GetCallerIdentity"
"""IAM user guide: no policy denies it."""


def allowed() -> list[str]:
    statements = json.loads(POLICY.read_text(encoding="utf-8"))["Statement"]
    actions = [statement["Action"] for statement in statements]
    return [one for each in actions for one in ([each] if isinstance(each, str) else each)]


@pytest.fixture
def look(account: Played, preflight: Callable[..., Told]) -> Callable[[], list[Told]]:
    """Runs that together ask all that preflight can ask."""
    files = [
        named_things(account),
        account.stack("spot"),
        existing(account),
        account.stack("consolidation", EXISTING),
    ]
    # One quota without a value of the account's own.
    del account.quotas["L-F678F1CE"]

    def run() -> list[Told]:
        return [preflight(file) for file in files]

    return run


def named_things(account: Played) -> str:
    """`nodeless`, naming all that a stack file can name, and all of it is there."""
    iam, kms, ec2, route53 = map(account.client, ("iam", "kms", "ec2", "route53"))
    iam.create_user(UserName="ann")
    iam.create_instance_profile(InstanceProfileName="mine")
    rights = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [rights]})
    boundary = iam.create_policy(PolicyName="boundary", PolicyDocument=document)["Policy"]["Arn"]
    ec2.create_key_pair(KeyName="mine")
    assert route53.list_hosted_zones()["HostedZones"]
    subnets = [each["SubnetId"] for each in ec2.describe_subnets()["Subnets"]][:2]
    balancers = {"web": "elbv2", "classic": "elb"}
    account.client(balancers["web"]).create_load_balancer(
        Name="web", Type="network", Subnets=subnets
    )
    account.client(balancers["classic"]).create_load_balancer(
        LoadBalancerName="classic",
        Listeners=[{"Protocol": "tcp", "LoadBalancerPort": 80, "InstancePort": 30080}],
        Subnets=subnets,
    )
    # What an earlier cluster left is looked at more closely.
    made = ec2.create_security_group(GroupName="left", Description="-", VpcId=vpc(account))
    mark = [{"Key": "kubernetes.io/cluster/nodeless", "Value": "owned"}]
    ec2.create_tags(Resources=[made["GroupId"]], Tags=mark)
    key = kms.create_key()["KeyMetadata"]["Arn"]
    return account.stack(
        "nodeless",
        key_of("roles", f"{{permissionsBoundary: '{boundary}'}}"),
        key_of("bastion", "{ssh: {keyName: mine, cidr: 203.0.113.7/32}}"),
        ("    deletionProtection", f"    kmsKeyArn: {key}\n    deletionProtection"),
        (r"role/platform-admin\]", f"role/platform-admin, arn:aws:iam::{ACCOUNT}:user/ann]"),
    )


def existing(account: Played) -> str:
    """A cluster, a VPC and subnets that exist, with node groups and profiles for them."""
    played_cluster(account, "shared")
    issuer = account.client("eks").describe_cluster(name="shared")["cluster"]["identity"]["oidc"]
    account.client("iam").create_open_id_connect_provider(
        Url=issuer["issuer"], ClientIDList=["sts.amazonaws.com"], ThumbprintList=["0" * 40]
    )
    found = account.client("ec2").describe_subnets()["Subnets"][:2]
    ids = ", ".join(subnet["SubnetId"] for subnet in found)
    network = f"{{vpcId: {vpc(account)}, privateSubnetIds: [{ids}], tagSubnets: true}}"
    release = re.search(r"releaseVersion: \S+", Path(account.stack("spot")).read_text())[0]
    file = account.folder / "Pulumi.existing.yaml"
    file.write_text(
        f"""config:
  aws:region: {REGION}
  frugal-eks:cluster: {{existing: shared, runsOn: fargate}}
  frugal-eks:network: {network}
  frugal-eks:fargate: {{profiles: {{batch: [{{namespace: batch}}]}}}}
  frugal-eks:managedNodeGroups:
    base: {{instanceTypes: [m6a.large], {release}, size: {{min: 1, max: 1}}}}
""",
        encoding="utf-8",
    )
    return str(file)


def vpc(account: Played) -> str:
    return account.client("ec2").describe_vpcs()["Vpcs"][0]["VpcId"]


def test_the_policy_allows_what_is_asked_and_nothing_else(account: Played, look):
    told = look()

    assert [each.failing for each in told] == [[]] * len(told)
    assert sorted(allowed()) == sorted(account.calls)


def test_a_missing_right_is_named_and_is_no_failure(account: Played, look):
    rights = set(allowed()) - {ALWAYS_ALLOWED}
    account.denied, missing = set(rights), set[str]()

    # With each run that is allowed what the one before missed, the checks get further.
    while account.denied:
        told = look()
        found = {
            action for each in told for check in each.checks for action in check["missingActions"]
        }
        assert {each.code for each in told} == {0}, [each.failing for each in told]
        assert found - missing, f"nobody says that {sorted(account.denied)} is missing"
        missing |= found
        account.denied -= found

    assert missing == rights


def test_its_rights_only_read():
    verbs = {action.partition(":")[2] for action in allowed()}

    assert verbs
    assert [verb for verb in verbs if not verb.startswith(("Describe", "Get", "List"))] == []
