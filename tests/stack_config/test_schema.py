"""stacks/stack.schema.json: what editors are told of a stack file, and that it never says more than
`load()` does."""

import copy
import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

import stack_config
from frugal_eks.migrate.stack_file import text as migrated
from rehearsal.stack_file import StackFile
from stack_config.model import StackConfig
from stack_config.schema import FILE, HINT, file_schema, file_text
from stack_config.settings import decoded

ROOT = Path(__file__).parents[2]
STACK_FILES = sorted((ROOT / "stacks").glob("Pulumi.*.yaml"))
SCHEMA = file_schema()
VALID = Draft202012Validator(SCHEMA)


def told(document):
    """What the schema refuses, as paths."""
    return sorted(".".join(map(str, error.path)) for error in VALID.iter_errors(document))


def accepted(config):
    """Whether the program takes the `config` of a stack file."""
    ours = {
        key.removeprefix("frugal-eks:"): decoded(value if isinstance(value, str) else dumped(value))
        for key, value in config.items()
        if key == "aws:region" or key.startswith("frugal-eks:")
    }
    return isinstance(stack_config.parsed(ours), StackConfig)


def dumped(value):
    return "" if value is None else json.dumps(value)


@pytest.fixture
def nodeless(stack_file):
    return {"config": stack_file("nodeless")}


def changed(document, path, value):
    """A copy with another value at a path; `...` takes the key away."""
    found = copy.deepcopy(document)
    here = found["config"]
    *way, last = path.split(".")
    for key in way:
        here = here.setdefault(key, {}) if isinstance(here, dict) else here[int(key)]
    if value is ...:
        del here[last]
    else:
        here[last] = value
    return found


def test_the_schema_that_ships_is_what_the_sections_say():
    assert FILE.read_text(encoding="utf-8") == file_text()


def test_it_is_a_schema_itself():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("file", STACK_FILES, ids=lambda file: file.name)
def test_it_takes_each_stack_file_and_the_file_names_it_in_its_first_line(file):
    written = file.read_text(encoding="utf-8")

    assert told(yaml.safe_load(written)) == []
    assert written.splitlines()[0] == HINT
    assert (file.parent / HINT.rpartition("=")[2]).is_file()


@pytest.mark.parametrize("file", sorted((ROOT / "tests/data/seeds").glob("*.stack.yaml")))
def test_it_takes_the_stack_files_that_migrate_writes(file):
    assert told(yaml.safe_load(file.read_text(encoding="utf-8"))) == []


BAD = {
    "unknown section": ("frugal-eks:karpentr", {}),
    "unknown section without the project": ("karpentr", {}),
    "unknown key": ("frugal-eks:karpenter.nodePools.default.expiresAfter", "720h"),
    "key as Python spells it": ("frugal-eks:karpenter.node_pools", {}),
    "no region": ("aws:region", ...),
    "no cluster": ("frugal-eks:cluster", ...),
    "no endpoint": ("frugal-eks:cluster.endpoint", ...),
    "a version that is a number": ("frugal-eks:cluster.version", 1.35),
    "a list that is a text": ("frugal-eks:cluster.admins", "arn:aws:iam::111122223333:role/a"),
    "an empty list": ("frugal-eks:cluster.admins", []),
    "no ARN": ("frugal-eks:cluster.admins", ["platform-admin"]),
    "a word that is none of the list": ("frugal-eks:network.natGateways", "two"),
    "a number out of bounds": ("frugal-eks:network.availabilityZones", 9),
    "a number with a unit": ("frugal-eks:overprovisioning.replicas", "2 pods"),
    "a word for a switch": ("frugal-eks:cluster.deletionProtection", "never"),
    "no value": ("frugal-eks:karpenter", None),
    "no value below": ("frugal-eks:addons.metricsServer", None),
    "no addresses": ("frugal-eks:network.cidr", "the whole"),
    "days": ("frugal-eks:karpenter.nodePools.default.expireAfter", "30d"),
    "a share above all": (
        "frugal-eks:karpenter.nodePools.default.disruption.budgets",
        [{"nodes": "1000%"}],
    ),
    "a key of the other kind of cluster": ("frugal-eks:cluster.runsOn", "nodes"),
    "a label's key": ("frugal-eks:karpenter.nodePools.default.labels", {"-a": "b"}),
    "a volume without a unit": ("frugal-eks:karpenter.nodeClasses.default.volume.size", 20),
    "an amount with an unknown unit": (
        "frugal-eks:karpenter.nodePools.default.limits",
        {"cpu": "1000x"},
    ),
}


