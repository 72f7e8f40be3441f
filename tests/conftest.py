"""The one harness: an engine that records what a program declares instead of deploying it."""

import gc
import os
import re
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from hypothesis import settings
from pulumi.runtime.proto.source_pb2 import StackTrace
from xdist.scheduler import LoadScopeScheduling

from rehearsal import recording
from rehearsal.recording import Answers, Deployment, account_of

# Every machine sees the same examples, takes its time, and writes nothing beside the tests.
settings.register_profile("stable", derandomize=True, database=None, deadline=None)
settings.load_profile("stable")

pytest_plugins = ["tests.platforms"]

ROOT = Path(__file__).parent.parent
STAGES = ("karpenter_rules", "consolidation", "nodeless", "spot", "variants", "spot_scheduling")
"""Folders of tests that share one rehearsal, the longest first."""


def together(nodeid: str) -> str:
    """What one worker runs alone: tests of one file, of one rehearsal, or of moto's account, of
    which a process has one. Of `joints` a file is too much: there it is the tests of one home."""
    file = nodeid.partition("::")[0].removeprefix("tests/")
    folder, _, rest = file.partition("/")
    part = rest.partition("/")[0]
    if part == "joints" and (home := re.search(r"home-\d+", nodeid)):
        return f"{file} {home[0]}"
    if folder != "rehearsal":
        return file
    if part in STAGES:
        return part
    return "moto" if part in {"aws", "test_account.py", "test_leftovers.py"} else file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest begin first, so that no worker is left alone with them in the end."""

    def rank(item: pytest.Item) -> float:
        group = together(item.nodeid)
        if group in STAGES:
            return STAGES.index(group)
        return len(STAGES) if item.get_closest_marker("engine") else inf

    items.sort(key=rank)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """With several workers. Its own way to say so, `xdist_group`, has no effect in pytest 9.2."""

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together(nodeid)

    return Together(config, log)


def pytest_collection_finish() -> None:
    """What is imported by now is no garbage: each deployment is a third faster for it."""
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI nothing may be left out: a test that skips there proves nothing, for ever."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("CI") and skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f"{len(skipped)} skipped: in CI every test must run", red=True)


@pytest.fixture
def account() -> Answers:
    """An AWS account with three zones, in which an administrator deploys."""
    return account_of()


@pytest.fixture
def deploy(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Deployment]:
    """Run a program as update or preview, wait for every resource, return the record.

    `settings` is the `config` of a stack file, `secrets` names its encrypted keys.
    """

    def run(
        program: Callable[[], object],
        answers: Answers | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        secrets: tuple[str, ...] = (),
        preview: bool = False,
    ) -> Deployment:
        # Where each resource was declared, which no test reads: a quarter of each deployment, since
        # a test's stack is deep.
        monkeypatch.setattr(pulumi.runtime.resource, "_get_stack_trace", StackTrace)
        built = Deployment(answers or {}, preview=preview)
        return recording.run(program, built, settings or {}, stack="dev", secrets=secrets)

    return run


@pytest.fixture
def stack_file() -> Callable[[str], dict[str, Any]]:
    """The `config` of a stack file that ships, by the stack's name; the caller's own copy."""

    def read(stack: str) -> dict[str, Any]:
        return yaml.safe_load((ROOT / f"stacks/Pulumi.{stack}.yaml").read_text())["config"]

    return read
