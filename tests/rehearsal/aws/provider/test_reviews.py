"""A preview of the real engine, reviewed: what a reviewer reads is what the engine would do."""

import json
from collections.abc import Callable

import pytest

from frugal_eks.errors import CommandError
from frugal_eks.plans.previews import Preview
from frugal_eks.plans.review import comment, risks
from tests.rehearsal.aws.provider.small_programs import Pulumi

pytestmark = [pytest.mark.engine, pytest.mark.feature("C-16")]

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws

config = pulumi.Config()
later = config.get_bool("later") or False


class Part(pulumi.ComponentResource):
    pass


part = Part("acme:index:Part", "part")
own = pulumi.ResourceOptions(parent=part)
actions = ["sqs:SendMessage"] + (["sqs:DeleteQueue"] if later else [])
queue = aws.sqs.Queue(
    "queue",
    name="second" if later else "first",
    tags={"word": pulumi.Output.secret("hush-hush"), "n": "2" if later else "1"},
    opts=own,
)
principal = {"Service": "ec2.amazonaws.com"}
trust = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
role = aws.iam.Role(
    "role", assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [trust]}), opts=own
)
aws.iam.RolePolicy(
    "policy",
    role=role.name,
    policy=json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}],
        }
    ),
    opts=own,
)
if not later:
    aws.cloudwatch.LogGroup("log", retention_in_days=30)
pulumi.export("arn", queue.arn)
"""


def test_what_the_engine_would_do_is_told(on_engine: Callable[[str], Pulumi]):
    run = on_engine(PROGRAM)

    first = Preview.parse(run("preview", "--json", "--show-sames").stdout)
    run("up", "--yes", "--skip-preview")
    unchanged = Preview.parse(run("preview", "--json", "--show-sames").stdout)
    run("config", "set", "later", "true")
    without_sames = Preview.parse(run("preview", "--json").stdout)
    later = Preview.parse(run("preview", "--json", "--show-sames").stdout)

    assert first.is_whole
    assert "### `dev` of `engine`: 4 to create" in comment(first)
    assert "### `dev` of `engine`: nothing changes" in comment(unchanged)
    assert [str(risk).replace("`", "") for risk in risks(later)] == [
        "cloudwatch.LogGroup log is deleted: the log written so far is lost",
        "sqs.Queue queue is replaced because of name: messages in it are lost, and interruptions "
        "meanwhile are not heard",
        "iam.RolePolicy policy policy: a statement allows also sqs:DeleteQueue",
    ]
    told = comment(later)
    assert "1 to replace, 1 to delete, 1 to update" in told
    assert "<summary><code>part</code>: 1 to replace, 1 to update</summary>" in told
    assert '- name: "first"\n+ name: "second"' in told
    assert '+    "sqs:DeleteQueue"' in told
    assert "hush-hush" not in told
    assert not without_sames.is_whole
    assert "(no `--show-sames`)" in comment(without_sames)


def test_a_preview_that_fails_has_no_comment(on_engine: Callable[[str], Pulumi]):
    run = on_engine("import pulumi\nraise pulumi.RunError('no such zone')\n")

    told = run("preview", "--json", fails=True).stdout

    with pytest.raises(CommandError, match=r"the preview itself has failed: .*zone") as error:
        Preview.parse(told)
    assert "\n" not in str(error.value)
    assert json.loads(told)["steps"]
