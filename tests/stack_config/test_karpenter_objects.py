"""What the API server would say to Karpenter's objects, told of the stack file."""

import subprocess
import sys

import pytest

import stack_config
from components.section import Mistake
from stack_config.rules.karpenter_objects import karpenter_objects_are_valid
from tests.components.karpenter.every_rule import sections
from tests.components.karpenter.every_rule.sections import parsed, sound

RESTRICTED = "Karpenter sets it, or knows no such label: drop it, or choose a key of your own"


def told(**karpenter):
    """What the rule says of the shipped stack with another karpenter section."""
    shipped = {"nodeClasses": {"default": {"amiAlias": "al2023@v20260930"}}}
    shipped |= {"nodePools": {"default": {"nodeClass": "default"}}}
    config = sound().model_copy(update={"karpenter": parsed(shipped | karpenter)})
    return [*karpenter_objects_are_valid(config)]


def pools(**settings):
    """One pool, `default`."""
    return {"default": {"nodeClass": "default"} | settings}


@pytest.mark.feature("C-10")
def test_the_shipped_stack_has_objects_that_the_api_server_takes():
    assert [*karpenter_objects_are_valid(sound())] == []


@pytest.mark.feature("C-10")
def test_a_mistake_has_the_stack_files_path_the_rules_words_a_remedy_and_the_value():
    key = "karpenter.sh/team"
    requirements = [
        {"key": "example.com/a", "operator": "Exists"},
        {"key": key, "operator": "Exists"},
    ]

    assert told(nodePools=pools(requirements=requirements)) == [
        Mistake(
            "karpenter.nodePools.default.requirements[1].key",
            f'label domain "karpenter.sh" is restricted: {RESTRICTED}',
            key,
        )
    ]


@pytest.mark.feature("C-10")
def test_of_several_labels_each_wrong_one_is_named():
    """The API server names the whole map only."""
    labels = {"intent": "apps", "karpenter.sh/team": "a", "kubernetes.io/hostname": "b"}

    assert told(nodePools=pools(labels=labels)) == [
        Mistake(
            f"karpenter.nodePools.default.labels.{key}",
            f"label {what} is restricted: {RESTRICTED}",
            value,
        )
        for key, what, value in (
            ("karpenter.sh/team", 'domain "karpenter.sh"', "a"),
            ("kubernetes.io/hostname", '"kubernetes.io/hostname"', "b"),
        )
    ]


@pytest.mark.feature("C-10")
@pytest.mark.parametrize("name", ["a..b", "a.-b"])
def test_the_name_of_an_object_is_one_that_kubernetes_takes(name):
    said = told(nodePools={name: {"nodeClass": "default"}})

    assert [(mistake.path, mistake.value) for mistake in said] == [
        (f"karpenter.nodePools.{name}", name)
    ]
    assert said[0].problem.endswith("start and end with a letter or digit: give it another name")


@pytest.mark.feature("C-10")
def test_every_pool_and_class_is_looked_at():
    wrong = {"nodeClass": "default", "labels": {"kubernetes.io/hostname": "a"}}

    said = told(nodePools={"first": {"nodeClass": "default"}, "second": wrong, "third": wrong})

    assert [mistake.path for mistake in said] == [
        "karpenter.nodePools.second.labels.kubernetes.io/hostname",
        "karpenter.nodePools.third.labels.kubernetes.io/hostname",
    ]


def test_without_karpenter_there_is_nothing_to_say():
    config = sound().model_copy(update={"karpenter": None})

    assert [*karpenter_objects_are_valid(config)] == []


@pytest.mark.feature("C-10")
def test_load_tells_them_with_all_other_mistakes():
    wrong = sections.settings(
        "NodePool", {"nodeClass": "default", "labels": {"karpenter.sh/a": ""}}
    )

    said = stack_config.parsed(sections.shipped() | {"karpenter": wrong, "imageMirror": "not one"})

    assert [mistake.path for mistake in said] == [
        "imageMirror",
        "karpenter.nodePools.default.labels.karpenter.sh/a",
    ]


def test_a_program_without_karpenter_does_not_load_the_rules():
    script = (
        "import sys\n"
        "from tests.components.karpenter.every_rule.sections import sound\n"
        "for stack in ('spot', 'nodeless'):\n"
        "    sound(stack)\n"
        "    print('cel_expr_python' in sys.modules)\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )

    assert ran.stdout.split() == ["False", "True"]


def test_the_words_of_the_schema_get_a_remedy_too():
    reasons = ["Empty", "Empty"]

    assert told(nodePools=pools(disruption={"budgets": [{"reasons": reasons}]})) == [
        Mistake(
            "karpenter.nodePools.default.disruption.budgets[0].reasons",
            "must not name anything twice: drop one",
        )
    ]


@pytest.mark.feature("C-10")
def test_a_window_for_all_pools_is_told_once_and_at_its_own_place():
    window = {"schedule": "@daily", "duration": "8h", "reasons": ["Empty", "Empty"]}
    two = {"first": {"nodeClass": "default"}, "second": {"nodeClass": "default"}}

    assert told(nodePools=two, disruptionWindow=window) == [
        Mistake("karpenter.disruptionWindow.reasons", "must not name anything twice: drop one")
    ]


@pytest.mark.feature("C-10")
def test_a_pool_of_an_own_instance_profile_is_checked_with_it():
    assert told(ownInstanceProfile=True) == []
