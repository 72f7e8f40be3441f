"""The one harness: an engine that records what a program declares instead of deploying it."""

import asyncio
import gc
import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pulumi
import pytest
import yaml
from google.protobuf.json_format import MessageToDict, ParseDict
from pulumi.runtime import MockCallArgs, MockResourceArgs, Mocks
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.proto.source_pb2 import StackTrace
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parent.parent
REGION, ACCOUNT = "eu-west-1", "111122223333"
ISSUER = f"oidc.eks.{REGION}.amazonaws.com/id/EXAMPLE"
_ARN = "arn:aws:{service}:" + f"{REGION}:{ACCOUNT}:"

# What AWS or Kubernetes fills in, by resource type. A type that is not here is refused.
COMPUTED: dict[str, dict[str, Any]] = {
    "aws:autoscaling/group:Group": {},
    "aws:autoscaling/lifecycleHook:LifecycleHook": {},
    "aws:cloudwatch/eventRule:EventRule": {"name": "{name}", "arn": _ARN + "rule/{name}"},
    "aws:cloudwatch/eventTarget:EventTarget": {},
    "aws:cloudwatch/logGroup:LogGroup": {"arn": _ARN + "log-group:{name}"},
    "aws:ec2/eip:Eip": {},
    "aws:ec2/instance:Instance": {"privateIp": "10.0.0.7", "publicIp": "198.51.100.7"},
    "aws:ec2/internetGateway:InternetGateway": {},
    "aws:ec2/launchTemplate:LaunchTemplate": {"latestVersion": 1},
    "aws:ec2/natGateway:NatGateway": {},
    "aws:ec2/networkInterface:NetworkInterface": {"macAddress": "02:aa:bb:cc:dd:ee"},
    "aws:ec2/route:Route": {},
    "aws:ec2/routeTable:RouteTable": {},
    "aws:ec2/routeTableAssociation:RouteTableAssociation": {},
    "aws:ec2/securityGroup:SecurityGroup": {},
    "aws:ec2/subnet:Subnet": {},
    "aws:ec2/tag:Tag": {},
    "aws:ec2/vpc:Vpc": {},
    "aws:ec2/vpcEndpoint:VpcEndpoint": {},
    "aws:efs/fileSystem:FileSystem": {},
    "aws:efs/mountTarget:MountTarget": {},
    "aws:eks/accessEntry:AccessEntry": {},
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": {},
    "aws:eks/addon:Addon": {},
    "aws:eks/fargateProfile:FargateProfile": {"status": "ACTIVE"},
    "aws:eks/nodeGroup:NodeGroup": {},
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": {},
    "aws:iam/instanceProfile:InstanceProfile": {"name": "{name}"},
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": {
        "arn": f"arn:aws:iam::{ACCOUNT}:oidc-provider/{ISSUER}"
    },
    "aws:iam/policy:Policy": {"arn": f"arn:aws:iam::{ACCOUNT}:policy/" + "{name}"},
    "aws:iam/role:Role": {"name": "{name}", "arn": f"arn:aws:iam::{ACCOUNT}:role" + "{path}{name}"},
    "aws:iam/rolePolicy:RolePolicy": {},
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": {},
    "aws:iam/serviceLinkedRole:ServiceLinkedRole": {},
    "aws:kms/key:Key": {"arn": _ARN + "key/{name}"},
    "aws:sqs/queue:Queue": {"arn": _ARN + "{name}", "url": "https://sqs/{name}"},
    "aws:sqs/queuePolicy:QueuePolicy": {},
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {},
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": {},
    "eks:index:Cluster": {"kubeconfigJson": "{{}}"},
    "kubernetes:apps/v1:Deployment": {},
    "kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer": {},
    "kubernetes:autoscaling/v2:HorizontalPodAutoscaler": {},
    "kubernetes:core/v1:ConfigMap": {},
    "kubernetes:core/v1:Namespace": {},
    "kubernetes:core/v1:Node": {},
    "kubernetes:core/v1:NodePatch": {},
    "kubernetes:core/v1:PodTemplate": {},
    "kubernetes:core/v1:Service": {},
    "kubernetes:core/v1:ServiceAccount": {},
    "kubernetes:core/v1:ServicePatch": {},
    "kubernetes:flowcontrol.apiserver.k8s.io/v1:FlowSchema": {},
    "kubernetes:helm.sh/v3:Release": {},
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": {},
    "kubernetes:karpenter.sh/v1:NodePool": {},
    "kubernetes:networking.k8s.io/v1:Ingress": {},
    "kubernetes:networking.k8s.io/v1:IngressPatch": {},
    "kubernetes:policy/v1:PodDisruptionBudget": {},
    "kubernetes:scheduling.k8s.io/v1:PriorityClass": {},
    "kubernetes:storage.k8s.io/v1:StorageClass": {},
    "kubernetes:yaml/v2:ConfigFile": {},
    "pulumi:providers:kubernetes": {},
}

