"""Asks pytest which tests carry `@pytest.mark.feature("A2-01")` or
`@pytest.mark.behaviour("helm-pending-release-locks")`, without running any of them."""

import inspect
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import pytest

MARKERS = {
    "feature": "feature(*ids): the rows of features.md that this test proves",
    "behaviour": "behaviour(*ids): the behaviours of aws-behaviours.yaml that it plays",
}


NO_PROOF = ("skip", "skipif", "xfail")
"""Marks of tests that may be skipped, or may fail."""
_SKIPS = {"skip", "importorskip", "SkipTest", "skipTest"}


class Proof(NamedTuple):
    """A test whose mark names a feature or a behaviour; all its parameters count as one."""

    id: str
    test: str
    engine: bool


class CollectionError(Exception):
    """pytest's message about a file that could not be collected."""


class Collector:
    """A pytest plugin that collects marked tests and failures to collect."""

    def __init__(self) -> None:
        self.proofs: dict[str, dict[Proof, None]] = {mark: {} for mark in MARKERS}
        self.failures: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        """Registers the markers, so that `--strict-markers` accepts them."""
        for marker in MARKERS.values():
            config.addinivalue_line("markers", marker)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Records why a file could not be imported."""
        if report.failed:
            self.failures.append(report.longreprtext)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Records the marks of every test, except tests that may be skipped or fail."""
        for item in session.items:
            if any(map(item.get_closest_marker, NO_PROOF)) or _may_skip(item):
                continue
            test = item.nodeid.partition("[")[0]
            engine = item.get_closest_marker("engine") is not None
            for mark in item.iter_markers():
                for named in mark.args if mark.name in self.proofs else ():
                    self.proofs[mark.name][Proof(str(named), test, engine)] = None


def _may_skip(item: pytest.Item) -> bool:
    """True if a test, or a fixture that it uses, can skip at run time."""
    # pytest has no public way from a test to its fixtures.
    used: Any = getattr(item, "_fixtureinfo", None)
    fixtures: Mapping[str, Sequence[Any]] = used.name2fixturedefs if used else {}
    functions = [getattr(item, "obj", None), *(f.func for each in fixtures.values() for f in each)]
    return any(_names(function) & _SKIPS for function in functions)


def _names(function: Any) -> set[str]:
    """Names that a function uses, including nested functions."""
    codes = [code] if (code := getattr(inspect.unwrap(function), "__code__", None)) else []
    for code in codes:
        codes += [const for const in code.co_consts if isinstance(const, CodeType)]
    return {name for code in codes for name in code.co_names}


def collect(tests: Path, root: Path) -> Mapping[str, list[Proof]]:
    """Proofs in the folder `tests` of the project `root`, by mark, in order of collection.
    Raises CollectionError with pytest's output: a file that cannot be imported hides its proofs.
    """
    collector = Collector()
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = pytest.main(
            ["--collect-only", "-q", "-p", "no:cacheprovider", f"--rootdir={root}", str(tests)],
            plugins=[collector],
        )
    if collector.failures:
        raise CollectionError("\n".join(collector.failures))
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        raise CollectionError(said.getvalue().strip())
    return {mark: list(proofs) for mark, proofs in collector.proofs.items()}
