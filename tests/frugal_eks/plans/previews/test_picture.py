"""The picture shows every component once, what waits for what, and nothing upon anything else."""

import json
from itertools import pairwise

import pytest

from frugal_eks import cli
from frugal_eks.errors import CommandError
from frugal_eks.plans.previews import Preview
from frugal_eks.plans.previews.picture import PictureError, graph, svg
from frugal_eks.plans.previews.picture.layers import reduced
from frugal_eks.plans.previews.picture.words import words
from tests.conftest import ROOT
from tests.frugal_eks.plans.previews import recorded

STACKS = ("nodeless", "spot", "consolidation")
PICTURE = ROOT / "docs" / "architecture.svg"


def drawn(name):
    return graph(Preview.parse(recorded.text(name)))


def titles(found):
    return {box.key: f"{box.room} {box.title}".strip() for box in found.boxes}


def test_the_architecture_is_the_picture_of_the_nodeless_stack():
    """Else: ./frugal-eks picture PREVIEW.json -o docs/architecture.svg"""
    assert PICTURE.read_text() == svg(drawn("nodeless-create"))


def test_every_component_is_there_on_its_side_and_in_its_room():
    boxes = {(box.side, box.room, box.title) for box in drawn("nodeless-create").boxes}

    assert {b for b in boxes if not b[1]} == {
        ("aws", "", "Network"),
        ("aws", "", "Cluster"),
        ("aws", "", "Fargate profiles"),
        ("aws", "", "Node add-ons"),
        ("aws", "", "EKS add-on coredns"),
        ("aws", "", "Spot service linked role"),
        ("cluster", "", "Overprovisioning"),
        ("cluster", "", "Sample workloads"),
    }
    assert {b for b in boxes if b[1] == "Karpenter"} == {
        ("aws", "Karpenter", "Interruption queue"),
        ("cluster", "Karpenter", "Controller"),
        ("cluster", "Karpenter", "EC2 node class"),
        ("cluster", "Karpenter", "Node pool"),
    }
    assert {title for _, room, title in boxes if room == "Add-ons"} == {
        "AWS load balancer controller",
        "EFS CSI",
        "External DNS",
        "Kube ops view",
        "Metrics server",
    }


def test_the_way_to_the_first_pod_is_an_arrow_after_the_other():
    found = drawn("nodeless-create")
    name = titles(found)
    arrows = {(name[a], name[b]) for a, b in reduced(found.edges)}

    way = ["Network", "Cluster", "Fargate profiles", "Karpenter Controller"]
    way += ["Karpenter EC2 node class", "Karpenter Node pool", "Sample workloads"]
    assert set(pairwise(way)) <= arrows
    assert ("Network", "Karpenter Controller") not in arrows
    assert ("Karpenter Interruption queue", "Karpenter Controller") in arrows


def test_a_box_says_what_is_made():
    lines = {box.title: box.lines for box in drawn("nodeless-create").boxes}

    assert lines["Network"] == ("VPC, 6 subnets, NAT gateway",)
    assert lines["Fargate profiles"] == ("profile karpenter", "profile kube-system")
    assert lines["Node pool"] == ("default: spot",)
    assert lines["Metrics server"][0].startswith("chart ")
    assert lines["Spot service linked role"] == ()


@pytest.mark.parametrize("stack", STACKS)
def test_before_and_after_up_the_bytes_are_the_same_in_whatever_order_the_engine_works(stack):
    before = Preview.parse(recorded.text(f"{stack}-create"))
    after = Preview.parse(recorded.text(f"{stack}-same"))
    turned = Preview(**{**vars(before), "changes": tuple(reversed(before.changes))})

    assert svg(graph(before)) == svg(graph(after)) == svg(graph(turned))


def resource(name, kind, parent="stack", **more):
    state = {
        "urn": urn(name, kind),
        "type": kind,
        "custom": True,
        "parent": urn(parent, "pulumi:pulumi:Stack") if parent == "stack" else parent,
    }
    return {"op": "create", "urn": urn(name, kind), "newState": state | more}


