"""The played AWS in this process, with an API server that remembers what it is given."""

import functools
import itertools
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service.kubernetes import Conflict, Object
from rehearsal.aws.eks_service.state import ControlPlane, Eks
from rehearsal.aws.endpoint import MOTO_SETTINGS, Endpoint, QuietHandler
from rehearsal.aws.moto_account import MotoAccount
from rehearsal.aws.quotas import REFUSING, Quotas

ACCOUNT = "123456789012"
REGION = "eu-central-1"  # of its own: moto keeps one account for the whole process
VERSIONS = {
    "1.33": {"coredns": ["v1.12.0"], "vpc-cni": ["v1.20.0"], "kube-proxy": ["v1.33.0"]},
    "1.34": {"coredns": ["v1.12.0"], "vpc-cni": ["v1.20.0"], "kube-proxy": ["v1.34.0"]},
    "1.35": {
        "coredns": ["v1.13.0", "v1.12.9"],
        "vpc-cni": ["v1.21.0"],
        "kube-proxy": ["v1.35.0"],
        "eks-pod-identity-agent": ["v1.3.0"],
        "aws-ebs-csi-driver": ["v1.66.0"],
    },
}
CA = "Q0E="
numbers = itertools.count()


class FakeKubernetes:
    """Objects by kind, namespace and name."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str, str], Object] = {}
        self.down = False
        self.grace: int | None = None  # of the last deletion
        self.others: set[str] = set()  # kinds whose fields somebody else owns
        self.guarded: set[str] = set()  # pods that a disruption budget keeps

    def check(self) -> None:
        if self.down:
            raise AwsError("InvalidRequestException", "The rehearsal's API server is down")

    def apply(self, objects: Iterable[Object], *, force: bool = True) -> None:
        self.check()
        for one in objects:
            if one["kind"] in self.others and not force:
                raise Conflict("conflict with somebody: .spec.replicas")
            self.objects[self.key(one)] = {**self.objects.get(self.key(one), {}), **one}

    def delete(self, objects: Iterable[Object], *, grace: int | None = None) -> None:
        self.check()
        self.grace = grace
        for one in list(objects):
            self.objects.pop(self.key(one), None)

    def evict(self, pod: Object) -> None:
        if pod["metadata"]["name"] not in self.guarded:
            self.delete([pod])

    def get(self, wanted: Object) -> Object | None:
        self.check()
        return self.objects.get(self.key(wanted))

    def list(
        self, api_version: str, kind: str, labels: Mapping[str, str] | None = None
    ) -> list[Object]:
        self.check()
        found = [
            one
            for (of, _, _), one in self.objects.items()
            if of == kind and one.get("apiVersion", api_version) == api_version
        ]
        wanted = (labels or {}).items()
        return [one for one in found if wanted <= one["metadata"].get("labels", {}).items()]

    def named(self, kind: str) -> dict[str, Object]:
        return {name: one for (of, _, name), one in self.objects.items() if of == kind}

    @staticmethod
    def key(one: Object) -> tuple[str, str, str]:
        return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


@dataclass
class Aws:
    """boto3 clients of the played AWS, and what a test needs of it."""

    kubernetes: FakeKubernetes
    eks_state: Eks
    client: Callable[[str], Any]
    subnets: list[str] = field(default_factory=list)
    vpc: str = ""
    quotas: Quotas | None = None

    @property
    def eks(self) -> Any:
        return self.client("eks")

    def role(
        self, service: str, *policies: str, actions: tuple[str, ...] = ("sts:AssumeRole",)
    ) -> str:
        """A new role that trusts a service. Its ARN."""
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": list(actions),
        }
        name = f"role-{next(numbers)}"
        trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        made = self.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trust)
        for policy in policies:
            arn = f"arn:aws:iam::aws:policy/{policy}"
            self.client("iam").attach_role_policy(RoleName=name, PolicyArn=arn)
        return made["Role"]["Arn"]

    def subnet(self, block: str, zone: str, vpc: str | None = None) -> str:
        made = self.client("ec2").create_subnet(
            VpcId=vpc or self.vpc, CidrBlock=block, AvailabilityZone=f"{REGION}{zone}"
        )
        return made["Subnet"]["SubnetId"]

    def cluster_arguments(self, **changes: Any) -> dict[str, Any]:
        return {
            "name": "demo",
            "version": "1.34",
            "roleArn": self.role("eks.amazonaws.com", "AmazonEKSClusterPolicy"),
            "resourcesVpcConfig": {"subnetIds": self.subnets},
            "accessConfig": {
                "authenticationMode": "API",
                "bootstrapClusterCreatorAdminPermissions": False,
            },
            "bootstrapSelfManagedAddons": False,
            **changes,
        }

    def create_cluster(self, **changes: Any) -> dict[str, Any]:
        """The cluster demo, ACTIVE."""
        self.eks.create_cluster(**self.cluster_arguments(**changes))
        return self.eks.describe_cluster(name="demo")["cluster"]


def refused(call: Callable[[], Any]) -> str:
    """Code and message of the error that a call ends with."""
    with pytest.raises(ClientError) as caught:
        call()
    error = caught.value.response["Error"]
    return f"{error['Code']}: {error['Message']}"


@pytest.fixture(scope="session")
def served() -> Iterator[tuple[str, list[Any]]]:
    """URL of a server, and the list whose only element answers."""
    application: list[Any] = [None]

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        return application[0](environ, start_response)

    settings = {**MOTO_SETTINGS, "MOTO_ACCOUNT_ID": ACCOUNT}
    with mock.patch.dict(os.environ, settings):
        server = make_server(
            "127.0.0.1",
            0,
            answer,
            threaded=True,
            request_handler=QuietHandler,
        )
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.port}", application
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="session")
def clients(served: tuple[str, list[Any]]) -> Iterator[Callable[[str], Any]]:
    url, _ = served
    made: list[Any] = []

    @functools.cache
    def client(service: str) -> Any:
        made.append(
            boto3.client(
                service,
                region_name=REGION,
                endpoint_url=url,
                aws_access_key_id="AKIAEXAMPLE",
                aws_secret_access_key="secret",
                config=Config(retries={"total_max_attempts": 1}),
            )
        )
        return made[-1]

    yield client
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def moto_application() -> Any:
    return DomainDispatcherApplication(create_backend_app)


@pytest.fixture
def bare_aws(
    served: tuple[str, list[Any]], clients: Callable[[str], Any], moto_application: Any
) -> Aws:
    """A played AWS whose EKS is empty, where everything takes no time."""
    _, application = served
    kubernetes = FakeKubernetes()
    eks = Eks(
        account=MotoAccount(ACCOUNT, REGION),
        kubernetes=kubernetes,
        control_plane=ControlPlane(endpoint="https://127.0.0.1:6443", ca_data=lambda: CA),
        addon_versions=VERSIONS,
        moment=0,
    )
    application[0] = Endpoint(eks, moto_application)
    # One region holds what all tests of the process have made.
    application[0].quotas.values.update(dict.fromkeys(REFUSING, 10_000))
    return Aws(kubernetes, eks, clients, quotas=application[0].quotas)


@pytest.fixture
def aws(bare_aws: Aws) -> Aws:
    """The same, with a VPC and three subnets."""
    made = bare_aws.client("ec2").create_vpc(CidrBlock="10.20.0.0/16")
    bare_aws.vpc = made["Vpc"]["VpcId"]
    bare_aws.subnets = [bare_aws.subnet(f"10.20.{i}.0/24", zone) for i, zone in enumerate("abc")]
    return bare_aws
