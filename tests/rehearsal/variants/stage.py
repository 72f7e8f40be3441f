"""A running rehearsal in which a test plays several stacks."""

import io
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from rich.console import Console

from frugal_eks import cli
from rehearsal import leftovers
from rehearsal.account_things import Thing
from rehearsal.clients import Cluster, aws_client
from rehearsal.commands import Options, Rehearsal

Config = Mapping[str, Any]


class Refused(NamedTuple):
    """A command that ends before anything is made."""

    exit_code: int
    told: str


class Stage:
    """One played account with one API server, and any number of stacks on it."""

    def __init__(self, folder: Path, name: str, config: Config) -> None:
        self.folder = folder
        self.first = self.stack(name, config)

    def stack(self, name: str, config: Config) -> Rehearsal:
        """A stack, new or with other settings than before."""
        file = self.folder / f"Pulumi.{name}.yaml"
        file.write_text(yaml.safe_dump({"config": dict(config)}))
        options = Options(state=self.folder / "state", stack=name, stack_file=file)
        return Rehearsal(options, Console(file=io.StringIO(), width=200))

    def refused(self, config: Config) -> Refused:
        """A preview on the command line, with all that it prints."""
        rehearsal = self.stack("refused", config)
        state, file = str(rehearsal.state.path), str(rehearsal.stack_path)
        with pytest.MonkeyPatch.context() as patch:
            told = io.StringIO()
            patch.setattr("sys.stderr", told)
            patch.setattr("sys.stdout", told)
            code = cli.main(["rehearse", "preview", "--state", state, "--stack", file])
        return Refused(code, told.getvalue())

    def aws(self, service: str) -> Any:
        """A client of the played account."""
        return aws_client(service, self.first.state.endpoints)

    @property
    def cluster(self) -> Cluster:
        """The API server."""
        return Cluster(self.first.state)

    def left(self, mine: Collection[str] = ()) -> list[Thing]:
        """What the stacks left behind; `mine` are ids of what the test itself has made."""
        known = [*self.first.known(), *mine]
        return leftovers.settle(self.first.state, known, patience=20, tell=lambda _: None)


@contextmanager
def opened(folder: Path, name: str, config: Config) -> Iterator[Stage]:
    """Starts a rehearsal for a first stack; nothing of it outlives the `with`."""
    stage = Stage(folder, name, config)
    stage.first.start()
    try:
        yield stage
    finally:
        stage.first.stop()
