"""An AWS account in this process, and the command that sweeps it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import boto3
import pytest
from moto import mock_aws

from frugal_eks import cli
from frugal_eks.sweep.account import open_account
from frugal_eks.sweep.kinds import KINDS
from frugal_eks.sweep.search import Search, survey
from frugal_eks.sweep.things import Finding
from tests.frugal_eks.sweep.world import CLUSTER, REGION, World


class Ran(NamedTuple):
    """What a run of the command came to."""

    code: int
    out: str
    err: str


@contextmanager
def empty_account(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """An account in this process without anything in it, and an environment that knows no other."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL"):
            patch.delenv(name, raising=False)
        patch.setenv("AWS_CONFIG_FILE", str(folder / "config"))
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(folder / "credentials"))
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("AWS_REGION", REGION)
        patch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # 1,299 of them, a second
        with mock_aws():
            yield patch


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """Of an empty account; to be asked for first."""
    with empty_account(tmp_path) as patch:
        yield patch


@pytest.fixture
def world(environment: pytest.MonkeyPatch) -> World:
    del environment
    return World()


@pytest.fixture
def findings(world: World) -> Callable[[], dict[str, Finding]]:
    """What a survey finds, by id."""
    swept = open_account(world.region, None)

    def look() -> dict[str, Finding]:
        seen = survey(Search(account=swept, cluster=CLUSTER), KINDS)
        assert seen.problems == []
        return {finding.thing.id: finding for finding in seen.findings}

    return look


@pytest.fixture
def sweep(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """`./frugal-eks sweep --cluster dev --wait 0`, with more arguments."""
    del environment

    def command(*more: str, wait: str = "0") -> Ran:
        capsys.readouterr()
        code = cli.main(["sweep", "--cluster", CLUSTER, "--wait", wait, *more])
        return Ran(code, *capsys.readouterr())

    return command


@pytest.fixture
def fresh_session() -> Iterator[None]:
    """boto3 keeps the credentials it found first."""
    boto3.setup_default_session()
    yield
    boto3.setup_default_session()


@pytest.fixture
def calls(fresh_session: None) -> list[tuple[str, dict[str, Any]]]:
    """Operation and parameters of every call that the command makes."""
    del fresh_session
    heard: list[tuple[str, dict[str, Any]]] = []

    def hear(params: dict[str, Any], model: Any, **_: Any) -> None:
        heard.append((model.name, dict(params)))

    session: Any = boto3.DEFAULT_SESSION
    session.events.register("before-parameter-build", hear)
    return heard
