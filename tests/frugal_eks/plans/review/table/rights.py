"""What widens, statement by statement."""

import json

from frugal_eks.plans.previews import UNKNOWN
from tests.frugal_eks.plans.review.made import step
from tests.frugal_eks.plans.review.table.case import Case

POLICY, ROLE = "aws:iam/policy:Policy", "aws:iam/role:Role"
INLINE = "aws:iam/rolePolicy:RolePolicy"
QUEUE_POLICY = "aws:sqs/queuePolicy:QueuePolicy"
KEY = "aws:kms/key:Key"
WIDER = "Permissions widen"
TAGGED = {"StringEquals": {"aws:ResourceTag/team": "a"}}
BUCKET = "arn:aws:s3:::logs"


def allow(actions, resources="*", **more):
    return {"Effect": "Allow", "Action": actions, "Resource": resources} | more


def deny(actions, resources="*", **more):
    return allow(actions, resources, **more) | {"Effect": "Deny"}


def trust(*principals, **more):
    who = {"AWS": list(principals)}
    return {"Effect": "Allow", "Principal": who, "Action": "sts:AssumeRole"} | more


def document(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def _policy(old, new, type_=POLICY, key="policy"):
    return step("update", type_, old={key: document(*old)}, new={key: document(*new)})


CASES = [
    Case(
        "an action",
        [_policy([allow(["s3:GetObject"])], [allow(["s3:GetObject", "s3:DeleteObject"])])],
        [f"{WIDER}: iam.Policy one policy: a statement allows also s3:DeleteObject"],
        [_policy([allow(["s3:Get*"])], [allow(["s3:GetObject", "s3:getBucketTagging"])])],
    ),
    Case(
        "a resource",
        [_policy([allow("s3:*", f"{BUCKET}/*", Sid="Logs")], [allow("s3:*", "*", Sid="Logs")])],
        [f"{WIDER}: iam.Policy one policy: a statement Logs allows also on *"],
        [_policy([allow("s3:*", "arn:aws:s3:::*")], [allow("s3:*", [BUCKET, f"{BUCKET}/*"])])],
    ),
    Case(
        "a condition dropped",
        [_policy([allow("ec2:Stop*", Condition=TAGGED)], [allow("ec2:Stop*")])],
        [
            f"{WIDER}: iam.Policy one policy: a statement requires less, or nothing, "
            "of StringEquals aws:resourcetag/team"
        ],
        [_policy([allow("ec2:Stop*")], [allow("ec2:Stop*", Condition=TAGGED)])],
    ),
    Case(
        "a condition with more values",
        [
            _policy(
                [allow("s3:*", Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/16"}})],
                [allow("s3:*", Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}})],
            )
        ],
        [
            f"{WIDER}: iam.Policy one policy: a statement requires less, or nothing, "
            "of IpAddress aws:sourceip"
        ],
        [
            _policy(
                [allow("s3:*", Condition={"StringLike": {"aws:PrincipalArn": ["a*", "b"]}})],
                [allow("s3:*", Condition={"StringEquals": {"aws:PrincipalArn": ["abc"]}})],
            )
        ],
    ),
    Case(
        "a new statement",
        [_policy([allow("s3:*")], [allow("s3:*"), allow("iam:PassRole", "*", Sid="Pass")])],
        [f"{WIDER}: iam.Policy one policy: a new statement Pass allows iam:PassRole on *"],
        [_policy([allow(["s3:*", "iam:*"])], [allow("iam:PassRole"), allow("s3:GetObject")])],
    ),
    Case(
        "a Deny removed or narrowed",
        [_policy([allow("s3:*"), deny("s3:Delete*", Sid="Keep")], [allow("s3:*")])],
        [f"{WIDER}: iam.Policy one policy: a Deny Keep no longer holds for s3:Delete* on *"],
        [_policy([deny("s3:Delete*")], [deny(["s3:Put*", "s3:Delete*"])])],
    ),
    Case(
        "a Deny that got a condition",
        [_policy([deny("s3:*")], [deny("s3:*", Condition=TAGGED)])],
        [f"{WIDER}: iam.Policy one policy: a Deny no longer holds for s3:* on *"],
        [_policy([deny("s3:*", Condition=TAGGED)], [deny("s3:*")])],
    ),
    Case(
        "NotAction, which is all but few",
        [_policy([allow("s3:*")], [{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}])],
        [f"{WIDER}: iam.Policy one policy: a new statement allows all but iam:* on *"],
        [
            _policy(
                [{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}],
                [{"Effect": "Allow", "NotAction": ["iam:*", "kms:*"], "Resource": "*"}],
            )
        ],
    ),
    Case(
        "an exception dropped",
        [
            _policy(
                [{"Effect": "Allow", "NotAction": ["iam:*", "kms:*"], "Resource": "*"}],
                [{"Effect": "Allow", "NotAction": ["iam:*"], "Resource": "*"}],
            )
        ],
        [f"{WIDER}: iam.Policy one policy: a statement allows also all but iam:*"],
        [
            _policy(
                [{"Effect": "Allow", "NotAction": ["iam:Get*"], "Resource": "*"}],
                [{"Effect": "Allow", "NotAction": ["iam:*"], "Resource": "*"}],
            )
        ],
    ),
    Case(
        "NotResource, which leaves out what was allowed",
        [
            _policy(
                [{"Effect": "Allow", "Action": "s3:*", "NotResource": "arn:aws:s3:::logs/*"}],
                [allow("s3:*", "arn:aws:s3:::logs/a")],
            )
        ],
        [f"{WIDER}: iam.Policy one policy: a statement allows also on arn:aws:s3:::logs/a"],
        [
            _policy(
                [{"Effect": "Allow", "Action": "s3:*", "NotResource": "arn:aws:s3:::logs/*"}],
                [allow("s3:*", "arn:aws:s3:::other/a")],
            )
        ],
    ),
    Case(
        "NotResource within what is asked for",
        [
            _policy(
                [{"Effect": "Allow", "Action": "s3:*", "NotResource": "arn:aws:s3:::logs/a"}],
                [allow("s3:*", "arn:aws:s3:::logs/*")],
            )
        ],
        [f"{WIDER}: iam.Policy one policy: a statement allows also on arn:aws:s3:::logs/*"],
        [_policy([allow("s3:*", "arn:aws:s3:::LOGS/*")], [allow("S3:*", "arn:aws:s3:::LOGS/a")])],
    ),
    Case(
        "a resource in other letters, which is another one",
        [_policy([allow("s3:*", "arn:aws:s3:::logs")], [allow("s3:*", "arn:aws:s3:::LOGS")])],
        [f"{WIDER}: iam.Policy one policy: a statement allows also on arn:aws:s3:::LOGS"],
        [_policy([allow("s3:GETOBJECT")], [allow("s3:getobject")])],
    ),
    Case(
        "who may take a role on",
        [_policy([trust("a")], [trust("a", "b")], ROLE, "assumeRolePolicy")],
        [f"{WIDER}: iam.Role one assumeRolePolicy: a statement allows also to AWS:b"],
        [_policy([trust("a", "b")], [trust("b")], ROLE, "assumeRolePolicy")],
    ),
    Case(
        "an inline policy of a role that is there",
        [step("create", INLINE, new={"role": "web", "policy": document(allow("s3:GetObject"))})],
        [f"{WIDER}: iam.RolePolicy one policy: a new statement allows s3:GetObject on *"],
        [
            step("create", ROLE, "web", new={"name": "web"}),
            step("create", INLINE, new={"role": "web", "policy": document(allow("s3:GetObject"))}),
        ],
    ),
    Case(
        "without bounds, of a new role too",
        [step("create", INLINE, new={"role": UNKNOWN, "policy": document(allow("iam:*"))})],
        [f"{WIDER}: iam.RolePolicy one policy: allows iam:* on *, without a condition"],
        [step("create", INLINE, new={"role": UNKNOWN, "policy": document(allow("iam:*", "r"))})],
    ),
    Case(
        "a policy that moves to another resource of the same role allows no more",
        [
            step(
                "delete", INLINE, "old", old={"role": "web", "policy": document(allow("s3:Get*"))}
            ),
            step("create", INLINE, "new", new={"role": "web", "policy": document(allow("s3:*"))}),
        ],
        [f"{WIDER}: iam.RolePolicy new policy: a new statement allows s3:* on *"],
        [
            step(
                "delete", INLINE, "old", old={"role": "web", "policy": document(allow("s3:Get*"))}
            ),
            step(
                "create", INLINE, "new", new={"role": "web", "policy": document(allow("s3:Get*"))}
            ),
        ],
    ),
    Case(
        "a queue's policy",
        [
            _policy(
                [allow("sqs:SendMessage", "q", Principal={"Service": "events.amazonaws.com"})],
                [allow("sqs:SendMessage", "q", Principal="*")],
                QUEUE_POLICY,
            )
        ],
        [f"{WIDER}: sqs.QueuePolicy one policy: a statement allows also to *"],
        [
            _policy(
                [allow("sqs:SendMessage", "q", Principal="*")],
                [allow("sqs:SendMessage", "q", Principal={"Service": "events.amazonaws.com"})],
                QUEUE_POLICY,
            )
        ],
    ),
    Case(
        "a key's policy, written as an object",
        [
            step(
                "update",
                KEY,
                old={"policy": {"Statement": [allow("kms:*", Principal={"AWS": "root"})]}},
                new={"policy": {"Statement": [allow("kms:*", Principal={"AWS": ["root", "x"]})]}},
            )
        ],
        [f"{WIDER}: kms.Key one policy: a statement allows also to AWS:x"],
        [step("create", KEY, new={"policy": document(allow("kms:*", Principal={"AWS": "root"}))})],
    ),
    Case(
        "a policy that only up will tell",
        [step("update", POLICY, old={"policy": document(allow("s3:*"))}, new={"policy": UNKNOWN})],
        [f"{WIDER}: iam.Policy one policy is known only after up: look at it then"],
        [step("create", POLICY, new={"policy": UNKNOWN})],
    ),
]
