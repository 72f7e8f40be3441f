"""The program's own charts, rights, Service and Ingress in the hands of the played controllers."""

import json
import subprocess

import pytest
import yaml
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Service, ServiceAccount
from lightkube.resources.networking_v1 import Ingress

from components.addons.addon_config import NAMESPACE
from components.addons.aws_load_balancer_controller import component as lbc
from components.addons.external_dns import component as external_dns
from components.addons.kube_ops_view import component as kube_ops_view
from components.location import Location
from rehearsal import charts, lifecycle, toolchain
from rehearsal.state import State
from tests.cluster_refs import cluster_ref
from tests.rehearsal.iam import until_pods_get_rights
from tests.rehearsal.test_controllers_played import (
    ACCOUNT,
    REGION,
    Played,
    make_node,
    records,
    wait,
)

pytestmark = pytest.mark.engine

APPLY = ("apply", "--server-side", "--force-conflicts", "-f", "-", "--field-manager")
NAME = "view.example.org"
TRUST = {
    "Effect": "Allow",
    "Principal": {"Service": "pods.eks.amazonaws.com"},
    "Action": ["sts:AssumeRole", "sts:TagSession"],
}


class Program(Played):
    """A cluster with both add-ons as the program installs them on nodes."""

    def __init__(self, state):
        super().__init__(state)
        self.tools = toolchain.ensure(["kubectl", "render"])
        charts.assemble(state.charts)
        make_node(self.client)
        cluster = cluster_ref(location=Location(region=REGION, account=ACCOUNT))
        config = lbc.AwsLoadBalancerControllerConfig()
        balancing = lbc.AwsLoadBalancerControllerArgs(
            config=config, vpc_id=self.network.vpc, cluster=cluster
        )
        where = {"region": REGION, "cluster": "dev", "vpc_id": self.network.vpc}
        self.give_rights(lbc.SERVICE_ACCOUNT, lbc.iam_policy(partition="aws", **where))
        self.release(lbc.CHART.name, lbc.helm_values(balancing))

        config = external_dns.ExternalDnsConfig(zones=("example.org",), policy="sync")
        naming = external_dns.ExternalDnsArgs(config=config, cluster=cluster)
        ids = [self.zone.rpartition("/")[2]]
        policy = external_dns.iam_policy(partition="aws", zone_ids=ids)
        self.give_rights(external_dns.SERVICE_ACCOUNT, policy)
        self.release(external_dns.CHART.name, external_dns.helm_values(naming, zone_ids=ids))
        self.release(kube_ops_view.CHART, {})

    def give_rights(self, account, policy):
        role = self.role(account, {"Version": "2012-10-17", "Statement": [TRUST]}, [])
        document = json.dumps(policy)
        self.iam.put_role_policy(RoleName=account, PolicyName="rights", PolicyDocument=document)
        where = {"clusterName": "dev", "namespace": NAMESPACE, "serviceAccount": account}
        self.eks.create_pod_identity_association(**where, roleArn=role)
        self.client.create(ServiceAccount(metadata=ObjectMeta(name=account, namespace=NAMESPACE)))
        until_pods_get_rights(self.client, NAMESPACE, account)

    def release(self, chart, values):
        """What `helm install` does, CRDs first; returns once its pods are ready."""
        folder = self.state.charts / chart
        crds = "\n---\n".join(file.read_text() for file in sorted(folder.glob("crds/*.yaml")))
        told = subprocess.run(
            [self.tools["render"], folder, chart, NAMESPACE],
            input=yaml.safe_dump(values),
            capture_output=True,
            text=True,
            check=True,
        )
        if crds:
            self.apply(crds)
        rendered = [
            {**one, "metadata": {"namespace": NAMESPACE, **one["metadata"]}}
            for text in json.loads(told.stdout).values()
            for one in yaml.safe_load_all(text)
            if one
        ]
        # A kind that was only just defined takes a moment.
        wait(lambda: self.apply(yaml.safe_dump_all(rendered), check=False))
        wait(lambda: self.ready(chart))

    def apply(self, text, *, manager="pulumi", check=True):
        """Whether it could be applied."""
        done = subprocess.run(
            [self.tools["kubectl"], "--kubeconfig", self.state.kubeconfig, *APPLY, manager],
            input=text,
            text=True,
            check=check,
            capture_output=True,
        )
        return done.returncode == 0

    def address(self, name, kind=Service):
        found = self.client.get(kind, name, namespace=NAMESPACE).status.loadBalancer.ingress
        return found[0].hostname if found else None


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    state = State(tmp_path_factory.mktemp("program") / "state")
    try:
        lifecycle.start(state, region=REGION, account=ACCOUNT)
        made = Program(state)
        yield made
        made.client.close()
    finally:
        lifecycle.stop(state)


@pytest.mark.feature("A2-40", "C-22")
@pytest.mark.parametrize(
    ("kind", "load_balancer", "of_aws"),
    [
        pytest.param(Service, "nlb", "network", marks=pytest.mark.feature("A2-37")),
        pytest.param(Ingress, "alb", "application", marks=pytest.mark.feature("A2-36")),
    ],
)
def test_the_page_gets_its_balancer_and_name_and_leaves_nothing(
    program, kind, load_balancer, of_aws
):
    config = kube_ops_view.KubeOpsViewConfig(load_balancer=load_balancer, hostname=NAME)
    make = kube_ops_view.service if kind is Service else kube_ops_view.ingress
    entrance, named = make(config), kube_ops_view.hostname_annotation(config)
    name = entrance["metadata"]["name"]

    program.apply(json.dumps(entrance))
    host = wait(lambda: program.address(name, kind))
    made = program.balancers()[host]
    groups = program.elbv2.describe_target_groups()["TargetGroups"]
    assert (made["Type"], made["Scheme"]) == (of_aws, "internal")
    assert [(one["TargetType"], one["Port"]) for one in groups] == [("ip", kube_ops_view.PORT)]
    assert program.names() == set()
    program.apply(json.dumps(named), manager="name")
    wait(lambda: program.names() == records("view"))

    # As a destroy does it: the annotation goes, and right after it its owner.
    del named["metadata"]["annotations"]
    program.apply(json.dumps(named), manager="name")
    program.client.delete(kind, name, namespace=NAMESPACE)
    wait(lambda: not program.there(kind, name, NAMESPACE))
    # From here on ExternalDNS may go as well.
    assert program.names() == set()
    assert program.balancers() == {}
    assert program.of_balancers() == ([], [])
