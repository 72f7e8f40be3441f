"""What the rehearsal's tests share."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from moto.server import ThreadedMotoServer

from rehearsal import charts, toolchain
from rehearsal.plugins import lay_cli
from rehearsal.stack_file import DEFAULT_ACCOUNT

# A shell that runs the tests in the background lets them ignore Ctrl-C, and so would all that they
# start: some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with `pulumi` and its language host, built if need be."""
    tools = toolchain.ensure(["pulumi", "pulumi-language-python"])
    return lay_cli(tmp_path_factory.mktemp("cli"), tools["pulumi"], tools["pulumi-language-python"])


@pytest.fixture(scope="module")
def endpoints() -> Iterator[dict[str, str]]:
    """moto's own account, whose number is the default of a rehearsal too."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    aws = f"http://{host}:{port}"
    yield {"apiServer": "", "aws": aws, "region": "eu-west-1", "account": DEFAULT_ACCOUNT}
    server.stop()


@pytest.fixture(scope="session")
def assembled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the stand-in charts."""
    folder = tmp_path_factory.mktemp("charts")
    charts.assemble(folder)
    return folder


@pytest.fixture(scope="session")
def render(assembled: Path) -> Callable[..., dict[tuple[str, str], dict[str, Any]]]:
    """The objects of a chart by kind and name, as the Kubernetes provider's Helm makes them."""
    binary = toolchain.ensure(["render"])["render"]

    def run(
        chart: str, values: Mapping[str, Any], namespace: str = "platform", folder: Path = assembled
    ) -> dict[tuple[str, str], dict[str, Any]]:
        told = subprocess.run(
            [binary, folder / chart, chart, namespace],
            input=yaml.safe_dump(values),
            capture_output=True,
            text=True,
            check=False,
        )
        if told.returncode:
            raise ValueError(told.stderr)
        texts = json.loads(told.stdout).values()
        objects = [one for text in texts for one in yaml.safe_load_all(text) if one]
        return {(one["kind"], one["metadata"]["name"]): one for one in objects}

    return run
