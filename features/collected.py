"""Asks pytest which tests carry `@pytest.mark.feature("A2-01")`, without running any of them."""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

MARKER = 'feature(*ids): the rows of features/features.md that this test proves, "A2-01"'


class Proof(NamedTuple):
    """A test that claims to prove a feature; parametrised tests are one."""

    feature: str
    test: str
    engine: bool


class CollectionError(Exception):
    """pytest could not import or collect something; the message is what pytest said."""


class Collector:
    """A pytest plugin: remembers the marked tests and what could not be collected."""

    def __init__(self) -> None:
        self.proofs: dict[Proof, None] = {}
        self.failures: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        """Makes the marker known, so that `--strict-markers` lets it pass."""
        config.addinivalue_line("markers", MARKER)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keeps the reason of a file that could not be imported."""
        if report.failed:
            self.failures.append(report.longreprtext)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keeps every mark of every test; one that never runs or may fail proves nothing."""
        for item in session.items:
            if item.get_closest_marker("skip") or item.get_closest_marker("xfail"):
                continue
            test = item.nodeid.partition("[")[0]
            engine = item.get_closest_marker("engine") is not None
            for mark in item.iter_markers("feature"):
                for feature in mark.args:
                    self.proofs[Proof(str(feature), test, engine)] = None


def collect(tests: Path, root: Path) -> list[Proof]:
    """The proofs below the folder `tests` of the project `root`, in the order of collection.

    Raises CollectionError with pytest's own words: a file that cannot be imported hides its proofs.
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
    return list(collector.proofs)
