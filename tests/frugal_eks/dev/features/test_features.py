from collections.abc import Callable
from pathlib import Path

import pytest

from frugal_eks.dev.features import behaviours
from frugal_eks.dev.features.__main__ import by_feature, main, summary, unknown
from frugal_eks.dev.features.behaviours import Behaviour
from frugal_eks.dev.features.collected import CollectionError, Proof, collect
from frugal_eks.dev.features.rows import FeaturesFileError, read

TABLE = """\
# Features

| id | feature | seed | how it can be checked offline |
|---|---|---|---|
| A0-01 | Nodes carry a label. | 000 | mocks; engine |
| A0-02 | Nodes register. | 000 | mocks; not offline: kubelet's registration |
| B-01 | One command. | - | engine |
"""

TESTS = """\
import pytest

@pytest.mark.feature("A0-01")
@pytest.mark.parametrize("size", [1, 2, 3])
def test_label(size):
    raise AssertionError("collecting must not run this")

@pytest.mark.feature("A0-01", "A0-02")
@pytest.mark.engine
def test_register():
    pass

@pytest.mark.feature("B-01")
@pytest.mark.skip
def test_later():
    pass

@pytest.mark.feature("B-01")
@pytest.mark.skipif(True, reason="never here")
def test_elsewhere():
    pass

@pytest.mark.feature("B-01")
def test_if_there_is_a_tool():
    pytest.skip("there is none")

@pytest.fixture
def tool():
    def find():
        pytest.skip("there is none")
    return find

@pytest.mark.feature("B-01")
def test_with_a_tool(tool):
    tool()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project; its test file has another name in each test, since modules stay imported."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "features.md").write_text(TABLE)
    (tmp_path / "tests" / f"{tmp_path.name}.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\npython_files = test_*.py\nmarkers =\n    engine: slow\n"
    )
    return tmp_path


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command over the small project: exit code, standard output, standard error."""

    def command(*more: str) -> tuple[int, str, str]:
        where = ["--rows", str(project / "features.md"), "--tests", str(project / "tests")]
        return main([*where, *more]), *capsys.readouterr()

    return command


def test_the_projects_own_file_is_read_whole():
    rows = read()

    last = {row.group: int(row.id.partition("-")[2]) for row in rows}
    assert last == {"A0": 36, "A1": 35, "A2": 66, "A3": 16, "A4": 19, "B": 45, "C": 25}
    assert len(rows) == sum(last.values())
    assert all(row.sentence and row.check for row in rows)


def test_what_cannot_be_checked_offline_is_told_apart(project):
    rows = {row.id: row for row in read(project / "features.md")}

    assert rows["A0-01"].not_offline is None
    assert rows["A0-02"].not_offline == "kubelet's registration"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("| A0-01 | Again. | 000 | mocks |", "A0-01 is there twice, give one of them another id"),
        (
            "| A0-09 | A | b. | 000 | mocks |",
            "write four: id, feature, seed, how it can be checked",
        ),
    ],
)
def test_a_broken_table_is_refused_with_its_line(project, line, message):
    path = project / "features.md"
    path.write_text(TABLE + line + "\n")

    with pytest.raises(FeaturesFileError, match=rf"^features.md:8: .*{message}$"):
        read(path)


def test_a_file_without_rows_is_refused(project):
    path = project / "features.md"
    path.write_text("# Nothing\n")

    with pytest.raises(FeaturesFileError, match=r"was found$"):
        read(path)


def test_parametrised_tests_are_one_proof_and_skipped_ones_none(project):
    proofs = collect(project / "tests", project)["feature"]

    file = f"tests/{project.name}.py"
    assert proofs == [
        Proof("A0-01", f"{file}::test_label", False),
        Proof("A0-01", f"{file}::test_register", True),
        Proof("A0-02", f"{file}::test_register", True),
    ]


def test_a_file_that_cannot_be_imported_is_an_error_not_a_missing_proof(project):
    (project / "tests" / "test_broken.py").write_text("import nowhere_to_be_found\n")

    with pytest.raises(CollectionError, match="nowhere_to_be_found"):
        collect(project / "tests", project)


