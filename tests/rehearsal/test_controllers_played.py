"""Load balancers and DNS names of a local cluster, with its real API server and the played AWS."""

import json
import time
from typing import NamedTuple

import psutil
import pytest
from lightkube.models import apps_v1, core_v1, meta_v1, networking_v1
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Event, Namespace, Node, Pod, Service, ServiceAccount
from lightkube.resources.networking_v1 import Ingress, IngressClass
from lightkube.types import PatchType

from rehearsal import lifecycle
from rehearsal.clients import Cluster, aws_client
from rehearsal.controllers import balancers_now
from rehearsal.controllers.external_dns import EVENT_SECONDS
from rehearsal.controllers.load_balancer_controller import NLB_DELETE_SECONDS
from rehearsal.errors import RehearsalError
from rehearsal.nodes import cluster
from rehearsal.processes import Processes
from rehearsal.state import State
from tests.rehearsal.iam import once_iam_counts, until_pods_get_rights

pytestmark = pytest.mark.engine

REGION, ACCOUNT = "eu-west-1", "111122223333"
SECONDS = 40
LBC, DNS = "aws-load-balancer-controller", "external-dns"
HOSTNAME = "external-dns.alpha.kubernetes.io/hostname"
SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"
INSTANCE = "app.kubernetes.io/instance"
NLB_CLASS = "service.k8s.aws/nlb"
IDLE_SECONDS = 0.1
"""Of a processor, in five seconds: a loop that never waits takes all five."""
"""Of a processor, in 5 seconds."""
RIGHTS = {
    LBC: ["ec2:*", "elasticloadbalancing:*"],
    DNS: ["route53:*"],
}


class Network(NamedTuple):
    """Where load balancers may stand."""

    vpc: str
    private: list[str]


