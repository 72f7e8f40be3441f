"""Every block of the pages that is no command is loaded by what it is meant for."""

import ast
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from frugal_eks.plans.previews import Preview
from frugal_eks.plans.review import comment
from stack_config import StackConfig, mistakes, parsed
from tests.conftest import ROOT
from tests.docs.pages import Block, blocks, pages, prose
from tests.docs.test_commands import SHELL, is_run
from tests.examples.checkout import as_in_the_checkout
from tests.frugal_eks.plans.previews import recorded

STACKS = {
    file.stem.removeprefix("Pulumi."): yaml.safe_load(file.read_text())["config"]
    for file in sorted((ROOT / "stacks").glob("Pulumi.*.yaml"))
}
SECTIONS = {info.alias or name for name, info in StackConfig.model_fields.items()}
OTHERS = [block for block in blocks() if block not in SHELL]


def settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """As the program sees them."""
    return {key.removeprefix("frugal-eks:"): value for key, value in config.items()}


def over(config: Any, more: Any) -> Any:
    """The settings with `more` over them, key by key."""
    if not (isinstance(config, dict) and isinstance(more, dict)):
        return more
    return config | {key: over(config.get(key), value) for key, value in more.items()}


def wrong(config: Mapping[str, Any]) -> list[str]:
    """The lines that the program would tell of these settings."""
    found = parsed(settings(config))
    return [] if isinstance(found, StackConfig) else list(map(mistakes.line, found))


def stack_file(text: str) -> None:
    """A whole stack file, or sections of one that fit into a stack that ships."""
    document = yaml.safe_load(text)
    if "config" in document:
        assert wrong(document["config"]) == []
        return
    sections = settings(document)
    assert sections.keys() <= SECTIONS, f"no section of a stack file: {sections.keys() - SECTIONS}"
    told = {name: wrong(over(settings(config), sections)) for name, config in STACKS.items()}
    assert [] in told.values(), told


def kubernetes_objects(text: str) -> None:
    """Objects with what every object has, of Kubernetes, of Karpenter or of eksctl."""
    for one in yaml.safe_load_all(text):
        assert {"apiVersion", "kind", "metadata"} <= one.keys()
        assert one["metadata"]["name"]


def workflow(text: str) -> None:
    """Jobs of GitHub Actions, each of which does something."""
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs
    assert all("uses" in job or (job["runs-on"] and job["steps"]) for job in jobs.values())


def yaml_block(text: str) -> None:
    """By what stands in it."""
    documents = list(yaml.safe_load_all(text))
    assert all(isinstance(one, dict) for one in documents), "says nothing by a key"
    if all("apiVersion" in one for one in documents):
        kubernetes_objects(text)
    elif any("jobs" in one for one in documents):
        workflow(text)
    else:
        stack_file(text)


def python_block(text: str) -> None:
    """It compiles, and what it imports is there."""
    tree = ast.parse(as_in_the_checkout(text))
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    exec(compile(ast.Module(imports, []), "page", "exec"), {})


def json_block(text: str) -> None:
    """JSON; of a policy, each statement says what it allows."""
    for one in json.loads(text).get("Statement", []):
        assert {"Effect", "Action"} <= one.keys()


def diff_block(text: str) -> None:
    """It stands in the comment of a recorded preview."""
    assert text.strip() in comment(Preview.parse(recorded.text("nodeless-change")))


KINDS: Mapping[str, Callable[[str], object]] = {
    "diff": diff_block,
    "yaml": yaml_block,
    "json": json_block,
    "python": python_block,
}


