"""One page a document: every row of its features is there, and is proved by a test."""

import re
from itertools import pairwise

import pytest

from frugal_eks.dev.features import rows
from stack_config import StackConfig
from tests.conftest import ROOT
from tests.docs.test_blocks import SECTIONS

PAGES = {file.stem: file.read_text() for file in (ROOT / "docs/from-documents").glob("*.md")}
FEATURES = rows.read(rows.FEATURES)
PROVED = "\n".join(
    line
    for file in (ROOT / "tests").rglob("test_*.py")
    for line in file.read_text().splitlines()
    if "feature(" in line or re.match(r'\s+"[ABC]\d?-\d\d"', line)
)


def named(text: str) -> set[str]:
    """The ids on a page, those between `A0-02 to A0-05` too."""
    found = set(re.findall(r"A\d-\d\d", text))
    for group, first, last in re.findall(r"(A\d)-(\d\d) to \1-(\d\d)", text):
        found |= {f"{group}-{number:02}" for number in range(int(first), int(last) + 1)}
    return found


def test_each_document_has_its_page():
    assert sorted(PAGES) == ["000", "001", "002", "003", "004"]


@pytest.mark.parametrize("document", sorted(PAGES))
def test_a_page_names_every_row_of_its_document(document):
    group = f"A{int(document)}-"
    known = {row.id for row in FEATURES}
    on_page = named(PAGES[document])

    assert on_page <= known
    assert {each for each in known if each.startswith(group)} - on_page == set()


@pytest.mark.parametrize("document", sorted(PAGES))
def test_every_row_that_a_page_names_is_proved(document):
    assert {each for each in named(PAGES[document]) if f'"{each}"' not in PROVED} == set()


@pytest.mark.parametrize("document", sorted(PAGES))
def test_a_table_has_as_many_cells_in_each_line(document):
    lines = [line for line in PAGES[document].splitlines() if line.startswith("|")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in lines]
    heads = [number for number, line in enumerate(lines) if line.startswith("| the document")]

    for first, last in pairwise([*heads, len(lines)]):
        assert set(cells[first:last]) == {cells[first]}, lines[first]


KEYS = sorted(
    {
        (page, path)
        for page, text in PAGES.items()
        for path in re.findall(r"`([a-z][A-Za-z]+(?:\.[A-Za-z][\w-]*)+)(?:: [^`]*)?`", text)
        if path.partition(".")[0] in SECTIONS
    }
)


@pytest.mark.parametrize(("page", "path"), KEYS)
def test_every_key_that_a_page_names_is_one_of_a_stack_file(page, path):
    """Followed through the models; below a mapping any name is a name."""
    places = [StackConfig]
    for word in path.split("."):
        steps = [step for place in places for step in inside(place, word)]
        assert steps, f"{page}: {path}: {word} is no key"
        places = steps


def inside(place, word):
    """What a key of a section, or a name of a mapping, leads to."""
    if not hasattr(place, "model_fields"):
        return [one for one in getattr(place, "__args__", ()) for one in models(one)]
    fields = {info.alias or name: info for name, info in place.model_fields.items()}
    return models(fields[word].annotation) or [str] if word in fields else []


def models(kind):
    """Sections and mappings in a type, whatever else it may be."""
    if hasattr(kind, "model_fields"):
        return [kind]
    origin = str(getattr(kind, "__origin__", ""))
    if "Mapping" in origin:
        return [kind]
    return [one for each in getattr(kind, "__args__", ()) for one in models(each)]
