"""Who has the rights: there already, only made now, or gone."""

from frugal_eks.plans.previews import UNKNOWN
from tests.frugal_eks.plans.review.made import step, urn
from tests.frugal_eks.plans.review.table.case import Case
from tests.frugal_eks.plans.review.table.given_rights import ATTACHED
from tests.frugal_eks.plans.review.table.rights import (
    INLINE,
    POLICY,
    QUEUE_POLICY,
    ROLE,
    TAGGED,
    WIDER,
    allow,
    deny,
    document,
    trust,
)

TAG = "aws:ec2/tag:Tag"
SEND = deny("sqs:SendMessage", "q", Principal="*")


def _inline(op, *statements, role="web"):
    given = {"role": role, "policy": document(*statements)}
    return step(op, INLINE, **({"old": given} if op == "delete" else {"new": given}))


def _queue_policy_goes(**more):
    return step("delete", QUEUE_POLICY, old={"policy": document(SEND)}, **more)


CASES = [
    Case(
        "an inline Deny goes, and the role stays",
        [_inline("delete", deny("s3:*"))],
        [f"{WIDER}: iam.RolePolicy one policy: a Deny no longer holds for s3:* on *"],
        [
            _inline("delete", deny("s3:*")),
            step(
                "delete",
                ROLE,
                "web",
                old={"name": "web", "assumeRolePolicy": document(trust("a") | {"Effect": "Deny"})},
            ),
        ],
    ),
    Case(
        "a resource's Deny goes, and the resource stays",
        [_queue_policy_goes()],
        [f"{WIDER}: sqs.QueuePolicy one policy: a Deny no longer holds for sqs:SendMessage on q"],
        [
            _queue_policy_goes(dependencies=[urn(TAG, "q")]),
            # What it was the policy of; a queue would be a finding of its own.
            step("delete", TAG, "q"),
        ],
    ),
    Case(
        "a role that is only made now, which everybody may take on",
        [step("create", ROLE, new={"assumeRolePolicy": document(trust("*"))})],
        [
            f"{WIDER}: iam.Role one assumeRolePolicy: allows sts:AssumeRole on * to *, without a "
            "condition"
        ],
        [step("create", ROLE, new={"assumeRolePolicy": document(trust("*", Condition=TAGGED))})],
    ),
    Case(
        "everything among other things",
        [_inline("create", allow(["s3:GetObject", "iam:*"]), role=UNKNOWN)],
        [
            f"{WIDER}: iam.RolePolicy one policy: allows iam:*, s3:GetObject on *, without a "
            "condition"
        ],
        [_inline("create", allow(["s3:GetObject", "iam:Get*"]), role=UNKNOWN)],
    ),
    Case(
        "one role that is there is enough",
        [
            step("create", POLICY, "logs", new={"policy": document(allow("s3:GetObject"))}),
            *(
                step(
                    "create",
                    ATTACHED,
                    role,
                    new={"role": role, "policyArn": UNKNOWN},
                    dependencies=[urn(POLICY, "logs")],
                )
                for role in (UNKNOWN, "web")
            ),
        ],
        [
            f"{WIDER}: iam.Policy logs policy: a new statement allows s3:GetObject on *",
            f"{WIDER}: iam.RolePolicyAttachment web gives web the policy logs as well",
        ],
        [
            step("create", ROLE, "web", new={"name": "web"}),
            _inline("create", allow("s3:GetObject")),
        ],
    ),
]