def as_told(text: str, *changes: Callable[[dict[str, Any]], object]) -> None:
    """The lines are what the program says of the `nodeless` stack with these changes."""
    config = yaml.safe_load((ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text())["config"]
    for change in changes:
        change(config)

    told = [line for line in text.splitlines() if line.startswith("  ")]
    assert sorted(told) == sorted(wrong(config))


def pool(config: dict[str, Any]) -> dict[str, Any]:
    """Its pool `default`."""
    return config["frugal-eks:karpenter"]["nodePools"]["default"]


def three_mistakes(text: str) -> None:
    """Those of the README."""
    as_told(
        text,
        lambda c: c["frugal-eks:cluster"].update(version="1.17"),
        lambda c: pool(c).update(nodeClass="spot"),
        lambda c: c.update({"frugal-eks:karpentr": {}}),
    )


def what_karpenter_would_refuse(text: str) -> None:
    """Those of docs/karpenter.md."""
    as_told(
        text,
        lambda c: pool(c)["limits"].update(cpu=1.5),
        lambda c: pool(c).update(expireAfter="30d"),
        lambda c: pool(c)["disruption"].update(budgets=[{"nodes": "200%"}]),
    )


def pip_lines(text: str) -> None:
    """tests/examples installs by such lines; the place of the repository is the reader's."""
    path, repository = (line.partition("#")[0].strip() for line in text.splitlines())
    assert path == "../frugal-eks"
    assert re.fullmatch(r"frugal-eks @ git\+https://\S+@TAG", repository)


CHECKED: Mapping[tuple[str, str], Callable[[str], object]] = {
    ("README.md", "Pulumi.nodeless.yaml is not valid:"): three_mistakes,
    (
        "docs/karpenter.md",
        '  karpenter.nodePools.default.limits.cpu: the API takes no decimal number: write "1500m" '
        "(got 1.5)",
    ): what_karpenter_would_refuse,
    (
        "examples/README.md",
        "../frugal-eks                                       # a clone beside it, or a git "
        "submodule: its path",
    ): pip_lines,
}
"""What a program prints, by page and first line. Other blocks without a kind need a marker that a
test names."""


def shown(block: Block) -> str:
    """For a test's name."""
    return str(block).replace("/", "-")


LOADED = [block for block in OTHERS if block.kind in KINDS and not is_run(block)]


@pytest.mark.parametrize("block", LOADED, ids=shown)
def test_each_is_loaded(block):
    KINDS[block.kind](block.text)


@pytest.mark.parametrize("place", CHECKED, ids=lambda place: place[0])
def test_each_output_is_what_the_program_says(place):
    (found,) = [block for block in OTHERS if block.place == place]

    CHECKED[place](found.text)


def test_no_block_is_unknown():
    known = [*LOADED, *filter(is_run, OTHERS)]

    assert [str(b) for b in OTHERS if b not in known and b.place not in CHECKED] == []


def test_no_block_is_hidden_by_indentation():
    """One without fences would escape all of this."""
    hidden = re.compile(r"\n\n(?: {4}|\t)(?![-*|0-9])\S")

    assert [page for page, text in pages().items() if hidden.search(prose(text))] == []


def test_every_link_leads_somewhere():
    def missing(page: str, target: str) -> bool:
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        return not file.exists() or bool(anchor and anchor not in anchors(file))

    links = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
    assert [
        f"{page}: {target}"
        for page, text in pages().items()
        for target in links.findall(text)
        if missing(page, target)
    ] == []


def anchors(file: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"(?m)^#+ (.*)$", file.read_text()) if file.suffix == ".md" else []
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("yaml", "karpenter: {nodePool: {}}"),
        ("yaml", "nothing: {}"),
        ("yaml", "config: {aws:region: eu-west-1}"),
        ("yaml", "- a"),
        ("yaml", "apiVersion: v1\nkind: Pod"),
        ("yaml", "jobs: {one: {runs-on: ubuntu-24.04, steps: []}}"),
        ("json", '{"Statement": [{"Effect": "Allow"}]}'),
        ("json", "{"),
        ("python", "from frugal_eks.components.nowhere import Nothing"),
    ],
)
def test_a_wrong_block_is_told(kind, text):
    with pytest.raises((AssertionError, ValueError, KeyError, ImportError, yaml.YAMLError)):
        KINDS[kind](text)
