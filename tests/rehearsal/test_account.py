"""The account has the administrators that the stack file names; the first of them deploys."""

import boto3
import pytest
from moto.server import ThreadedMotoServer

from rehearsal import account
from rehearsal.clients import aws_client
from rehearsal.stack_file import DEFAULT_ACCOUNT, StackFile

OWN = f"arn:aws:iam::{DEFAULT_ACCOUNT}:"


@pytest.fixture(scope="module")
def endpoints():
    """moto's own account has the number that is the default here too."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield {
        "apiServer": "",
        "aws": f"http://{host}:{port}",
        "region": "eu-west-1",
        "account": DEFAULT_ACCOUNT,
    }
    server.stop()


@pytest.fixture
def stack_file(tmp_path):
    """A stack file with the administrators given."""

    def write(*admins: str) -> StackFile:
        path = tmp_path / "Pulumi.try.yaml"
        path.write_text(f"config: {{'frugal-eks:cluster': {{admins: {list(admins)}}}}}")
        return StackFile.read(path, "try")

    return write


def deployer(environment: dict[str, str]) -> str:
    session = boto3.Session(
        environment["AWS_ACCESS_KEY_ID"],
        environment["AWS_SECRET_ACCESS_KEY"],
        environment["AWS_SESSION_TOKEN"],
        environment["AWS_REGION"],
    )
    sts = session.client("sts", endpoint_url=environment["AWS_ENDPOINT_URL"])
    return sts.get_caller_identity()["Arn"]


def test_administrators_exist_before_up_and_the_first_role_deploys(stack_file, endpoints):
    file = stack_file(OWN + "user/ann", OWN + "role/team/platform-admin", OWN + "role/second")

    environment = account.prepare(file, endpoints)
    account.prepare(file, endpoints)

    iam = aws_client("iam", endpoints)
    assert iam.get_role(RoleName="platform-admin")["Role"]["Arn"] == file.admins[1]
    assert iam.get_role(RoleName="second")["Role"]["Arn"] == file.admins[2]
    assert iam.get_user(UserName="ann")["User"]["Arn"] == file.admins[0]
    who = f"arn:aws:sts::{DEFAULT_ACCOUNT}:assumed-role/platform-admin/rehearsal"
    assert deployer(environment) == who
    assert account.preexisting(file, endpoints) == file.admins


def test_a_role_of_its_own_deploys_where_no_administrator_is_a_role(stack_file, endpoints):
    file = stack_file(OWN + "user/ann", "arn:aws:iam::999999999999:role/other")

    environment = account.prepare(file, endpoints)

    assert "/rehearsal-deployer/" in deployer(environment)
    assert account.preexisting(file, endpoints) == [
        OWN + "user/ann",
        OWN + "role/rehearsal-deployer",
    ]