# The control plane that the component eks.Cluster makes; a test sees it through the outputs.
CONTROL_PLANE = "aws:eks/cluster:Cluster"
CONTROL_PLANE_STATE = {
    "arn": f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/dev",
    "endpoint": "https://example.eks.amazonaws.com",
    "certificateAuthority": {"data": "Q0E="},
    "identities": [{"oidcs": [{"issuer": f"https://{ISSUER}"}]}],
    "vpcConfig": {"clusterSecurityGroupId": "sg-cluster"},
    "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
}
EXISTING_CLUSTER = {
    "arn": f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/shared",
    "endpoint": "https://shared.eks.amazonaws.com",
    "status": "ACTIVE",
    "version": "1.34",
    "certificateAuthorities": [{"data": "Q0E="}],
    "identities": [{"oidcs": [{"issuer": f"https://{ISSUER}"}]}],
    "accessConfigs": [{"authenticationMode": "API"}],
    "kubernetesNetworkConfigs": [{"serviceIpv4Cidr": "10.100.0.0/16"}],
    "vpcConfig": {
        "vpcId": "vpc-0123456789abcdef0",
        "subnetIds": ["subnet-0aaaaaaa", "subnet-0bbbbbbb"],
        "clusterSecurityGroupId": "sg-shared",
    },
}
_RESOURCE_SIGNATURE = "5cf8f73096256a8f31e491e813e4eb8e"
_SIGNATURE_KEY = "4dabf18193072939515e22adb298388d"

# By the token of a data source: what it replies to its arguments.
Answers = Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]


class Declared(NamedTuple):
    """A resource as the engine receives it; the request has parent, dependencies, provider."""

    urn: str
    inputs: dict[str, Any]
    request: Any