@pytest.mark.parametrize(("path", "value"), BAD.values(), ids=BAD)
def test_what_is_wrong_by_itself_it_refuses_as_the_program_does(nodeless, path, value):
    document = changed(nodeless, path, value)

    assert accepted(nodeless["config"])
    assert told(nodeless) == []
    assert told(document) != []
    if path != "karpentr":
        assert not accepted(document["config"])


# Between keys, of AWS or of files: `load()` alone sees it.
BETWEEN_KEYS = {
    "no class of that name": ("frugal-eks:karpenter.nodePools.default.nodeClass", "spot"),
    "no home": ("frugal-eks:fargate.profiles", {"a": [{"namespace": "a"}]}),
    "no such instance type": ("frugal-eks:bastion", {"instanceType": "t4g.huge"}),
    "no such Kubernetes": ("frugal-eks:cluster.version", "1.17"),
}


@pytest.mark.parametrize(("path", "value"), BETWEEN_KEYS.values(), ids=BETWEEN_KEYS)
def test_what_it_cannot_see_only_the_program_refuses(nodeless, path, value):
    document = changed(nodeless, path, value)

    assert told(document) == []
    assert not accepted(document["config"])


# What Pulumi and pydantic make something of.
ODD = {
    "a section as pulumi config set writes it": (
        "frugal-eks:overprovisioning",
        '{"replicas": 2, "cpu": "1"}',
    ),
    "a number in quotes": ("frugal-eks:overprovisioning.replicas", "2"),
    "a number with a point": ("frugal-eks:overprovisioning.replicas", 2.0),
    "yes": ("frugal-eks:cluster.deletionProtection", "yes"),
    "Off": ("frugal-eks:cluster.deletionProtection", "Off"),
    "one": ("frugal-eks:cluster.deletionProtection", 1),
    "a label without a value": ("frugal-eks:karpenter.nodePools.default.labels", {"intent": None}),
    "an address without a length": ("frugal-eks:cluster.endpoint.publicCidrs", ["203.0.113.7"]),
    "a key of another provider": ("aws:profile", "dev"),
    "an encrypted value of another provider": ("datadog:apiKey", {"secure": "AAABAA=="}),
}


@pytest.mark.parametrize(("path", "value"), ODD.values(), ids=ODD)
def test_it_takes_what_the_program_takes_however_odd(nodeless, path, value):
    document = changed(nodeless, path, value)

    assert accepted(document["config"])
    assert told(document) == []


def test_a_key_without_the_project_is_the_projects_own(nodeless):
    short = {key.removeprefix("frugal-eks:"): value for key, value in nodeless["config"].items()}

    assert told({"config": short}) == []


def test_pulumis_own_keys_are_free(nodeless):
    assert told(nodeless | {"encryptionsalt": "v1:abc", "secretsprovider": "awskms://a"}) == []


def leaves(node):
    """Each place of the schema that has examples."""
    if isinstance(node, dict):
        if "examples" in node:
            yield node
        for value in node.values():
            yield from leaves(value)
    elif isinstance(node, list):
        for value in node:
            yield from leaves(value)


def test_each_example_is_one_that_the_schema_takes():
    wrong = [
        (example, node)
        for node in leaves(SCHEMA)
        for example in node["examples"]
        if not Draft202012Validator(node | {"$defs": SCHEMA["$defs"]}).is_valid(example)
    ]

    assert wrong == []


def test_the_rehearsals_copy_and_migrates_text_hold_without_the_hint(tmp_path, nodeless):
    file = StackFile.read(ROOT / "stacks" / "Pulumi.nodeless.yaml", "nodeless")
    file.write_copy(tmp_path / "Pulumi.nodeless.yaml", file.unprotected())

    copied = yaml.safe_load((tmp_path / "Pulumi.nodeless.yaml").read_text(encoding="utf-8"))
    sections = {k.removeprefix("frugal-eks:"): v for k, v in nodeless["config"].items()}
    assert told(copied) == []
    assert told(yaml.safe_load(migrated(sections, {}))) == []
