"""Whatever a program calls its things, the comment stays one, and below what GitHub takes."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from frugal_eks.plans.cost import compare
from frugal_eks.plans.previews.markdown import code, prose
from frugal_eks.plans.review import comment
from frugal_eks.plans.review.comment import LIMIT
from tests.frugal_eks.plans.review.made import preview, step

QUEUE = "aws:sqs/queue:Queue"
HOSTILE = [
    "@octocat",
    "#1",
    "a|b",
    "**bold**",
    "[a](https://example.com)",
    "![a](https://example.com/a.png)",
    "`",
    "``` a",
    "`a`",
    "</details>",
    "</code><script>alert(1)</script>",
    "<!-- frugal-eks review: shop/dev -->",
    "line\n\n```\n\n</details>\n\n# one",
    "\u202egnp.exe",
    "a\u200bb",
    "\r\n@octocat",
    "\x00\x1b[31m",
    "a\ud800b",
    "&lt;b&gt;",
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "https://example.com/@octocat",
]
OURS = re.compile(
    r"<details><summary>((<code>[^<]*</code>|Warnings|in no component): [\w ,]+"
    r"|What is counted after the change|What it rests on)</summary>|</details>"
)
"""All HTML that is written; GitHub links no mention in <code>."""
MARKER = re.compile(r"<!-- frugal-eks review: [\w.-]+/[\w.-]+ -->")
LINKED = re.compile("[@#](?!\u200b)|https?:(?!\u200b)")
RENDERED = {"text", "code_inline", "softbreak", "strong_open", "strong_close"}
PARSER = MarkdownIt("commonmark").enable("table")


def check(told: str) -> None:
    """What GitHub renders of it is what was meant, as another reader of Markdown sees it."""
    assert len(told.encode("utf-16-le")) // 2 <= LIMIT
    first, *tokens = PARSER.parse(told)
    assert MARKER.fullmatch(first.content.strip())
    folds = 0
    for token in tokens:
        if token.type == "html_block":
            assert OURS.fullmatch(token.content.strip())
            folds += 1 if token.content.startswith("<details>") else -1
        for child in token.children or []:
            assert child.type in RENDERED
            # A mention, an issue or an address is no link if a sign without width follows.
            assert child.type != "text" or not LINKED.search(child.content)
    assert folds == 0


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(hostile):
    part = step("create", "acme:index:Part", hostile, custom=False)
    told = comment(
        preview(
            part,
            step("delete", QUEUE, hostile, parent=part["urn"]),
            step(
                "update",
                QUEUE,
                "two",
                old={hostile: "a", "policy": hostile},
                new={hostile: hostile, "list": [hostile, {hostile: hostile}]},
                parent=part["urn"],
                detailedDiff={f'["{hostile}"]': {"kind": "update"}},
                replaceReasons=[hostile],
            ),
            diagnostics=[{"severity": "warning", "message": hostile}],
        ),
        source=hostile,
    )

    check(told)
    assert f"- **delete** `sqs.Queue` {code(hostile)}\n" in told


@pytest.mark.parametrize("hostile", HOSTILE)
def test_so_it_is_among_the_costs(hostile):
    part = step("create", "acme:index:Part", hostile, custom=False)
    read = preview(
        part,
        step("create", "aws:ec2/natGateway:NatGateway", hostile, parent=part["urn"]),
        step("create", "aws:ec2/instance:Instance", hostile, new={"instanceType": hostile}),
        step("create", "aws:ebs/volume:Volume", hostile, new={"type": hostile, "size": 1}),
        config={"aws:region": "eu-west-1"},
    )

    told = comment(read, costs=compare(read))

    check(told)
    assert f"| {prose(hostile)} | NAT gateway |" in told


def test_signs_that_are_not_seen_are_spelt_out():
    assert code("a\u202eb\u200b\n") == "`a\\u202eb\\u200b\\n`"
    assert code("``") == "``` `` ```"
    assert code("") == '`""`'
    assert code("x" * 101) == f"`{'x' * 100}… (1 more characters)`"


# Properties that findings are made of.
READ = ["policy", "ingress", "vpcConfig", "spec", "metadata", "version", "tags", "encrypted"]
READ += ["instanceRefresh", "launchTemplate", "assumeRolePolicy", "securityGroupId", "rules"]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(HOSTILE),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
inputs = st.dictionaries(
    st.text(min_size=1) | st.sampled_from(READ),
    values,
    max_size=4,
)
types = st.sampled_from(
    [
        QUEUE,
        "aws:iam/role:Role",
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "aws:eks/cluster:Cluster",
        "aws:ec2/securityGroup:SecurityGroup",
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "aws:autoscaling/group:Group",
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws:eks/accessEntry:AccessEntry",
        "kubernetes:karpenter.sh/v1:NodePool",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding",
        "kubernetes:policy/v1:PodDisruptionBudget",
        "kubernetes:helm.sh/v3:Release",
        "kubernetes:core/v1:Secret",
        "a",
        "",
    ]
)
operations = st.sampled_from(["create", "update", "replace", "delete", "same", "read", "import"])
steps = st.builds(step, operations, types, st.text() | st.sampled_from(HOSTILE), inputs, inputs)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, max_size=6), st.text())
def test_any_preview_gives_a_comment(made, source):
    check(comment(preview(*made), source=source))
