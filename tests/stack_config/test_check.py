"""`frugal-eks check`: all mistakes of a stack file, without Pulumi and without AWS."""

from pathlib import Path

import pytest

from frugal_eks import cli
from stack_config.check import problems

ROOT = Path(__file__).parents[2]
NODELESS = (ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text(encoding="utf-8")


def told(text):
    return [(each.line, each.words) for each in problems(text)]


def line_of(text, part):
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


def test_each_stack_file_that_ships_is_valid(capsys):
    files = sorted(map(str, (ROOT / "stacks").glob("Pulumi.*.yaml")))

    assert files
    assert cli.main(["check", *files]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{file} is valid." for file in files]


def test_all_mistakes_are_told_at_once_each_with_its_line(tmp_path, capsys):
    text = (
        NODELESS.replace('version: "1.35"', 'version: "1.17"')
        .replace("nodeClass: default", "nodeClass: spot")
        .replace("policy: sync", "policy: boldly")
        .replace("frugal-eks:overprovisioning", "frugal-eks:overprovision")
    )
    file = tmp_path / "Pulumi.dev.yaml"
    file.write_text(text, encoding="utf-8")

    assert cli.main(["check", str(ROOT / "stacks/Pulumi.spot.yaml"), str(file)]) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1:] == [
        f"{file} is not valid:",
        f"  line {line_of(text, '1.17')}: cluster.version: is not offered: choose one of 1.33, "
        '1.34, 1.35, 1.36 (got "1.17")',
        f"  line {line_of(text, 'nodeClass: spot')}: karpenter.nodePools.default.nodeClass: "
        'nodeClasses has only default: name one of these, or add the class (got "spot")',
        f"  line {line_of(text, 'boldly')}: addons.externalDns.policy: Input should be "
        "'upsert-only' or 'sync': choose one of these (got \"boldly\")",
        f"  line {line_of(text, 'overprovision')}: overprovision: unknown key: "
        "did you mean overprovisioning?",
    ]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("metricsServer: {}", "metricsServer:", "write it as keys with values"),
        ("limits: {cpu: 1000", "limits: {cpu: 1.5", 'write "1500m"'),
        ("cluster:\n", "cluster: {}\n  frugal-eks:cluster:\n", "stands here twice"),
        ("admins: [", "admins: [[", "expected"),
    ],
)
def test_what_yaml_and_pulumi_make_of_it_is_seen(before, after, words):
    assert before in NODELESS

    assert any(words in each for _, each in told(NODELESS.replace(before, after, 1)))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            "cidr:",
            "vpcId: vpc-0123456789abcdef0\n    cidr:",
            "network.vpcId: names a VPC that is there already, and cidr, availabilityZones, "
            "natGateways would make another one: drop vpcId, or drop those keys",
        ),
        (
            "    name: nodeless",
            "    existing: shared\n    name: nodeless",
            "cluster.existing: names a cluster that is there already, and name, version, endpoint, "
            "admins, deletionProtection would make another one: drop existing, or drop those keys",
        ),
        (
            "metricsServer: {}",
            "metricsServer: false",
            "addons.metricsServer: is no switch: remove the key, which turns it off (got false)",
        ),
        (
            "metricsServer: {}",
            "metricsServer: true",
            "addons.metricsServer: is no switch: write `{}`, which is on with all defaults "
            "(got true)",
        ),
        (
            "metricsServer: {}",
            "metricsServer: {enabled: false}",
            "addons.metricsServer.enabled: unknown key: remove metricsServer, which turns it off "
            "(got false)",
        ),
        (
            "metricsServer: {}",
            "metricsServer: {enabled: true}",
            "addons.metricsServer.enabled: unknown key: drop it, since {} is on already (got true)",
        ),
        (
            "cidr: 10.20.0.0/16",
            "cidr: 10.20.0.1/16",
            'network.cidr: has bits of a host: write 10.20.0.0/16 (got "10.20.0.1/16")',
        ),
        (
            "arn:aws:iam::111122223333:role/platform-admin",
            "arn:aws:sts::111122223333:assumed-role/platform-admin/me",
            "cluster.admins[0]: is a session of a role: write the role's own ARN, "
            "arn:aws:iam::111122223333:role/platform-admin "
            '(got "arn:aws:sts::111122223333:assumed-role/platform-admin/me")',
        ),
        (
            "admins: [arn:aws:iam::111122223333:role/platform-admin]",
            "admins: []",
            "cluster.admins: is empty: write at least one",
        ),
        (
            "publicCidrs: [203.0.113.0/24]",
            "publicCidrs: [203.0.113.0/24, 10.1.0.0/16]",
            "cluster.endpoint.publicCidrs[1]: is a private range, from which nobody connects over "
            "the internet: give the public addresses of your network, or drop it "
            '(got "10.1.0.0/16")',
        ),
        (
            "availabilityZones: 3",
            "availabilityZones: [eu-west-1a, us-east-1b]",
            "network.availabilityZones[1]: is no zone of aws:region, eu-west-1: correct one of the "
            'two (got "us-east-1b")',
        ),
        (
            "    name: nodeless",
            "    kmsKeyArn: arn:aws:kms:us-east-1:111122223333:key/abc\n    name: nodeless",
            "cluster.kmsKeyArn: is a key of us-east-1, and aws:region is eu-west-1: name a key "
            'there (got "arn:aws:kms:us-east-1:111122223333:key/abc")',
        ),
        (
            "efsCsi: {}",
            "efsCsi: {fileSystem: {kmsKeyArn: arn:aws:kms:us-east-1:111122223333:key/abc}}",
            "addons.efsCsi.fileSystem.kmsKeyArn: is a key of us-east-1, and aws:region is "
            'eu-west-1: name a key there (got "arn:aws:kms:us-east-1:111122223333:key/abc")',
        ),
        (
            "{replicas: 2, cpu",
            "{replicas: 1000000000, cpu",
            "overprovisioning.replicas: Input should be less than or equal to 10000: lower it "
            "(got 1000000000)",
        ),
    ],
)
def test_one_cause_is_one_message_with_a_remedy_that_makes_sense(before, after, words):
    assert [each for _, each in told(NODELESS.replace(before, after, 1))] == [words]