class Deployment(MockMonitor, Mocks):
    """Records resources; refuses data sources that the test did not name and unknown types."""

    def __init__(self, answers: Answers, *, preview: bool) -> None:
        super().__init__(mocks=self)
        self.answers = answers
        self.preview = preview
        self.declared: list[Declared] = []
        self.outputs: dict[str, dict[str, Any]] = {}

    def call(self, args: MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        if args.token not in self.answers:
            raise LookupError(f"the test names no answer for the data source {args.token}")
        return self.answers[args.token](args.args), []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        component = args.typ.startswith("frugal-eks:")
        if not component and args.typ not in COMPUTED:
            raise LookupError(f"COMPUTED in {__file__} does not know {args.typ}")
        if component or self.preview:
            return None, args.inputs
        name = args.inputs.get("name", args.name)
        service = args.typ.split(":")[1].split("/")[0]
        path = args.inputs.get("path", "/")
        computed = {
            key: text.format(name=name, service=service, path=path)
            if isinstance(text, str)
            else text
            for key, text in COMPUTED[args.typ].items()
        }
        if args.typ == "eks:index:Cluster":
            computed["eksCluster"] = self._control_plane(args.name, args.inputs["name"])
        return f"{args.name}-id", computed | args.inputs

    def _control_plane(self, name: str, cluster: str) -> dict[str, Any]:
        """A reference to the component's child, as the engine hands it out."""
        urn = f"urn:pulumi:{pulumi.get_stack()}::{pulumi.get_project()}::{CONTROL_PLANE}::{name}"
        state = CONTROL_PLANE_STATE | {"name": cluster}
        self.resources[urn] = self.ResourceRegistration(urn, name, state)
        reference = {_SIGNATURE_KEY: _RESOURCE_SIGNATURE, "urn": urn, "id": cluster}
        return reference | {"packageVersion": ""}

    def RegisterResource(self, request: Any) -> Any:
        # The stock monitor would look references up once more, in a loop of its own, and hang.
        plain = type(request)()
        plain.CopyFrom(request)
        plain.object.Clear()
        ParseDict(_without_references(MessageToDict(request.object)), plain.object)
        response = super().RegisterResource(plain)
        if request.type != "pulumi:pulumi:Stack":
            self.declared.append(Declared(response.urn, MessageToDict(request.object), request))
        return response

    def RegisterResourceOutputs(self, request: Any) -> Any:
        self.outputs[request.urn.rpartition("::")[2]] = MessageToDict(request.outputs)
        return super().RegisterResourceOutputs(request)

    def every(self, kind: str) -> list[Declared]:
        """All resources of this type, in the order in which they were declared."""
        return [declared for declared in self.declared if declared.request.type == kind]

    def named(self, kind: str, name: str) -> Declared:
        """The resource of this type and name; an error says what there is instead."""
        found = [declared for declared in self.every(kind) if declared.request.name == name]
        assert found, f"no {name} among {[declared.request.name for declared in self.every(kind)]}"
        return found[0]

    def one(self, kind: str) -> Declared:
        """The only resource of this type; an error says what there is instead."""
        found = self.every(kind)
        assert len(found) == 1, f"{len(found)} of {kind} in {self.tree()}"
        return found[0]

    def tree(self) -> list[str]:
        """Type and name of all that is declared, each indented below its parent."""
        requests = {declared.urn: declared.request for declared in self.declared}

        def path(urn: str) -> list[str]:
            if not (request := requests.get(urn)):
                return []
            return [*path(request.parent), f"{request.type.rpartition(':')[2]} {request.name}"]

        return ["  " * (len(line) - 1) + line[-1] for line in sorted(map(path, requests))]

    def waits_for(self, first: Declared, second: Declared) -> bool:
        """Whether `second` is made before `first`, and so deleted after it."""
        requests = {declared.urn: declared.request for declared in self.declared}
        seen, open_urns = set[str](), [first.urn]
        while open_urns:
            urn = open_urns.pop()
            if urn in seen:
                continue
            seen.add(urn)
            request = requests.get(urn)
            if request is None:
                # The control plane is a child of its component.
                owner = [d.urn for d in self.every("eks:index:Cluster") if CONTROL_PLANE in urn]
                open_urns += owner
                continue
            # A component is held until its providers are known, and all inside until it is there.
            providers = [ref.rpartition("::")[0] for ref in request.providers.values()]
            providers.append(request.provider.rpartition("::")[0])
            open_urns += [*request.dependencies, *filter(None, [*providers, request.parent])]
        return second.urn in seen - {first.urn}


def _without_references(value: Any) -> Any:
    """Resources given as inputs, as their URNs."""
    if isinstance(value, list):
        return [_without_references(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get(_SIGNATURE_KEY) == _RESOURCE_SIGNATURE:
        return value["urn"]
    return {key: _without_references(item) for key, item in value.items()}


STAGES = ("karpenter_rules", "consolidation", "nodeless", "spot", "variants", "spot_scheduling")
"""Folders of tests that share one rehearsal, the longest first."""


def together(nodeid: str) -> str:
    """What one worker runs alone: tests of one file, of one rehearsal, or of moto's account, of
    which a process has one."""
    file = nodeid.partition("::")[0].removeprefix("tests/")
    folder, _, rest = file.partition("/")
    part = rest.partition("/")[0]
    if folder != "rehearsal":
        return file
    if part in STAGES:
        return part
    return "moto" if part in {"aws", "test_account.py", "test_leftovers.py"} else file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest begin first, so that no worker is left alone with them in the end."""

    def rank(item: pytest.Item) -> int:
        group = together(item.nodeid)
        return STAGES.index(group) if group in STAGES else len(STAGES)

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


@contextmanager
def event_loops() -> Iterator[None]:
    """An event loop for each thread: Pulumi wants one, and leaves open what it opens itself."""
    with ExitStack() as opened:

        def open_one() -> asyncio.AbstractEventLoop:
            loop = opened.enter_context(closing(asyncio.new_event_loop()))
            # A refused resource leaves futures that nobody reads: the refusal itself is raised.
            loop.set_exception_handler(lambda *_: None)
            asyncio.set_event_loop(loop)
            return loop

        with ThreadPoolExecutor(initializer=open_one) as workers:
            open_one().set_default_executor(workers)
            yield


@pytest.fixture
def account() -> Answers:
    """An AWS account with three zones, in which an administrator deploys."""
    return {
        "aws:index/getCallerIdentity:getCallerIdentity": lambda _: {
            "accountId": ACCOUNT,
            "arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/platform-admin/someone",
        },
        "aws:index/getAvailabilityZones:getAvailabilityZones": lambda _: {
            "names": [f"{REGION}{letter}" for letter in "abc"]
        },
        "aws:ec2/getAmiIds:getAmiIds": lambda _: {"ids": ["ami-0123456789abcdef0"]},
        # The VPC of all tests; the last letter of a subnet says its zone.
        "aws:ec2/getSubnets:getSubnets": lambda query: {"ids": query["filters"][0]["values"]},
        "aws:ec2/getSubnet:getSubnet": lambda query: {
            "vpcId": "vpc-0123456789abcdef0",
            "availabilityZone": f"{REGION}{query['id'][-1]}",
            "tags": {},
        },
        "aws:iam/getRoles:getRoles": lambda _: {"arns": [], "names": []},
        # Images of nodes, each below its own path.
        "aws:ssm/getParametersByPath:getParametersByPath": lambda query: {
            "names": [f"{query['path']}/image_id"],
            "values": ["ami-0123456789abcdef0"],
        },
        "aws:eks/getAddonVersion:getAddonVersion": lambda query: {
            "version": "v9.9.9-eksbuild.9" if query.get("mostRecent") else "v9.0.0-eksbuild.1"
        },
        "aws:route53/getZone:getZone": lambda query: {"zoneId": f"Z-{query['name']}"},
        # A cluster that somebody else made, whose pods get their rights either way.
        "aws:eks/getCluster:getCluster": lambda query: EXISTING_CLUSTER | {"name": query["name"]},
        "aws:eks/getAddon:getAddon": lambda _: {"addonVersion": "v1.3.10-eksbuild.3"},
        "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider": lambda _: {
            "arn": f"arn:aws:iam::{ACCOUNT}:oidc-provider/{ISSUER}"
        },
    }


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
        # As the CLI does it: what is no text becomes JSON, its keys in alphabetical order.
        texts = {
            key: value if isinstance(value, str) else json.dumps(value, sort_keys=True)
            for key, value in (settings or {}).items()
        }
        # Where each resource was declared, which no test reads: a quarter of each deployment, since
        # a test's stack is deep.
        monkeypatch.setattr(pulumi.runtime.resource, "_get_stack_trace", StackTrace)
        monkeypatch.setenv("PULUMI_CONFIG", json.dumps(texts))
        monkeypatch.setenv("PULUMI_CONFIG_SECRET_KEYS", json.dumps(secrets))

        built = Deployment(answers or {}, preview=preview)
        with event_loops():
            pulumi.runtime.set_mocks(built, "frugal-eks", "dev", preview, monitor=built)
            pulumi.runtime.test(program)()
        return built

    return run


@pytest.fixture
def stack_file() -> Callable[[str], dict[str, Any]]:
    """The `config` of a stack file that ships, by the stack's name; the caller's own copy."""

    def read(stack: str) -> dict[str, Any]:
        return yaml.safe_load((ROOT / f"stacks/Pulumi.{stack}.yaml").read_text())["config"]

    return read
