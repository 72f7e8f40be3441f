"""What the rehearsal's tests share."""

from pathlib import Path

import pytest

from rehearsal import toolchain
from rehearsal.plugins import lay_cli


@pytest.fixture(scope="session")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with `pulumi` and its language host, built if need be."""
    tools = toolchain.ensure(["pulumi", "pulumi-language-python"])
    return lay_cli(tmp_path_factory.mktemp("cli"), tools["pulumi"], tools["pulumi-language-python"])
