"""The roles that docs/pull-requests.md tells to make: what they may, and who may be them."""

import ast
import json
import re
from pathlib import Path

import pytest

from rehearsal.aws.provider import data_sources, ec2_sources
from rehearsal.aws.resource_types import TYPES
from rehearsal.aws.resource_types.entry import Call

ROOT = Path(__file__).parents[2]
AWS = ROOT / ".github" / "aws"
READS = re.compile(r"\w+:(Describe|Get|List)[A-Z]\w+")
SUBJECT = "token.actions.githubusercontent.com:sub"
AUDIENCE = "token.actions.githubusercontent.com:aud"
pytestmark = pytest.mark.feature("C-16")

# IAM's word for a service where the API's own is another.
PREFIXES = {"efs": "elasticfilesystem"}

# What the real provider, to our knowledge, asks beside what the stand-in does: its own first call,
# and further requests of its data sources and of reading each resource. No run has checked it.
REAL_PROVIDER = {
    "the provider itself": ["sts:GetCallerIdentity"],
    "aws:ec2/eip:Eip": ["ec2:DescribeAddressesAttribute"],
    "aws:ec2/instance:Instance": [
        "ec2:DescribeInstanceCreditSpecifications",
        "ec2:DescribeInstanceTypes",
    ],
    "aws:ec2/vpc:Vpc": ["ec2:DescribeNetworkAcls", "ec2:DescribeRouteTables"],
    "aws:ec2/vpcEndpoint:VpcEndpoint": ["ec2:DescribePrefixLists"],
    "aws:iam/policy:Policy": ["iam:ListPolicyVersions"],
    "aws:iam/role:Role": ["iam:ListRolePolicies"],
    "aws:iam/serviceLinkedRole:ServiceLinkedRole": ["iam:GetRole"],
    "aws:kms/alias:Alias": ["kms:ListAliases"],
    "aws:route53/getZone:getZone": [
        "route53:ListResourceRecordSets",
        "route53:ListTagsForResource",
    ],
    "aws:sqs/queue:Queue": ["sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:ListQueueTags"],
}


def statements(name):
    return json.loads((AWS / name).read_text())["Statement"]


def as_list(value):
    return [value] if isinstance(value, str) else value


def allowed(name="preview-policy.json"):
    return {
        action: statement["Resource"]
        for statement in statements(name)
        for action in as_list(statement["Action"])
    }


def asked_by_data_sources():
    """Each `account.request("ec2", "DescribeVpcs", …)` of the stand-in's data sources."""
    return {
        f"{PREFIXES.get(call.args[0].value, call.args[0].value)}:{call.args[1].value}"
        for module in (data_sources, ec2_sources)
        for call in ast.walk(ast.parse(Path(module.__file__).read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in {"request", "paged"}
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[1], ast.Constant)
    }


def asked_by_reads():
    return {
        f"{PREFIXES.get(kind.service, kind.service)}:{step.operation}"
        for kind in TYPES.values()
        for step in kind.read
        if isinstance(step, Call)
    }


def test_the_preview_role_only_reads_and_says_what():
    found = allowed()

    assert {action for action in found if not READS.fullmatch(action)} == {"kms:Decrypt"}
    assert {one["Effect"] for one in statements("preview-policy.json")} == {"Allow"}
    assert not any(
        "NotAction" in one or "NotResource" in one for one in statements("preview-policy.json")
    )


def test_what_holds_secrets_is_read_in_the_state_alone():
    found = allowed()

    assert found["kms:Decrypt"] == "STATE_KEY_ARN"
    assert found["s3:GetObject"] == "arn:aws:s3:::STATE_BUCKET/.pulumi/*"
    assert found["s3:ListBucket"] == "arn:aws:s3:::STATE_BUCKET"
    # Only the parameters that AWS publishes, which have no account.
    assert found["ssm:GetParametersByPath"] == "arn:aws:ssm:*::parameter/aws/service/*"
    assert {
        action for action in found if action.startswith(("s3:", "secretsmanager:", "ssm:"))
    } == {
        "s3:GetObject",
        "s3:ListBucket",
        "ssm:GetParametersByPath",
    }


def test_the_preview_role_may_what_every_data_source_asks():
    asked = asked_by_data_sources()

    assert {"ec2:DescribeImages", "eks:DescribeAddonVersions", "iam:ListRoles"} <= asked
    assert asked - allowed().keys() == set()


def test_the_preview_role_may_read_every_type_that_the_program_makes():
    asked = asked_by_reads()

    assert {"eks:DescribeCluster", "elasticfilesystem:DescribeMountTargets"} <= asked
    assert asked - allowed().keys() == set()


def test_the_preview_role_may_what_the_real_provider_asks_besides():
    # A type whose reads are a function says nothing by itself.
    silent = {
        token for token, kind in TYPES.items() if not any(isinstance(s, Call) for s in kind.read)
    }

    assert silent <= REAL_PROVIDER.keys()
    assert {a for actions in REAL_PROVIDER.values() for a in actions} - allowed().keys() == set()


def test_the_preview_role_may_nothing_that_nobody_asks():
    asked = asked_by_data_sources() | asked_by_reads()
    asked |= {action for actions in REAL_PROVIDER.values() for action in actions}
    asked |= {"s3:ListBucket", "s3:GetObject", "kms:Decrypt"}

    assert allowed().keys() - asked == set()


def test_every_data_source_of_a_component_is_known():
    """Else the rows above would not see what it asks."""
    text = "\n".join(path.read_text() for path in (ROOT / "components").rglob("*.py"))
    called = set(re.findall(r"\baws\.(?:\w+\.)?(get_[a-z_]+?)(?:_output)?\(", text))
    known = {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", token.rpartition(":")[2]).lower()
        for token in data_sources.DATA_SOURCES
    }

    assert "get_ami_ids" in called
    assert called - known == set()


@pytest.mark.parametrize(
    ("name", "subjects"),
    [
        (
            "preview-trust.json",
            ["repo:OWNER/REPOSITORY:pull_request", "repo:OWNER/REPOSITORY:ref:refs/heads/main"],
        ),
        ("up-trust.json", ["repo:OWNER/REPOSITORY:environment:STACK"]),
    ],
)
def test_a_role_is_for_this_repository_and_its_events_alone(name, subjects):
    (statement,) = statements(name)
    condition = statement["Condition"]

    assert statement["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert statement["Principal"]["Federated"].endswith(
        ":oidc-provider/token.actions.githubusercontent.com"
    )
    # No StringLike: a pattern would let other repositories or branches in.
    assert condition.keys() == {"StringEquals"}
    assert condition["StringEquals"][AUDIENCE] == "sts.amazonaws.com"
    assert as_list(condition["StringEquals"][SUBJECT]) == subjects


def test_the_role_that_deploys_writes_the_state_that_the_other_reads():
    assert allowed("up-state-policy.json").keys() == {
        "s3:ListBucket",
        "s3:GetObject",
        "s3:PutObject",
        "s3:DeleteObject",
        "kms:Decrypt",
        "kms:Encrypt",
    }
