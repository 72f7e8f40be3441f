"""Any two sections of a stack file beside each other: what is true of every stack."""

import functools
import json

import pytest
import yaml

from eks_platform import Platform, PlatformArgs
from rehearsal.recording import Deployment
from stack_config import StackConfig, parsed
from tests.eks_platform.agreeing import agrees
from tests.eks_platform.joints.invariants import INVARIANTS
from tests.eks_platform.joints.stack_files import CHOICES, options, rows, stack_file, without

# Few parameters, which are known without the rows: a worker makes those of the homes it has.
each_home = pytest.mark.parametrize("home", range(len(CHOICES["homes"])), ids="home-{}".format)

# A deployment is only read once it is recorded, so that tests may share it.
_BUILT: dict[str, Deployment] = {}


@pytest.fixture
def build(deploy, account):
    def built(settings, *, preview=False):
        key = json.dumps([settings, preview])
        if key not in _BUILT:
            config = parsed(settings)
            assert isinstance(config, StackConfig), config
            program = functools.partial(Platform, "platform", PlatformArgs(config=config))
            _BUILT[key] = deploy(program, account, preview=preview)
        return _BUILT[key]

    return built


def files(home):
    found = [stack_file(row) for row in rows() if row[0] == home]
    assert found
    return found


@each_home
@pytest.mark.parametrize("invariant", INVARIANTS, ids=lambda invariant: invariant.__name__)
def test_of_any_two_sections(build, home, invariant):
    problems = {
        yaml.safe_dump(settings): told
        for settings in files(home)
        if (told := [*invariant(parsed(settings), build(settings))])
    }

    assert problems == {}


@pytest.mark.feature("B-42")
@each_home
def test_a_preview_shows_what_an_update_makes(build, home):
    for settings in files(home):
        preview, update = build(settings, preview=True), build(settings)

        assert preview.tree() == update.tree()
        made = {each.urn: each for each in update.declared}
        for each in preview.declared:
            assert agrees(each.inputs, made[each.urn].inputs), each.urn


@each_home
def test_every_option_that_is_given_changes_what_is_made(build, home):
    given = [(path, row) for path, row in smallest_rows() if row[0] == home]
    assert given

    without_effect = []
    for path, row in given:
        settings = stack_file(row)
        if inputs(build(without(settings, path))) == inputs(build(settings)):
            without_effect.append((".".join(path), yaml.safe_dump(settings)))

    assert without_effect == []


@functools.cache
def smallest_rows():
    """Each option with a small stack file that has it, where that file may do without it."""
    found = {}
    for row in sorted(rows(), key=lambda row: sum(map(bool, row))):
        for path, value in options(stack_file(row)):
            found.setdefault(json.dumps([path, value]), (path, row))
    return [
        (path, row)
        for path, row in found.values()
        if isinstance(parsed(without(stack_file(row), path)), StackConfig)
    ]


def inputs(built):
    return {each.urn: each.inputs for each in built.declared}