def test_an_id_that_no_row_has_is_named_with_its_test(project):
    rows = read(project / "features.md")
    proofs = by_feature([Proof("A0-77", "tests/test_it.py::test_label", False)])

    assert unknown(rows, proofs) == [
        "tests/test_it.py::test_label: there is no feature A0-77,"
        " write an id of frugal_eks/dev/features/features.md"
    ]


def test_the_summary_counts_rows_and_not_tests(project):
    rows = read(project / "features.md")
    proofs = by_feature([Proof("A0-01", "a", False), Proof("A0-01", "b", False)])

    assert summary(rows, proofs) == "Rows with a test: A0 1/2, B 0/1; together 1 of 3."


def test_the_command_prints_proofs_and_gaps_without_a_terminal(run):
    code, output, _ = run()

    assert code == 0
    assert "::test_register (engine)" in output
    assert "not proved offline: kubelet's registration" in output
    assert "no test: engine" in output
    assert "\x1b" not in output


def test_the_command_can_be_narrowed_to_open_rows(run):
    code, output, _ = run("--open")

    assert code == 0
    assert "B-01" in output
    assert "A0-01" not in output


def test_the_command_can_be_narrowed_to_a_group(run):
    code, output, _ = run("--group", "A0")

    assert code == 0
    assert "A0-01" in output
    assert "B-01" not in output


def test_a_group_that_does_not_exist_is_answered_with_those_that_do(run):
    assert run("--group", "Z9") == (1, "", "There is no group Z9, choose one of A0, B.\n")


def test_the_command_fails_if_a_test_names_an_unknown_id(project, run):
    (project / "tests" / f"{project.name}_more.py").write_text(
        'import pytest\n\n@pytest.mark.feature("X9-99")\ndef test_it():\n    pass\n'
    )

    code, _, said = run()

    assert code == 1
    assert said == (
        f"tests/{project.name}_more.py::test_it: there is no feature X9-99,"
        " write an id of frugal_eks/dev/features/features.md\n"
    )


def test_the_command_fails_in_words_if_a_test_file_cannot_be_imported(project, run):
    (project / "tests" / f"{project.name}_broken.py").write_text("import nowhere_to_be_found\n")

    code, output, said = run()

    assert (code, output) == (1, "")
    assert said.startswith("No table: ")
    assert "nowhere_to_be_found" in said


def behaviour(**details: str) -> Behaviour:
    """A behaviour that is handled, and neither played nor excused."""
    texts = {field: field for field in Behaviour._fields} | {"not_rehearsed": ""} | details
    return Behaviour(**texts | {"evidence": ("owner/repo#1",)})


PLAYED = {"late": [Proof("late", "tests/test_it.py::test_late", True)]}


@pytest.mark.parametrize(
    ("details", "message"),
    [
        (
            {"id": "late", "handled": ""},
            "late: write into frugal_eks/dev/features/handled.yaml how it is handled",
        ),
        (
            {"id": "early"},
            "early: no test plays it: write into frugal_eks/dev/features/handled.yaml why it is "
            "not rehearsed",
        ),
        (
            {"id": "late", "not_rehearsed": "rare"},
            "late: tests/test_it.py::test_late plays it: drop not_rehearsed from"
            " frugal_eks/dev/features/handled.yaml",
        ),
    ],
)
def test_each_behaviour_has_an_answer_and_either_a_test_or_a_reason(details, message):
    rows = [behaviour(**details)] + [behaviour(id="late")] * (details["id"] != "late")

    assert behaviours.mistakes(rows, PLAYED) == [message]


def test_a_mark_of_a_behaviour_that_does_not_exist_is_a_mistake():
    problem = behaviours.mistakes([], PLAYED)

    assert problem == [
        "tests/test_it.py::test_late: there is no behaviour late,"
        " write an id of frugal_eks/dev/features/aws-behaviours.yaml"
    ]


def test_the_page_shows_the_test_or_the_reason():
    rows = [behaviour(id="late"), behaviour(id="early", not_rehearsed="too | rare")]

    page = behaviours.page(rows, PLAYED)

    assert "2 behaviours, 1 played in the rehearsal." in page
    assert "| handled | `tests/test_it.py::test_late` |" in page
    assert "| handled | not: too \\| rare |" in page
