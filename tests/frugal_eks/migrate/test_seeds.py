"""The YAML of the five documents: what it comes to, and that nothing of it is lost.

`UPDATE_SEEDS=1 pytest tests/frugal_eks/migrate/test_seeds.py` writes the stack files anew: look
through them."""

import copy
import dataclasses
import functools
import itertools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from frugal_eks import cli
from frugal_eks.errors import CommandError
from frugal_eks.migrate import report, stack_file
from frugal_eks.migrate.conversion import convert
from frugal_eks.migrate.documents import Document, read
from frugal_eks.migrate.missing import fill_in
from frugal_eks.migrate.reader import leaves
from stack_config.model import StackConfig
from stack_config.settings import parsed

SEEDS = Path(__file__).parents[2] / "data" / "seeds"
DOCUMENTS = {
    "000": ["000-eksctl-spot.yaml", "000-frontend.yaml"],
    "001": ["001-provisioner.yaml"],
    "002": [
        "002-cluster.yaml",
        "002-kube-ops-view.yaml",
        "002-provisioner.yaml",
        "002-workloads.yaml",
    ],
    "003": ["003-cluster-autoscaler.yaml", "003-asg-policy.json"],
    "004": ["004-values.yaml"],
}
CLUSTER, REGION = "dev", "eu-west-1"
SETTINGS = {
    "CLUSTER_NAME": CLUSTER,
    "AWS_REGION": REGION,
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCOUNT_ID": "111122223333",
}
OPTIONS = ["--cluster", CLUSTER, "--region", REGION, "--set", "AWS_ACCOUNT_ID=111122223333"]


@functools.cache
def documents(seed: str) -> tuple[Document, ...]:
    return tuple(read([str(SEEDS / name) for name in DOCUMENTS[seed]], SETTINGS))


def told(found: tuple[Document, ...]) -> str:
    """All that a user is told, or the one sentence that there is nothing to be told."""
    try:
        migration = convert(found, cluster=CLUSTER, region=REGION)
    except CommandError as error:
        return f"{error}"
    left = [dataclasses.astuple(each.note) for each in migration.left]
    return f"{migration.values} {migration.comments} {left}"


def loaded(text: str) -> Any:
    """What `load()` makes of a stack file, as far as it is this program's."""
    config = yaml.safe_load(text)["config"]
    return parsed({key.removeprefix("frugal-eks:"): value for key, value in config.items()})


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize("seed", DOCUMENTS)
def test_each_document_becomes_the_stack_file_beside_it(seed, monkeypatch, capsys):
    golden = SEEDS / f"{seed}.stack.yaml"
    monkeypatch.chdir(SEEDS)

    code = cli.main(["migrate", *DOCUMENTS[seed], *OPTIONS])
    written = capsys.readouterr().out
    if os.environ.get("UPDATE_SEEDS"):
        golden.write_text(written)

    assert code == 0
    assert written == golden.read_text()


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize("seed", DOCUMENTS)
def test_the_stack_file_of_each_document_loads_without_a_mistake(seed):
    config = loaded((SEEDS / f"{seed}.stack.yaml").read_text())

    assert isinstance(config, StackConfig), config


@pytest.mark.parametrize("seed", DOCUMENTS)
def test_what_is_written_is_what_was_converted(seed):
    migration = convert(documents(seed), cluster=CLUSTER, region=REGION)
    fill_in(migration, cluster=CLUSTER, region=REGION)
    text = stack_file.text(migration.values, migration.comments)

    assert yaml.safe_load(text)["config"] == {
        key if ":" in key else f"frugal-eks:{key}": value for key, value in migration.values.items()
    }
    assert [
        place for place in migration.comments if place not in set(every_line(migration.values))
    ] == []


def every_line(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield place
    inside: Any = value.items() if isinstance(value, Mapping) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else inside:
        yield from every_line(inner, (*place, key))


def changed(value: Any) -> Any:
    """Something else of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return f"{value}x" if isinstance(value, str) else "x"


def with_leaf(document: Document, way: tuple[str | int, ...], value: Any) -> Document:
    whole = copy.deepcopy(dict(document.value))
    inside: Any = whole
    for key in way[:-1]:
        inside = inside[key]
    inside[way[-1]] = value
    lines = dict.fromkeys([()] + [way[:n] for n in range(1, len(way) + 1)], 1) | document.lines
    return dataclasses.replace(document, value=whole, lines=lines)


def each_leaf(seed: str) -> Iterator[tuple[int, tuple[str | int, ...], Any]]:
    for number, document in enumerate(documents(seed)):
        for way, value in leaves(document.value):
            yield number, way, value


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize("seed", DOCUMENTS)
def test_no_value_of_a_document_changes_unseen(seed):
    """Whatever it says otherwise, the stack file or the list says otherwise too."""
    found = documents(seed)
    before = told(found)
    unseen = []
    for number, way, value in each_leaf(seed):
        others = list(found)
        others[number] = with_leaf(found[number], way, changed(value))
        if told(tuple(others)) == before:
            unseen.append((found[number].title, way))

    assert unseen == []


def mappings(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inside: Any = enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, Mapping):
        yield way
        inside = value.items()
    for key, inner in inside:
        yield from mappings(inner, (*way, key))


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize("seed", DOCUMENTS)
def test_a_field_that_nobody_knows_is_told_wherever_it_stands(seed):
    found = documents(seed)
    unseen = []
    for number, document in enumerate(found):
        for way in mappings(document.value):
            others = list(found)
            others[number] = with_leaf(document, (*way, "somethingNew"), 1)
            if "somethingNew" not in told(tuple(others)):
                unseen.append((document.title, way))

    assert unseen == []


JUNK: list[Any] = [None, 5, "x", [], {}, [None], {"a": 1}, [{"a": 1}], True]


@pytest.mark.parametrize("seed", DOCUMENTS)
def test_a_value_of_any_shape_is_converted_or_refused_in_one_sentence(seed):
    found = documents(seed)
    junk = itertools.cycle(JUNK)
    for number, document in enumerate(found):
        for way in list(every_line(document.value))[1:]:
            others = list(found)
            others[number] = with_leaf(document, way, next(junk))
            assert "\n" not in told(tuple(others))


@pytest.mark.parametrize("seed", DOCUMENTS)
def test_what_is_left_is_listed_at_the_end_with_its_line(seed):
    migration = convert(documents(seed), cluster=CLUSTER, region=REGION)

    lines = list(report.comments(migration.left, ()))
    for each in migration.left:
        assert any(each.where in one and each.note.text in one for one in lines)
        name, _, line = each.where.rpartition(":")
        key = each.note.path.rpartition(".")[2]
        if "[" not in key:
            assert key in Path(name).read_text().splitlines()[int(line) - 1]
