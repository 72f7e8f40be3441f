"""The command: what it takes, what it refuses, and what it then writes, which is nothing."""

import io
import sys

import pytest
import yaml

from frugal_eks import cli
from stack_config.model import StackConfig
from stack_config.settings import parsed

PRIORITY = """\
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: pause-pods
value: -1
"""
INFLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: inflate
spec:
  replicas: 3
"""
UNKNOWN = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
WRITTEN, LEFT, USAGE = 0, 1, 2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ours(text: str) -> dict[str, object]:
    config = yaml.safe_load(text)["config"]
    return {key.removeprefix("frugal-eks:"): value for key, value in config.items()}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "in.yaml: is empty: there is no document in it"),
        (b"---\n# nothing\n---\n", "in.yaml: is empty: there is no document in it"),
        (b"a: [1\nb: 2\n", "in.yaml:2: cannot be read as YAML: expected ',' or ']', but got ':'"),
        (b"a: 1\n\tb: 2\n", "in.yaml:2: cannot be read as YAML: found character '\\t' that"),
        (b"a: 1\nb: 2\na: 3\n", "in.yaml:3: cannot be read as YAML: a stands here twice, first"),
        (b"a: !Ref x\n", "in.yaml:1: cannot be read as YAML: a tag !Ref means nothing"),
        (b"a: &x [*x]\n", "in.yaml:1: cannot be read as YAML: an alias stands for what it is in"),
        (b"? [a]\n: b\n", "in.yaml:1: cannot be read as YAML: a key must be a text"),
        (b"\n\0\x01", "in.yaml:2: is not text, but binary"),
        (b"\n\xff\xfe\x00", "in.yaml:2: is not text in UTF-8"),
        (b"a: \x07\n", "in.yaml:1: cannot be read as YAML: has a character that YAML does not"),
        (b"[" * 600, "in.yaml:1: cannot be read as YAML: is nested too deeply"),
        (b"- 1\n", "in.yaml:1: is a list, not the keys and values of a manifest"),
        (b"hello\n", "in.yaml:1: is only 'hello', not the keys and values of a manifest"),
        (b"\n" + UNKNOWN.encode(), "in.yaml:2: is a Pod of v1, which is not converted: give a"),
        (b'{"a": 1}', "in.yaml:1: is no manifest with apiVersion and kind (JSON), which is"),
        (b"kind: List\nitems: [1]\n", "in.yaml:2: is only 1, not the keys and values of a"),
        (b"kind: List\nitems: []\n", "in.yaml: is empty: there is no document in it"),
        (b"Version: '1'\nStatement: []\n", "in.yaml:1: nothing of it goes into a stack file"),
        (b"a: 1\nb: ${NAME} ${AWS_REGION}\n", "in.yaml:2: ${NAME}, ${AWS_REGION} have no value"),
        (INFLATE.encode() + b"  template: 1\n", "in.yaml:7: spec.template: must be keys with"),
    ],
)
def test_an_input_that_cannot_be_read_is_one_sentence_with_file_and_line(
    folder, capsys, content, told
):
    (folder / "in.yaml").write_bytes(content)

    code = cli.main(["migrate", "in.yaml", "--output", "out.yaml"])
    found = capsys.readouterr()

    assert code == USAGE
    assert found.err.startswith(told)
    assert found.err.count("\n") == 1
    assert found.out == ""
    assert not (folder / "out.yaml").exists()


def test_files_that_are_no_files_are_named(folder, capsys):
    (folder / "folder").mkdir()

    assert cli.main(["migrate", "missing.yaml"]) == USAGE
    assert capsys.readouterr().err == "missing.yaml: cannot be read: No such file or directory\n"
    assert cli.main(["migrate", "folder"]) == USAGE
    assert capsys.readouterr().err == "folder: cannot be read: Is a directory\n"


def test_aliases_of_aliases_are_refused_before_they_fill_the_memory(folder, capsys):
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    (folder / "in.yaml").write_text("\n".join(lines))

    assert cli.main(["migrate", "in.yaml"]) == USAGE
    assert "comes to more than 100000 values" in capsys.readouterr().err


def test_a_stack_file_is_never_written_over_without_force(folder, capsys):
    (folder / "in.yaml").write_text(INFLATE)
    out = folder / "out.yaml"
    out.write_text("mine")

    assert cli.main(["migrate", "in.yaml", "--output", "out.yaml"]) == USAGE
    assert "out.yaml: is there already: choose another --output, or add --force" in (
        capsys.readouterr().err
    )
    assert out.read_text() == "mine"
    assert cli.main(["migrate", "in.yaml", "--output", "out.yaml", "--force"]) == WRITTEN
    assert capsys.readouterr().out == ""
    assert ours(out.read_text())["sampleWorkloads"] == {"inflate": {"replicas": 3}}


def test_a_file_without_anything_left_passes_strict(folder):
    (folder / "in.yaml").write_text(INFLATE)

    assert cli.main(["migrate", "in.yaml", "--strict"]) == WRITTEN


@pytest.mark.parametrize(("options", "code"), [([], WRITTEN), (["--strict"], LEFT)])
def test_what_is_left_is_listed_and_fails_only_when_strict(folder, capsys, options, code):
    (folder / "in.yaml").write_text(f"{INFLATE}---\n{UNKNOWN}")

    assert cli.main(["migrate", "in.yaml", *options]) == code
    found = capsys.readouterr()
    assert "is nothing that the stack file has a section for" in found.err
    assert "# - in.yaml:8 Pod web, is nothing that the stack file has a" in found.out


def test_a_result_that_breaks_a_rule_says_which(folder, capsys):
    (folder / "in.yaml").write_text(INFLATE.replace("3", "-3"))

    assert cli.main(["migrate", "in.yaml", "--strict"]) == LEFT
    found = capsys.readouterr()
    assert "sampleWorkloads.inflate.replicas: Input should be greater than or equal to 0" in (
        found.err
    )
    assert "# To correct:\n# - sampleWorkloads.inflate.replicas" in found.out


def test_placeholders_take_what_the_options_say(folder, capsys):
    (folder / "in.yaml").write_text(
        "# ${UNSET} in a comment is nobody's business\n"
        "apiVersion: eksctl.io/v1alpha5\n"
        "kind: ClusterConfig\n"
        "metadata: {name: '${CLUSTER_NAME}', region: '${AWS_REGION}'}\n"
        "managedNodeGroups: [{name: base, desiredCapacity: ${COUNT}}]\n"
    )

    assert cli.main(["migrate", "in.yaml", "--cluster", "a", "--region", "eu-north-1"]) == USAGE
    assert capsys.readouterr().err == "in.yaml:5: ${COUNT} has no value: add --set COUNT=…\n"
    options = ["--cluster", "a", "--region", "eu-north-1", "--set", "COUNT=3"]
    assert cli.main(["migrate", "in.yaml", *options]) == WRITTEN
    found = ours(capsys.readouterr().out)
    assert (found["aws:region"], found["cluster"]["name"]) == ("eu-north-1", "a")
    assert found["managedNodeGroups"]["base"]["size"] == {"min": 3, "max": 3}


def test_the_error_of_a_placeholder_names_the_option_of_its_own(folder, capsys):
    (folder / "in.yaml").write_text("a: ${CLUSTER_NAME} ${AWS_REGION} ${AWS_DEFAULT_REGION}\n")

    assert cli.main(["migrate", "in.yaml"]) == USAGE
    assert capsys.readouterr().err.endswith("have no value: add --cluster … --region …\n")


def test_standard_input_is_read_beside_files_and_once(folder, capsys, monkeypatch):
    (folder / "in.yaml").write_text(PRIORITY)
    pods = INFLATE.replace("inflate", "pause-pods")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pods.encode())))

    assert cli.main(["migrate", "in.yaml", "-"]) == WRITTEN
    assert ours(capsys.readouterr().out)["overprovisioning"] == {"replicas": 3}
    assert cli.main(["migrate", "-", "-"]) == USAGE
    assert "give - once" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "the following arguments are required: FILE"),
        (["f", "--region", "Ireland"], "'Ireland' is no region: write one like eu-west-1"),
        (["f", "--cluster", "a b"], "'a b' is no name of an EKS cluster"),
        (["f", "--set", "A"], "'A' is not of the form NAME=VALUE"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(capsys, options, told):
    with pytest.raises(SystemExit) as ended:
        cli.main(["migrate", *options])

    assert ended.value.code == USAGE
    assert told in capsys.readouterr().err


def test_a_list_of_kubectl_is_its_items(folder, capsys):
    items = "".join(f"- {INFLATE}".replace("\n", "\n  ").rstrip() + "\n")
    (folder / "in.yaml").write_text(f"apiVersion: v1\nkind: List\nitems:\n{items}- {{kind: X}}\n")

    assert cli.main(["migrate", "in.yaml"]) == WRITTEN
    found = capsys.readouterr()
    assert ours(found.out)["sampleWorkloads"] == {"inflate": {"replicas": 3}}
    assert "in.yaml:10 X" in found.out


def test_manifests_without_a_cluster_are_those_of_one_that_runs(folder, capsys):
    (folder / "in.yaml").write_text(INFLATE)

    assert cli.main(["migrate", "in.yaml"]) == WRITTEN
    text = capsys.readouterr().out
    assert "existing: dev # fill in, or give --cluster: a cluster that runs already" in text
    assert "aws:region: eu-west-1 # fill in, or give --region" in text
    assert isinstance(parsed(ours(text)), StackConfig)
