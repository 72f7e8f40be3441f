"""What the rehearsal's tests share."""

import signal
from pathlib import Path

import pytest

from rehearsal import toolchain
from rehearsal.plugins import lay_cli

# A shell that runs the tests in the background lets them ignore Ctrl-C, and so would all that they
# start: some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with `pulumi` and its language host, built if need be."""
    tools = toolchain.ensure(["pulumi", "pulumi-language-python"])
    return lay_cli(tmp_path_factory.mktemp("cli"), tools["pulumi"], tools["pulumi-language-python"])
