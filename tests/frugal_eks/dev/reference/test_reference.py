"""docs/reference.md and docs/components/: made of the program, and up to date."""

import ast
import dataclasses
import inspect
import re
from pathlib import Path

import pulumi
import pytest

from frugal_eks.dev.reference.__main__ import settle
from frugal_eks.dev.reference.component_page import pages
from frugal_eks.dev.reference.parts import PARTS
from frugal_eks.dev.reference.record import recorded
from frugal_eks.dev.reference.stack_page import stack_page
from stack_config.docstrings import fields, paragraph
from stack_config.places import Places
from stack_config.schema import plain_schema
from tests.examples.checkout import as_in_the_checkout

ROOT = Path(__file__).parents[4]
PLACES = Places(plain_schema())
PAGES = pages(PLACES)
STACK_PAGE = stack_page(PLACES)
each_part = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)


def component_classes():
    """Every public component of components/, with its file."""
    for path in sorted((ROOT / "components").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            bases = map(ast.unparse, getattr(node, "bases", ()))
            if "pulumi.ComponentResource" in bases and not node.name.startswith("_"):
                yield node.name


INSIDE = {"AddonAccount", "Addons", "Controller", "NodeAddons"}
"""Parts of the platform that no other program can use by themselves."""


def test_every_component_has_a_page_or_a_reason():
    assert {part.name for part in PARTS} | INSIDE == set(component_classes())


def test_the_pages_that_ship_are_up_to_date():
    docs = ROOT / "docs"
    there = {file.name: file.read_text(encoding="utf-8") for file in docs.glob("components/*.md")}

    assert (docs / "reference.md").read_text(encoding="utf-8") == STACK_PAGE
    assert there == PAGES


def test_the_command_says_what_is_not_up_to_date(tmp_path, capsys):
    texts = {"reference.md": "a", "components/b.md": "b"}

    assert settle(texts, tmp_path, is_check=True) == 1
    assert capsys.readouterr().err == (
        "docs/reference.md, docs/components/b.md: not what the program says: "
        "run `python -m frugal_eks.dev.reference`\n"
    )
    assert not [*tmp_path.iterdir()]
    assert settle(texts, tmp_path, is_check=False) == 0
    assert settle(texts, tmp_path, is_check=True) == 0


def test_the_page_of_a_component_that_is_gone_goes_too(tmp_path, capsys):
    old = tmp_path / "components" / "gone.md"
    old.parent.mkdir()
    old.write_text("old")

    assert settle({}, tmp_path, is_check=True) == 1
    assert "docs/components/gone.md: not what" in capsys.readouterr().err
    assert old.exists()
    assert settle({}, tmp_path, is_check=False) == 0
    assert not old.exists()


def test_the_pages_are_the_same_each_time():
    """Resources that do not wait for each other come in any order."""
    part = next(part for part in PARTS if part.name == "Karpenter")

    assert recorded(part) == recorded(part) == recorded(part)


def test_the_stack_files_page_has_every_key_of_every_section_with_its_why():
    wanted = [
        (key, node["description"])
        for section in plain_schema()["$defs"].values()
        for shape in [section, *section.get("anyOf", [])]
        for key, node in shape.get("properties", {}).items()
    ]

    rows = [line for line in STACK_PAGE.splitlines() if line.startswith("| ")]
    told = {(key, row) for row in rows for key in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert wanted
    assert [
        key
        for key, why in wanted
        if not any(key == each and why.split("\n")[0][:40] in row for each, row in told)
    ] == []


def test_no_heading_of_the_stack_files_page_stands_twice():
    headings = re.findall(r"^##+ (.+)$", STACK_PAGE, re.MULTILINE)

    assert headings
    assert sorted(set(headings)) == sorted(headings)


@each_part
def test_each_argument_and_output_says_what_it_is(part):
    module = inspect.getmodule(part.component)
    args = getattr(module, f"{part.name}Args", None)
    told = {} if args is None else fields(args)
    names = [] if args is None else [field.name for field in dataclasses.fields(args)]
    outputs = fields(part.component)

    assert paragraph(part.component.__doc__)
    assert [name for name in names if not told[name].docstring] == []
    assert [name for name in part.component.__annotations__ if not outputs[name].docstring] == []
    for name in names:
        assert f"| `{name}` |" in PAGES[part.page]
        assert told[name].docstring in PAGES[part.page]


@each_part
def test_each_example_is_python_that_makes_the_component(part):
    (code,) = re.findall(r"```python\n(.*?)```", PAGES[part.page], re.DOTALL)
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    bound = {
        alias.name
        for node in ast.parse(code).body
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
    }

    assert {part.name} <= used & bound
    assert "## What the example makes\n| type" in PAGES[part.page]


def test_an_examples_page_runs_after_the_beginning(deploy, account):
    """The text of the pages itself, as somebody copies it."""
    (beginning,) = re.findall(r"```python\n(.*?)```", PAGES["README.md"], re.DOTALL)
    (karpenter,) = re.findall(r"```python\n(.*?)```", PAGES["karpenter.md"], re.DOTALL)

    text = as_in_the_checkout(beginning + karpenter)

    def program() -> None:
        exec(compile(text, "page", "exec"), {"__name__": "__main__"})

    built = deploy(program, account, settings={"aws:region": "eu-west-1"})

    assert built.one("kubernetes:karpenter.sh/v1:NodePool").request.name == "nodepool-spot"


def test_rights_are_told_as_the_policies_have_them():
    page = PAGES["external-dns.md"]

    assert (
        "| Allow | `route53:ChangeResourceRecordSets` `route53:ListResourceRecordSets` | "
        "`arn:aws:route53:::hostedzone/Z-example.com` |  |"
    ) in page
    assert "`AmazonEKS_CNI_Policy`" in PAGES["spot-node-group.md"]
    assert "## Rights" not in PAGES["metrics-server.md"]


def test_prices_are_told():
    assert (
        "- `kmsKeyArn`: KMS key that encrypts Secrets; absent means one that the stack creates, "
        "at 1 USD per month."
    ) in PAGES["cluster.md"]


def test_the_pages_name_components_as_the_engine_does():
    assert all(issubclass(part.component, pulumi.ComponentResource) for part in PARTS)
    assert recorded(next(part for part in PARTS if part.name == "EbsCsi")).components == (
        "EksAddon",
        "PodRole",
    )
