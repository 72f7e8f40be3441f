"""The played AWS behind a port, and `./frugal-eks preflight` against it."""

import datetime
import json
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import boto3
import pytest
from moto.moto_api._internal.models import moto_api_backend
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from components import versions
from frugal_eks import cli
from frugal_eks.preflight.machine import Machine
from rehearsal.aws.eks_service.state import ControlPlane, Eks
from rehearsal.aws.endpoint import MOTO_SETTINGS, Endpoint, QuietHandler
from rehearsal.aws.moto_account import MotoAccount
from tests.rehearsal.aws.endpoint.conftest import FakeKubernetes

ROOT = Path(__file__).parents[3]
ACCOUNT, SHIPPED_ACCOUNT = "123456789012", "111122223333"
REGION = "eu-west-1"
ADDRESS = "203.0.113.7"
TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
)


@dataclass(frozen=True)
class PlayedMachine(Machine):
    """A machine with the AWS CLI, a right clock and a known address."""

    address: str | None = ADDRESS
    cli: str | None = "aws-cli/2.31.0 Python/3.13.7 Linux/6.1 exe/x86_64"
    ahead: datetime.timedelta = datetime.timedelta()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    unreachable: str = ""

    def now(self) -> datetime.datetime:
        return super().now() + self.ahead

    def variable(self, name: str) -> str | None:
        return self.variables.get(name)

    def program(self, name: str) -> Path | None:
        return Path(f"/usr/bin/{name}") if self.cli else None

    def output(self, program: Path, *arguments: str) -> str:
        assert program.name == "aws"
        assert self.cli
        assert arguments == ("--version",)
        return self.cli

    def public_address(self) -> str | None:
        return self.address

    def reach(self, url: str) -> str:
        assert url.startswith("https://")
        return self.unreachable


class Told(NamedTuple):
    """What a run of the command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """What --json told."""
        assert self.out, self.err
        return json.loads(self.out)

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Its lines."""
        return self.json["checks"]

    @property
    def failing(self) -> list[str]:
        return [each["check"] for each in self.checks if each["result"] == "will fail"]

    @property
    def unclear(self) -> list[str]:
        return [each["check"] for each in self.checks if each["result"] == "cannot tell"]

    def of(self, check: str) -> dict[str, Any]:
        names = [each["check"] for each in self.checks]
        found = [
            each
            for each in self.checks
            if each["check"] == check or (check not in names and each["check"].startswith(check))
        ]
        assert len(found) == 1, f"{len(found)} of {check} in {[c['check'] for c in self.checks]}"
        return found[0]


class Played:
    """The account, as a test prepares it."""

    def __init__(self, endpoint: Endpoint, folder: Path) -> None:
        self.endpoint = endpoint
        self.eks = endpoint.eks
        self.folder = folder
        self.calls: set[str] = set()
        """What preflight asked, as IAM names it."""
        self.denied: set[str] = set()
        """What preflight may not do; the test itself may."""
        self.listening = False

    def client(self, service: str) -> Any:
        return boto3.client(service, region_name=self.eks.account.region)

    @property
    def quotas(self) -> dict[str, float]:
        return self.endpoint.quotas.values

    def stack(self, name: str, *changes: tuple[str, str]) -> str:
        """A shipped stack file for this account, with what patterns match replaced."""
        text = (ROOT / "stacks" / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
        for old, new in ((SHIPPED_ACCOUNT, ACCOUNT), *changes):
            text, count = re.subn(old, new, text)
            assert count, f"{name} says nothing of {old}"
        file = self.folder / f"Pulumi.{name}.yaml"
        file.write_text(text, encoding="utf-8")
        return str(file)


@pytest.fixture(scope="session")
def served() -> Iterator[tuple[str, list[Any], Any]]:
    """URL of a server, the list whose only element answers, and moto's application."""
    application: list[Any] = [None]

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        return application[0](environ, start_response)

    with mock.patch.dict(os.environ, {**MOTO_SETTINGS, "MOTO_ACCOUNT_ID": ACCOUNT}):
        server = make_server("127.0.0.1", 0, answer, threaded=True, request_handler=QuietHandler)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        moto = DomainDispatcherApplication(create_backend_app)
        yield f"http://127.0.0.1:{server.port}", application, moto
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def account(
    served: tuple[str, list[Any], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Played]:
    """A clean account in which the role platform-admin deploys, with the zone of `nodeless`."""
    url, application, moto = served
    moto_api_backend.reset()
    endpoint = Endpoint(
        Eks(
            account=MotoAccount(ACCOUNT, REGION),
            kubernetes=FakeKubernetes(),
            control_plane=ControlPlane(endpoint="https://127.0.0.1:6443", ca_data=lambda: "Q0E="),
            addon_versions={
                minor: {name: [build] for name, build in addons.items()}
                for minor, addons in versions.EKS_ADDONS.items()
            },
            moment=0,
        ),
        moto,
    )
    application[0] = endpoint
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    boto3.setup_default_session()
    played = Played(endpoint, tmp_path)
    iam, sts = played.client("iam"), boto3.client("sts", region_name=REGION)
    role = iam.create_role(RoleName="platform-admin", AssumeRolePolicyDocument=TRUST)["Role"]
    played.client("route53").create_hosted_zone(Name="example.com", CallerReference="1")
    keys = sts.assume_role(RoleArn=role["Arn"], RoleSessionName="someone")["Credentials"]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys["AccessKeyId"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys["SecretAccessKey"])
    monkeypatch.setenv("AWS_SESSION_TOKEN", keys["SessionToken"])
    boto3.setup_default_session()
    _listen(played)
    yield played
    boto3.setup_default_session()
    # Other tests of this process find the account as it was.
    moto_api_backend.reset()


def _listen(played: Played) -> None:
    """Every call is kept as IAM names it, and refused where the test says so."""
    prefixes = {"elastic-load-balancing": "elasticloadbalancing", "route-53": "route53"}

    def hear(model: Any, **_: Any) -> Any:
        service = model.service_model
        if not played.listening:
            return None
        prefix = {"monitoring": "cloudwatch"}.get(service.signing_name, service.signing_name)
        action = f"{prefixes.get(prefix, prefix)}:{model.name}"
        played.calls.add(action)
        if action not in played.denied:
            return None
        words = f"User: arn:aws:iam::{ACCOUNT}:role/x is not authorized to perform: {action}"
        refused = {"Error": {"Code": "AccessDenied", "Message": words}, "ResponseMetadata": {}}
        return mock.Mock(status_code=403), refused

    session: Any = boto3.DEFAULT_SESSION
    session.events.register("before-call", hear)


@pytest.fixture
def preflight(account: Played, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """`frugal-eks preflight … --json`."""

    def run(*arguments: str, machine: Machine | None = None, json: bool = True) -> Told:
        capsys.readouterr()
        account.listening = True
        form = ["--json"] if json else []
        code = cli.main(["preflight", *arguments, *form], machine=machine or PlayedMachine())
        account.listening = False
        return Told(code, *capsys.readouterr())

    return run