def urn(name, kind):
    return f"urn:pulumi:dev::shop::{kind}::{name}"


def preview(*steps):
    stack = resource("stack", "pulumi:pulumi:Stack", "", custom=False)
    text = {"steps": [stack, *steps], "changeSummary": {"create": len(steps) + 1}}
    return Preview.parse(json.dumps(text))


def test_a_program_without_components_is_drawn_by_types():
    bucket, topic = ("aws:s3/bucket:Bucket", "aws:sns/topic:Topic")
    found = graph(
        preview(
            resource("a", bucket),
            resource("b", bucket),
            resource("t", topic, dependencies=[urn("a", bucket)]),
        )
    )
    name = titles(found)

    assert sorted(name.values()) == ["Bucket", "Topic"]
    assert [(name[a], name[b]) for a, b in found.edges] == [("Bucket", "Topic")]
    assert svg(found).count('<rect class="box aws"') == 2  # noqa: PLR2004


def test_what_a_provider_needs_comes_before_what_it_makes():
    cluster = resource("cluster", "shop:index:Cluster", custom=False)
    topic, maker = "aws:sns/topic:Topic", "pulumi:providers:kubernetes"
    found = graph(
        preview(
            cluster,
            resource("t", topic, cluster["urn"]),
            resource("k", maker, cluster["urn"]),
            resource("pod", "kubernetes:core/v1:Pod", provider=f"{urn('k', maker)}::id"),
        )
    )
    name = titles(found)

    assert [(name[a], name[b]) for a, b in found.edges] == [("Cluster", "Pod")]


def test_components_that_wait_for_each_other_are_drawn_too():
    kind = "aws:sns/topic:Topic"
    parts = [resource(name, f"shop:index:{name}", custom=False) for name in ("One", "Two")]
    one, two = (part["urn"] for part in parts)
    found = graph(
        preview(
            *parts,
            resource("a", kind, one, dependencies=[urn("d", kind)]),
            resource("b", kind, two, dependencies=[urn("c", kind)]),
            resource("c", kind, one),
            resource("d", kind, two),
        )
    )

    assert len(found.edges) == 2  # noqa: PLR2004 (there and back)
    assert svg(found).count('class="arrow"') == 1


def test_what_cannot_be_drawn_is_told(tmp_path, capsys):
    kind = "aws:sns/topic:Topic"
    only = preview(resource("t", kind))
    partly = Preview(**{**vars(only), "summary": {"same": 4, "create": 1}})

    with pytest.raises(PictureError, match="tells only what changes, and a picture shows all"):
        graph(partly)
    with pytest.raises(PictureError, match=r"nothing to draw$"):
        graph(preview())
    target = tmp_path / "picture.svg"
    cut = tmp_path / "cut.json"
    cut.write_text(recorded.text("nodeless-create")[:5000])
    assert cli.main(["picture", str(cut), "-o", str(target)]) == CommandError.code
    told = capsys.readouterr().err
    assert told.startswith(f"{cut}: is cut off or no JSON")
    assert told.count("\n") == 1
    assert not target.exists()


def test_the_command_draws(tmp_path):
    whole = tmp_path / "preview.json"
    whole.write_text(recorded.text("nodeless-create"))

    assert cli.main(["picture", str(whole), "-o", str(tmp_path / "a.svg")]) == 0
    assert (tmp_path / "a.svg").read_text() == PICTURE.read_text()


@pytest.mark.parametrize(
    ("camel", "plain"),
    [
        ("NatGateway", "NAT gateway"),
        ("EC2NodeClass", "EC2 node class"),
        ("EksAddon", "EKS add-on"),
        ("VpcEndpoint", "VPC endpoint"),
        ("Bucket", "Bucket"),
        ("AwsLoadBalancerController", "AWS load balancer controller"),
    ],
)
def test_types_are_told_in_words(camel, plain):
    assert words(camel) == plain