class Played:
    """A rehearsal with an EKS cluster, a node, and zones."""

    def __init__(self, state):
        self.state, self.endpoints = state, state.endpoints
        self.client = cluster.connect(state, "tests")
        services = ("iam", "eks", "ec2", "elbv2", "route53")
        self.iam, self.eks, self.ec2, self.elbv2, self.route53 = (
            aws_client(one, self.endpoints) for one in services
        )
        self.network = self.make_network()
        self.issuer, self.provider = self.make_cluster()
        self.zone = self.make_zone("example.org")

    def make_network(self):
        vpc = self.ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
        private = []
        for number, letter in enumerate("ab"):
            made = self.ec2.create_subnet(
                VpcId=vpc,
                CidrBlock=f"10.20.{number}.0/24",
                AvailabilityZone=f"{REGION}{letter}",
            )["Subnet"]["SubnetId"]
            tag = {"Key": "kubernetes.io/role/internal-elb", "Value": "1"}
            self.ec2.create_tags(Resources=[made], Tags=[tag])
            private.append(made)
        return Network(vpc, private)

    def make_cluster(self):
        trust = {
            "Effect": "Allow",
            "Principal": {"Service": "eks.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
        role = self.role("cluster", {"Version": "2012-10-17", "Statement": [trust]}, [])
        policy = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
        self.iam.attach_role_policy(RoleName="cluster", PolicyArn=policy)
        once_iam_counts(
            self.eks.create_cluster,
            name="dev",
            version="1.35",
            roleArn=role,
            resourcesVpcConfig={"subnetIds": self.network.private},
            accessConfig={"authenticationMode": "API"},
        )
        wait(lambda: self.eks.describe_cluster(name="dev")["cluster"]["status"] == "ACTIVE")
        url = self.eks.describe_cluster(name="dev")["cluster"]["identity"]["oidc"]["issuer"]
        provider = self.iam.create_open_id_connect_provider(
            Url=url, ClientIDList=["sts.amazonaws.com"], ThumbprintList=["0" * 40]
        )["OpenIDConnectProviderArn"]
        return url.removeprefix("https://"), provider

    def make_zone(self, name):
        made = self.route53.create_hosted_zone(Name=name, CallerReference=name)
        return made["HostedZone"]["Id"]

    def role(self, name, document, actions):
        text = json.dumps(document)
        made = self.iam.create_role(RoleName=name, AssumeRolePolicyDocument=text)["Role"]["Arn"]
        if actions:
            self.allow(name, actions)
        return made

    def allow(self, role, actions):
        statement = {"Effect": "Allow", "Action": actions, "Resource": "*"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        self.iam.put_role_policy(RoleName=role, PolicyName="rights", PolicyDocument=document)

    def irsa(self, account):
        claims = {
            f"{self.issuer}:sub": f"system:serviceaccount:kube-system:{account}",
            f"{self.issuer}:aud": "sts.amazonaws.com",
        }
        statement = {
            "Effect": "Allow",
            "Principal": {"Federated": self.provider},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {"StringEquals": claims},
        }
        return {"Version": "2012-10-17", "Statement": [statement]}

    def account(self, name, kind):
        """A service account with a role of its own that has all the rights of this kind."""
        arn = self.role(name, self.irsa(name), RIGHTS[kind])
        annotations = {"eks.amazonaws.com/role-arn": arn}
        metadata = ObjectMeta(name=name, namespace="kube-system", annotations=annotations)
        self.client.create(ServiceAccount(metadata=metadata))

    def install(self, kind, *arguments, name=None, account=None):
        """A Deployment as the chart makes it; returns once it is ready."""
        name = name or kind
        labels = {"app.kubernetes.io/name": kind, INSTANCE: name}
        container = core_v1.Container(name=kind, image="image", args=list(arguments))
        pod = core_v1.PodSpec(containers=[container], serviceAccountName=account or name)
        self.client.create(
            Deployment(
                metadata=ObjectMeta(name=name, namespace="kube-system", labels=labels),
                spec=apps_v1.DeploymentSpec(
                    selector=meta_v1.LabelSelector(matchLabels=labels),
                    template=core_v1.PodTemplateSpec(metadata=ObjectMeta(labels=labels), spec=pod),
                ),
            )
        )
        wait(lambda: self.ready(name))

    def ready(self, name):
        status = self.client.get(Deployment, name, namespace="kube-system").status
        return bool(status and status.readyReplicas)

    def remove(self, *names):
        """The Deployments go; returns once they have."""
        for name in names:
            self.client.delete(Deployment, name, namespace="kube-system")
        wait(lambda: not any(self.there(Deployment, name, "kube-system") for name in names))

    def there(self, kind, name, namespace="apps"):
        found = self.client.list(kind, namespace=namespace, fields={"metadata.name": name})
        return next(iter(found), None)

    def balancer_controller(self):
        words = ["--cluster-name=dev", f"--aws-vpc-id={self.network.vpc}"]
        self.install(LBC, *words, "--default-target-type=ip", "--default-tags=team=platform")

    def external_dns(self, *more, name=DNS, policy="sync", owner="dev"):
        words = ["--source=service", "--source=ingress", "--provider=aws", "--interval=10m"]
        words += ["--events", f"--policy={policy}", "--registry=txt", f"--txt-owner-id={owner}"]
        self.install(DNS, *words, *more, name=name, account=DNS)

    def service(self, name, annotations=None, load_balancer_class=NLB_CLASS):
        made = Service(
            metadata=ObjectMeta(name=name, namespace="apps", annotations=annotations),
            spec=core_v1.ServiceSpec(
                type="LoadBalancer",
                loadBalancerClass=load_balancer_class,
                ports=[core_v1.ServicePort(port=80, targetPort=8080)],
            ),
        )
        return self.client.create(made)

    def annotate(self, name, annotations):
        body = {"metadata": {"annotations": annotations}}
        self.client.patch(Service, name, body, namespace="apps", patch_type=PatchType.MERGE)

    def address(self, name, kind=Service):
        found = self.client.get(kind, name, namespace="apps").status.loadBalancer.ingress
        return found[0].hostname if found else None

    def balancers(self):
        return {
            one["DNSName"]: one for one in self.elbv2.describe_load_balancers()["LoadBalancers"]
        }

    def names(self, zone=None):
        """Names and types of all records but the zone's own."""
        found = self.route53.list_resource_record_sets(HostedZoneId=zone or self.zone)
        return {
            (one["Name"].removesuffix(".example.org."), one["Type"])
            for one in found["ResourceRecordSets"]
            if one["Type"] not in {"NS", "SOA"}
        }

    def events(self, name, reason):
        listed = self.client.list(Event, namespace="*")
        about = [one for one in listed if one.involvedObject.name.startswith(name)]
        return [one.message for one in about if one.reason == reason]

    def of_balancers(self):
        """Ids of what balancers use: their security groups and network interfaces."""
        groups = self.ec2.describe_security_groups()["SecurityGroups"]
        found = [one["GroupId"] for one in groups if one["GroupName"].startswith("k8s-")]
        interfaces = self.ec2.describe_network_interfaces()["NetworkInterfaces"]
        ids = [
            one["NetworkInterfaceId"] for one in interfaces if one["Description"].startswith("ELB")
        ]
        return found, ids


def wait(holds, seconds=SECONDS):
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def make_node(client):
    """An instance, so that pods have a place: kwok plays its kubelet."""
    room = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    metadata = ObjectMeta(name="node", annotations={"kwok.x-k8s.io/node": "fake"})
    client.create(
        Node(metadata=metadata, status=core_v1.NodeStatus(capacity=room, allocatable=room))
    )


def records(name):
    return {(name, "A"), (name, "AAAA"), (f"cname-{name}", "TXT"), (f"aaaa-{name}", "TXT")}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    state = State(tmp_path_factory.mktemp("played") / "state")
    try:
        lifecycle.start(state, region=REGION, account=ACCOUNT)
        made = Played(state)
        make_node(made.client)
        made.client.create(Namespace(metadata=ObjectMeta(name="apps")))
        made.account(LBC, LBC)
        made.account(DNS, DNS)
        yield made
        made.client.close()
    finally:
        lifecycle.stop(state)


@pytest.fixture
def controllers(played):
    """Both run, and what a test leaves goes while they do."""
    played.balancer_controller()
    played.external_dns()
    yield played
    for kind in (Service, Ingress):
        for one in played.client.list(kind, namespace="apps"):
            played.client.delete(kind, one.metadata.name, namespace="apps")
    wait(lambda: not any(list(played.client.list(k, namespace="apps")) for k in (Service, Ingress)))
    wait(lambda: not played.names())
    played.remove(LBC, DNS)


def test_a_service_gets_a_network_balancer_and_its_name_and_loses_both(controllers):
    played = controllers
    played.service("web", {HOSTNAME: "web.example.org"})
    played.service("bare", load_balancer_class=None)

    host = wait(lambda: played.address("web"))
    made = played.balancers()[host]
    tags = played.elbv2.describe_tags(ResourceArns=[made["LoadBalancerArn"]])["TagDescriptions"]
    tagged = {one["Key"]: one["Value"] for one in tags[0]["Tags"]}
    listeners = played.elbv2.describe_listeners(LoadBalancerArn=made["LoadBalancerArn"])
    groups = played.elbv2.describe_target_groups()["TargetGroups"]
    used_groups, interfaces = played.of_balancers()
    assert (made["Type"], made["Scheme"]) == ("network", "internal")
    assert {one["SubnetId"] for one in made["AvailabilityZones"]} == set(played.network.private)
    assert made["SecurityGroups"] == used_groups
    assert len(interfaces) == len(played.network.private)
    assert tagged == {
        "elbv2.k8s.aws/cluster": "dev",
        "service.k8s.aws/stack": "apps/web",
        "service.k8s.aws/resource": "apps/web:LoadBalancer",
        "team": "platform",
    }
    assert [(one["Protocol"], one["Port"]) for one in listeners["Listeners"]] == [("TCP", 80)]
    assert [(one["TargetType"], one["Port"]) for one in groups] == [("ip", 8080)]

    wait(lambda: played.names() == records("web"))
    wanted = played.client.get(Service, "web", namespace="apps")
    assert wanted.metadata.finalizers == ["service.k8s.aws/resources"]
    assert played.address("bare") is None
    assert balancers_now.waiting(Cluster(played.state)) == [
        "Service apps/bare: it has no loadBalancerClass, so no controller takes it on"
    ]
    table = balancers_now.load_balancers_table(Cluster(played.state), played.endpoints)
    columns = {one.header: list(one.cells) for one in table.columns}
    row = columns["name"].index("Service apps/web")
    assert columns["records"][row] == "web.example.org (A), web.example.org (AAAA)"
    assert [columns[one][row] for one in ("type", "scheme")] == ["network", "internal"]

    began = time.monotonic()
    played.client.delete(Service, "web", namespace="apps")
    wait(lambda: host not in played.balancers())
    # AWS lets go of the group later, and the record stays for as long as the Service.
    assert played.there(Service, "web")
    assert played.of_balancers() == (used_groups, interfaces)
    assert played.names() == records("web")
    wait(lambda: not played.there(Service, "web"))
    gone = time.monotonic()
    assert gone - began >= NLB_DELETE_SECONDS
    assert played.of_balancers() == ([], [])
    assert played.elbv2.describe_target_groups()["TargetGroups"] == []
    assert played.names() == records("web")
    wait(lambda: not played.names())
    assert time.monotonic() - gone >= EVENT_SECONDS - 1


def test_an_ingress_of_class_alb_gets_an_application_balancer(controllers):
    played = controllers
    spec = networking_v1.IngressClassSpec(controller="ingress.k8s.aws/alb")
    played.client.create(IngressClass(metadata=ObjectMeta(name="alb"), spec=spec))
    played.service("behind", load_balancer_class=None)
    backend = networking_v1.IngressBackend(
        service=networking_v1.IngressServiceBackend(
            name="behind", port=networking_v1.ServiceBackendPort(number=80)
        )
    )
    metadata = ObjectMeta(name="page", namespace="apps", annotations={HOSTNAME: "page.example.org"})
    spec = networking_v1.IngressSpec(ingressClassName="alb", defaultBackend=backend)
    played.client.create(Ingress(metadata=metadata, spec=spec))

    host = wait(lambda: played.address("page", Ingress))
    made = played.balancers()[host]
    assert (made["Type"], made["Scheme"]) == ("application", "internal")
    wait(lambda: played.names() == records("page"))
    held = played.client.get(Ingress, "page", namespace="apps").metadata.finalizers
    assert held == ["ingress.k8s.aws/resources"]
    played.client.delete(Ingress, "page", namespace="apps")
    wait(lambda: not played.there(Ingress, "page"))
    assert host not in played.balancers()


def test_a_record_goes_with_its_annotation_while_the_service_stays(controllers):
    played = controllers
    played.service("patched")
    played.service("beside")
    host, other = (wait(lambda n=one: played.address(n)) for one in ("patched", "beside"))
    assert host != other
    played.client.delete(Service, "beside", namespace="apps")
    played.annotate("patched", {HOSTNAME: "patched.example.org"})
    wait(lambda: played.names() == records("patched"))

    played.annotate("patched", {HOSTNAME: None})

    wait(lambda: not played.names())
    # What goes with one Service is nothing of another's.
    wait(lambda: not played.there(Service, "beside"))
    assert played.address("patched") == host
    assert set(played.balancers()) == {host}
    assert len(played.of_balancers()[0]) == 1


def test_without_a_subnet_of_its_scheme_an_event_says_so(controllers):
    played = controllers
    played.service("public", {SCHEME: "internet-facing"})

    told = wait(lambda: played.events("public", "FailedBuildModel"))
    assert "none of the VPC's 2 has the tag kubernetes.io/role/elb=1" in told[0]
    assert played.address("public") is None
    assert any(
        "kubernetes.io/role/elb" in one for one in balancers_now.waiting(Cluster(played.state))
    )
    # Once it has one, the controller finds it by itself.
    subnet = played.network.private[:1]
    tag = {"Key": "kubernetes.io/role/elb", "Value": "1"}
    played.ec2.create_tags(Resources=subnet, Tags=[tag])
    host = wait(lambda: played.address("public"))
    made = played.balancers()[host]
    played.ec2.delete_tags(Resources=subnet, Tags=[tag])
    assert made["Scheme"] == "internet-facing"


@pytest.mark.behaviour("lbc-finalizer-and-groups-left")
def test_a_deletion_hangs_until_the_controller_is_back(played):
    played.service("early")
    played.balancer_controller()
    host = wait(lambda: played.address("early"))
    played.remove(LBC)

    played.client.delete(Service, "early", namespace="apps")
    time.sleep(NLB_DELETE_SECONDS + 2)
    assert played.there(Service, "early").metadata.finalizers
    assert host in played.balancers()

    played.balancer_controller()
    wait(lambda: not played.there(Service, "early"))
    assert played.of_balancers() == ([], [])
    played.remove(LBC)


def test_nothing_is_made_without_the_rights_of_the_pod(played):
    played.iam.update_assume_role_policy(
        RoleName=LBC, PolicyDocument=json.dumps(played.irsa("somebody-else"))
    )
    played.iam.delete_role_policy(RoleName=LBC, PolicyName="rights")
    played.service("denied")
    played.balancer_controller()

    told = wait(lambda: played.events("denied", "FailedBuildModel"))
    assert f"cannot be taken on by system:serviceaccount:kube-system:{LBC}" in told[0]
    document = json.dumps(played.irsa(LBC))
    played.iam.update_assume_role_policy(RoleName=LBC, PolicyDocument=document)
    told = wait(lambda: played.events("denied", "FailedDeployModel"))
    assert "not authorized to perform: elasticloadbalancing:DescribeLoadBalancers" in told[0]
    assert played.address("denied") is None
    assert played.balancers() == {}
    played.allow(LBC, RIGHTS[LBC])
    wait(lambda: played.address("denied"))

    # Rights that go before the Service leave it hanging, as on AWS.
    played.iam.delete_role_policy(RoleName=LBC, PolicyName="rights")
    played.client.delete(Service, "denied", namespace="apps")
    wait(lambda: len(played.events("denied", "FailedDeployModel")) > 1)
    assert played.there(Service, "denied")
    played.allow(LBC, RIGHTS[LBC])
    wait(lambda: not played.there(Service, "denied"))
    played.remove(LBC)


def test_each_owner_deletes_only_its_own_and_upsert_only_nothing(played):
    other = played.make_zone("example.net")
    played.balancer_controller()
    played.external_dns("--domain-filter=example.org", policy="upsert-only")
    played.service("kept", {HOSTNAME: "kept.example.org,lost.example.net"})
    wait(lambda: played.names() == records("kept"))
    assert played.names(other) == set()

    # Another cluster on the same zone, which has no such Service.
    played.external_dns("--annotation-prefix=other/", name="dns-prod", owner="prod")
    played.client.delete(Service, "kept", namespace="apps")
    wait(lambda: not played.there(Service, "kept"))
    time.sleep(EVENT_SECONDS + 2)
    assert played.names() == records("kept")

    played.remove(DNS)
    played.external_dns()
    wait(lambda: not played.names())
    played.remove(LBC, DNS, "dns-prod")


def test_what_external_dns_is_told_wrongly_stands_at_its_pod(played):
    played.install(DNS, "--source=service", "--txt-prefix=x-", name="wrong", account=DNS)

    told = wait(lambda: played.events("wrong", "BackOff"))
    assert told == ["--txt-prefix is not played by the rehearsal"]
    played.remove("wrong")


def test_pod_identity_gives_the_rights_as_well_while_the_pod_is_ready(played):
    tags = ["sts:AssumeRole", "sts:TagSession"]
    principal = {"Service": "pods.eks.amazonaws.com"}
    statement = {"Effect": "Allow", "Principal": principal, "Action": tags}
    trust = {"Version": "2012-10-17", "Statement": [statement]}
    role = played.role("associated", trust, RIGHTS[LBC])
    where = {"clusterName": "dev", "namespace": "kube-system", "serviceAccount": "associated"}
    played.eks.create_pod_identity_association(**where, roleArn=role)
    metadata = ObjectMeta(name="associated", namespace="kube-system")
    played.client.create(ServiceAccount(metadata=metadata))
    until_pods_get_rights(played.client, "kube-system", "associated")
    words = ["--cluster-name=dev", f"--aws-vpc-id={played.network.vpc}"]
    played.install(LBC, *words, name="associated")

    (pod,) = played.client.list(Pod, namespace="kube-system", labels={INSTANCE: "associated"})
    cluster.annotate(played.client, pod, {cluster.NOT_READY: "crashes"})
    wait(lambda: not played.ready("associated"))
    played.service("by-association")
    time.sleep(2)
    assert played.there(Service, "by-association").metadata.finalizers is None
    (pod,) = played.client.list(Pod, namespace="kube-system", labels={INSTANCE: "associated"})
    cluster.annotate(played.client, pod, {cluster.NOT_READY: None})
    wait(lambda: played.address("by-association"))
    played.client.delete(Service, "by-association", namespace="apps")
    wait(lambda: not played.there(Service, "by-association"))
    played.remove("associated")


def test_the_process_sleeps_while_nothing_happens_and_its_death_is_told(played):
    record = Processes(played.state).find(lifecycle.CONTROLLERS)
    process = psutil.Process(record.pid)

    def sleeps():
        before = sum(process.cpu_times()[:2])
        time.sleep(5)
        return sum(process.cpu_times()[:2]) - before < IDLE_SECONDS

    # Whatever the tests before have left it to do.
    wait(sleeps)

    process.kill()
    with pytest.raises(RehearsalError, match=r"^controllers \(process \d+\) was ended by SIGKILL"):
        wait(lambda: lifecycle.require_running(played.state) and False)