@pytest.mark.parametrize(
    ("before", "after", "key", "words"),
    [
        (
            "  frugal-eks:karpenter:",
            "frugal-eks:karpenter:",
            "frugal-eks:karpenter",
            "stands on the top level of the file, where the program does not see it: move it below "
            "config, as frugal-eks:karpenter",
        ),
        (
            "config:\n",
            "addons: {metricsServer: {}}\nconfig:\n",
            "addons",
            "stands on the top level of the file, where the program does not see it: move it below "
            "config, as frugal-eks:addons",
        ),
        (
            "config:\n",
            "encryptionsalts: v1\nconfig:\n",
            "encryptionsalts",
            "is no key of a Pulumi stack file: did you mean encryptionsalt?",
        ),
        (
            "config:\n",
            "colour: red\nconfig:\n",
            "colour",
            "is no key of a Pulumi stack file: correct or drop it",
        ),
        (
            "frugal-eks:overprovisioning",
            "frugal-esk:overprovisioning",
            "frugal-esk:overprovisioning",
            "is not read, since its namespace is frugal-esk: did you mean "
            "frugal-eks:overprovisioning?",
        ),
        (
            "frugal-eks:overprovisioning",
            "platform:overprovisioning",
            "platform:overprovisioning",
            "is not read, since its namespace is platform: did you mean "
            "frugal-eks:overprovisioning?",
        ),
    ],
)
def test_a_section_that_the_program_would_not_see_is_a_mistake(before, after, key, words):
    """On a living stack it would read as "delete it"."""
    text = NODELESS.replace(before, after, 1)
    if before == "  frugal-eks:karpenter:":  # YAML ends `config` with the first key to its left
        head, _, rest = text.partition(after)
        section, _, others = rest.partition("\n  frugal-eks:")
        text = f"{head}  frugal-eks:{others}\n{after}{section}\n"

    assert (line_of(text, f"{key}:"), f"{key}: {words}") in told(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("deletionProtection: false", "deletionProtection: no"),
        ("frugal-eks:cluster", "cluster"),
        ("replicas: 2, cpu", 'replicas: "2", cpu'),
        ("limits: {cpu", "labels: {team: on, date: 2026-11-01, time: 1e3m}\n        limits: {cpu"),
        ("config:", "encryptionsalt: v1:abc\nconfig:\n  datadog:apiKey: {secure: AAABAA==}"),
        ("frugal-eks:overprovisioning: {replicas: 2, cpu: \"1\", memory: 1536Mi}",
         "frugal-eks:overprovisioning: '{\"replicas\": 2}'"),
    ],
)  # fmt: skip
def test_what_pulumi_takes_it_takes(before, after):
    assert before in NODELESS

    assert told(NODELESS.replace(before, after, 1)) == []


def test_no_encrypted_value_is_ever_shown():
    hidden = NODELESS.replace("natGateways: single", "natGateways: {secure: AAABAA==}")

    assert [words for _, words in told(hidden)] == [
        'network: Input should be an object: write it as keys with values; `{}` is all defaults '
        '(got "[secret]")'
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds 0 YAML documents: a stack file is one"),
        ("config: {}\n", "says nothing of frugal-eks:…: begin with stacks/Pulumi.nodeless.yaml"),
        ("[1, 2]\n", "says nothing of frugal-eks:…: begin with stacks/Pulumi.nodeless.yaml"),
        ("config:\n  aws:region: eu-west-1\n", "says nothing of frugal-eks:…: begin with"),
        ("a: 1\n---\nb: 2\n", "holds 2 YAML documents: a stack file is one"),
        ("config: [\n", "expected the node content"),
        ("a: \x01\n", "has a character that YAML does not allow"),
    ],
)
def test_what_is_no_stack_file_is_said_in_one_sentence(text, words):
    ((_, found),) = told(text)

    assert words in found


@pytest.mark.parametrize("kind", ["missing", "folder", "binary"])
def test_a_file_that_cannot_be_read_is_one_sentence(kind, tmp_path, capsys):
    file = tmp_path / "Pulumi.dev.yaml"
    if kind == "folder":
        file.mkdir()
    elif kind == "binary":
        file.write_bytes(b"\xff\xfe\x00")

    assert cli.main(["check", str(file)]) == 2  # noqa: PLR2004
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{file}: ")
