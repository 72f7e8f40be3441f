"""Before and after, and how it is told in a comment."""

import gzip
import json
from pathlib import Path

import pytest

from frugal_eks.inputs import stack_file
from frugal_eks.plans.cost import CostError, compare
from frugal_eks.plans.cost.estimate import estimate
from frugal_eks.plans.cost.markdown import estimate_markdown
from frugal_eks.plans.cost.stacks import read_stack
from frugal_eks.plans.previews import UNKNOWN, Preview

RECORDED = Path(__file__).parents[3] / "data/previews"


def recorded(name):
    return Preview.parse(gzip.decompress((RECORDED / f"{name}.json.gz").read_bytes()).decode())


@pytest.mark.feature("C-13")
@pytest.mark.parametrize("stack", ["nodeless", "spot", "consolidation"])
def test_a_preview_of_the_real_engine_costs_what_the_stack_file_does(stack):
    """Nothing of it is known before `up` but what the program says."""
    declared = read_stack(stack_file(stack))
    by_file = estimate(declared.resources, declared.region)

    found = compare(recorded(f"{stack}-create"))

    def told(each):
        return sorted((e.kind, e.what, e.monthly, e.note) for e in each.lines)

    assert told(found.after) == told(by_file)
    assert found.after.unknown == by_file.unknown
    assert found.before.lines == ()
    assert found.difference.expected == pytest.approx(by_file.total.expected)


@pytest.mark.parametrize("stack", ["nodeless", "spot", "consolidation"])
def test_what_does_not_change_costs_what_it_did(stack):
    found = compare(recorded(f"{stack}-same"))

    assert found.is_whole
    assert found.before.total == found.after.total
    assert found.difference.expected == 0
    assert found.markdown().startswith("**0.00 USD a month** expected: ")


@pytest.fixture
def preview(resource):
    """A preview of NAT gateways: so many before, so many after."""

    def made(before, after, *, summary=None, **config):
        gateways = [resource("aws:ec2/natGateway:NatGateway", f"nat-{n}") for n in range(9)]
        steps = []
        for at, each in enumerate(gateways[: max(before, after)]):
            state = each.model_dump(by_alias=True)
            operation = "same" if at < min(before, after) else "create"
            operation = "delete" if at >= after else operation
            step = {"op": operation, "urn": each.urn}
            step |= {} if operation == "create" else {"oldState": state}
            steps.append(step | ({} if operation == "delete" else {"newState": state}))
        text = {"steps": steps, "config": {"aws:region": "eu-west-1"} | config}
        return parsed(text, summary)

    return made


def parsed(content, summary):
    return Preview.parse(json.dumps(content | {"changeSummary": summary or {}}))


def test_the_comment_tells_the_sum_its_ends_and_the_date_of_the_prices(preview, prices_in):
    found = compare(preview(1, 2), folder=prices_in())

    assert found.markdown().splitlines()[:6] == [
        "**+36.50 USD a month** expected: 41.50 before, 78.00 after (at least 78.00, at most "
        "78.00). eu-west-1, prices of 2026-01-01.",
        "",
        "| what changes | before | after | expected |",
        "| --- | ---: | ---: | ---: |",
        "| NAT | 41.50 | 78.00 | +36.50 |",
        "",
    ]


def test_what_goes_is_saved(preview, prices_in):
    found = compare(preview(2, 1), folder=prices_in())

    assert found.difference.expected == pytest.approx(-36.5)
    assert found.markdown().startswith("**-36.50 USD a month** expected: 78.00 before, 41.50 after")


def test_without_unchanged_resources_only_the_difference_is_told(preview, prices_in):
    found = compare(preview(1, 2, summary={"same": 40}), folder=prices_in())

    text = found.markdown()
    assert text.startswith("**+36.50 USD a month** expected. eu-west-1, prices of 2026-01-01.\n")
    assert "only differences are right: make it with `--show-sames` for sums" in text


def test_a_preview_without_a_region_is_refused(preview):
    with pytest.raises(CostError, match=r"names no AWS region: set aws:region .* --region$"):
        compare(preview(1, 2, **{"aws:region": ""}))


def test_the_region_of_a_provider_counts_too(with_provider):
    assert compare(with_provider("us-east-1")).after.region == "us-east-1"
    with pytest.raises(CostError, match="names no AWS region"):
        compare(with_provider(UNKNOWN))


@pytest.fixture
def with_provider(preview, resource):
    """A preview without a region of its own, with a provider that has this one."""

    def made(region):
        found = preview(0, 1, **{"aws:region": ""})
        provider = resource("pulumi:providers:aws", inputs={"region": region})
        states = [each.model_dump(by_alias=True) for each in (provider, *found.after)]
        steps = [{"op": "create", "urn": each["urn"], "newState": each} for each in states]
        return parsed({"steps": steps}, {})

    return made


@pytest.mark.parametrize(("size", "is_cut"), [(400, True), (1500, True), (20_000, False)])
@pytest.mark.parametrize("stack", ["nodeless", "spot"])
def test_a_comment_stays_within_its_size_and_closes_what_it_opens(stack, size, is_cut):
    text = compare(recorded(f"{stack}-create")).markdown(size)

    assert len(text) <= size
    assert text.startswith("**+")
    assert text.count("<details>") == text.count("</details>")
    assert ("./frugal-eks cost --preview FILE" in text) == is_cut


def test_names_cannot_break_the_comment(resource, estimated):
    name = "a|b</details>\n<!-- c"
    gateway = resource("aws:kms/key:Key", name)

    text = estimate_markdown(estimated(gateway))

    assert "| a&#124;b&#60;/details&#62; &#60;!-- c | KMS key |" in text


def test_what_has_no_upper_bound_and_what_is_unknown_stand_outside_the_folds(resource, estimated):
    spec = {
        "template": {
            "spec": {
                "requirements": [
                    {
                        "key": "node.kubernetes.io/instance-type",
                        "operator": "In",
                        "values": ["m5.large"],
                    }
                ]
            }
        }
    }
    pool = resource("kubernetes:karpenter.sh/v1:NodePool", "apps", {"spec": spec})
    sizes = {"minSize": 0, "maxSize": 1}
    group = resource(
        "aws:eks/nodeGroup:NodeGroup",
        "base",
        {"instanceTypes": ["x9z.large"], "scalingConfig": sizes},
    )

    text = estimate_markdown(estimated(pool, group)).partition("<details>")[0]

    assert "**No upper bound:** apps." in text
    assert "- base: the price of x9z.large on demand in eu-west-1" in text
    assert "| **total of what is known** | **0.00** | **0.00** | **no limit** |" in text
