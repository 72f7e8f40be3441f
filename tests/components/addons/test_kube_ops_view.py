from ipaddress import IPv4Network

import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components.addons.addon_config import Need
from components.addons.kube_ops_view import component as addon
from components.addons.kube_ops_view.config import KubeOpsViewConfig
from components.addresses import PRIVATE_RANGES
from components.placement import RunsOn
from tests.cluster_refs import given

RELEASE = "kubernetes:helm.sh/v3:Release"
SERVICE = "kubernetes:core/v1:Service"
SERVICE_PATCH = "kubernetes:core/v1:ServicePatch"
INGRESS = "kubernetes:networking.k8s.io/v1:Ingress"
INGRESS_PATCH = "kubernetes:networking.k8s.io/v1:IngressPatch"
OURS = [SERVICE, SERVICE_PATCH, INGRESS, INGRESS_PATCH]

LIBRARY = {"podAnnotations", "resources", "nodeSelector"}
"""Keys of the library chart `common` 4.5.2, which the chart's own values.yaml does not repeat; so
is `service.main.type`."""
NAME = "kubeopsview.example.com"


def kube_ops_view(config=None, **args):
    """A program with the page; `args` in place of the usual ones."""
    home = aws.sqs.Queue("home")  # stands for the pod's compute
    usual = {
        "config": KubeOpsViewConfig(**(config or {})),
        "needs": [home],
        "load_balancers": [aws.sqs.Queue("controller"), aws.sqs.Queue("dns")],
    }
    return addon.KubeOpsView("view", given(addon.KubeOpsViewArgs, **(usual | args)))


def alone():
    kube_ops_view()


def on_nodes():
    kube_ops_view({"node_selector": {"lifecycle": "OnDemand"}}, runs_on=RunsOn.NODES)


def by_nlb():
    kube_ops_view({"load_balancer": "nlb", "hostname": NAME, "time_zone": "Asia/Seoul"})


def by_alb():
    ranges = ["10.20.0.0/16", "192.168.0.0/24"]
    kube_ops_view({"load_balancer": "alb", "hostname": NAME, "source_ranges": ranges})


def on_the_internet():
    ranges = ["203.0.113.0/24"]
    kube_ops_view({"load_balancer": "nlb", "internal": False, "source_ranges": ranges})


def values(built):
    return built.one(RELEASE).inputs["values"]


@pytest.mark.feature("A2-41")
def test_chart_version_and_time_zone_are_settings(deploy, once):
    built = deploy(lambda: kube_ops_view({"chart_version": "1.2.1", "time_zone": "Asia/Seoul"}))

    assert built.one(RELEASE).inputs["version"] == "1.2.1"
    assert values(built)["env"] == {"TZ": "Asia/Seoul"}
    assert values(once(alone))["env"] == {"TZ": "UTC"}


@pytest.mark.parametrize("zone", ["Etc/GMT+9", "America/Argentina/Buenos_Aires", "UTC"])
def test_every_form_of_a_time_zone_is_understood(zone):
    assert KubeOpsViewConfig(time_zone=zone).time_zone == zone


@pytest.mark.parametrize("zone", ["", "Asia/", "+09:00", "Asia Seoul"])
def test_what_is_no_name_of_a_time_zone_is_refused(zone):
    with pytest.raises(ValidationError, match="string_pattern_mismatch"):
        KubeOpsViewConfig(time_zone=zone)


@pytest.mark.feature("A2-42")
def test_fargate_takes_its_pod_by_labels_and_at_its_smallest_size(once):
    """Labels as the library chart prints them: chart name, release name."""
    size = {"cpu": "250m", "memory": "256M"}

    assert KubeOpsViewConfig.POD_LABELS == {
        "app.kubernetes.io/name": "kube-ops-view",
        "app.kubernetes.io/instance": "kube-ops-view",
    }
    assert once(alone).one(RELEASE).inputs["namespace"] == "kube-system"
    assert values(once(alone))["resources"] == {"requests": size, "limits": size}
    assert "nodeSelector" not in values(once(alone))


@pytest.mark.feature("A2-42")
@pytest.mark.parametrize("program", [by_nlb, by_alb])
def test_its_load_balancer_finds_a_pod_that_has_no_instance(once, program):
    (entrance,) = [each for kind in (SERVICE, INGRESS) for each in once(program).every(kind)]

    kinds = [
        value
        for key, value in entrance.inputs["metadata"]["annotations"].items()
        if key.endswith("target-type")
    ]
    assert kinds == ["ip"]


def test_on_nodes_it_is_smaller_and_its_node_can_be_chosen_and_taken_away(once):
    told = values(once(on_nodes))

    size = {"cpu": "50m", "memory": "128Mi"}
    assert told["resources"] == {"requests": size, "limits": {"memory": "128Mi"}}
    assert told["nodeSelector"] == {"lifecycle": "OnDemand"}
    key = "cluster-autoscaler.kubernetes.io/safe-to-evict"
    assert told["podAnnotations"] == {key: "true"}


def test_without_a_load_balancer_only_kubectl_leads_to_it(once, upstream_values):
    built = once(alone)

    assert [each.request.name for kind in OURS for each in built.every(kind)] == []
    assert values(built)["service"] == {"main": {"type": "ClusterIP"}}
    ports = upstream_values("kube-ops-view")["service"]["main"]["ports"]
    assert ports == {"http": {"port": addon.PORT}}
    assert "url" not in built.outputs["view"]


@pytest.mark.feature("A2-44", "A2-45", "A2-47")
def test_its_service_becomes_an_nlb_that_only_private_addresses_reach(once):
    """Cross-zone by the attribute, since the document's annotation is deprecated."""
    service = once(by_nlb).one(SERVICE).inputs

    prefix = "service.beta.kubernetes.io/aws-load-balancer-"
    assert service["metadata"] == {
        "name": "kube-ops-view-internal",
        "namespace": "kube-system",
        "annotations": {
            f"{prefix}nlb-target-type": "ip",
            f"{prefix}scheme": "internal",
            f"{prefix}healthcheck-port": "8080",
            f"{prefix}healthcheck-protocol": "HTTP",
            f"{prefix}healthcheck-path": "/health",
            f"{prefix}attributes": "load_balancing.cross_zone.enabled=true",
        },
    }
    assert service["spec"] == {
        "type": "LoadBalancer",
        "loadBalancerClass": "service.k8s.aws/nlb",
        "loadBalancerSourceRanges": [
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "100.64.0.0/10",
        ],
        "selector": dict(KubeOpsViewConfig.POD_LABELS),
        "ports": [{"name": "http", "port": 8080, "targetPort": 8080, "protocol": "TCP"}],
    }


def test_the_addresses_that_may_connect_by_default_are_all_private():
    assert all(IPv4Network(each).is_private or each == "100.64.0.0/10" for each in PRIVATE_RANGES)


@pytest.mark.feature("A2-45")
def test_an_ingress_of_an_alb_can_be_chosen_instead(once):
    built = once(by_alb)

    ingress = built.one(INGRESS).inputs
    assert built.every(SERVICE) == []
    assert ingress["metadata"] == {
        "name": "kube-ops-view-internal",
        "namespace": "kube-system",
        "annotations": {
            "alb.ingress.kubernetes.io/target-type": "ip",
            "alb.ingress.kubernetes.io/scheme": "internal",
            "alb.ingress.kubernetes.io/healthcheck-path": "/health",
            "alb.ingress.kubernetes.io/inbound-cidrs": "10.20.0.0/16,192.168.0.0/24",
        },
    }
    backend = {"service": {"name": "kube-ops-view", "port": {"number": 8080}}}
    path = {"path": "/", "pathType": "Prefix", "backend": backend}
    assert ingress["spec"] == {"ingressClassName": "alb", "rules": [{"http": {"paths": [path]}}]}


@pytest.mark.feature("A2-47")
def test_the_internet_must_be_asked_for_with_the_addresses_that_may_connect(once):
    service = once(on_the_internet).one(SERVICE).inputs

    scheme = service["metadata"]["annotations"][f"{addon.NLB}scheme"]
    assert scheme == "internet-facing"
    assert service["spec"]["loadBalancerSourceRanges"] == ["203.0.113.0/24"]


@pytest.mark.feature("A2-47")
@pytest.mark.parametrize("load_balancer", ["nlb", "alb"])
def test_an_open_page_without_addresses_is_refused(load_balancer):
    with pytest.raises(ValidationError, match="has no login: list the addresses that may see it"):
        KubeOpsViewConfig(load_balancer=load_balancer, internal=False)


@pytest.mark.feature("A2-47")
@pytest.mark.parametrize("ranges", [["0.0.0.0/0"], ["10.0.0.0/8", "0.0.0.0/1", "128.0.0.0/1"]])
@pytest.mark.parametrize("internal", [True, False])
def test_addresses_that_are_everybody_s_are_refused(ranges, internal):
    with pytest.raises(ValidationError, match="own addresses, /8 or smaller") as told:
        KubeOpsViewConfig(load_balancer="nlb", internal=internal, source_ranges=ranges)

    assert f"sourceRanges[{len(ranges) - 1}]" in str(told.value)
    assert "[0]" not in str(told.value) or len(ranges) == 1


def test_each_scheme_is_an_object_of_its_own(once):
    """A Service that changes its scheme leaves its first load balancer behind."""
    names = [
        (each.request.name, each.inputs["metadata"]["name"])
        for program in (by_nlb, on_the_internet)
        for each in once(program).every(SERVICE)
    ]
    assert names == [
        ("view-internal", "kube-ops-view-internal"),
        ("view-internet-facing", "kube-ops-view-internet-facing"),
    ]


@pytest.mark.feature("A2-43")
@pytest.mark.parametrize(
    ("program", "patch", "entrance"),
    [(by_nlb, SERVICE_PATCH, SERVICE), (by_alb, INGRESS_PATCH, INGRESS)],
)
def test_its_name_is_an_annotation_that_goes_before_what_it_names(once, program, patch, entrance):
    built = once(program)

    named, made = built.one(patch), built.one(entrance)
    key = "external-dns.alpha.kubernetes.io/hostname"
    annotations = {key: "kubeopsview.example.com", "pulumi.com/skipAwait": "true"}
    where = {noun: made.inputs["metadata"][noun] for noun in ("name", "namespace")}
    assert named.inputs == {
        "apiVersion": made.inputs["apiVersion"],
        "kind": made.inputs["kind"],
        "metadata": where | {"annotations": annotations},
    }
    # In a destroy the Service or Ingress itself must be waited for.
    assert not annotations.keys() & made.inputs["metadata"]["annotations"].keys()
    assert built.waits_for(named, made)
    assert not built.waits_for(made, named)


@pytest.mark.feature("C-22")
@pytest.mark.parametrize(
    ("program", "entrance"), [(by_nlb, SERVICE), (by_alb, INGRESS), (on_the_internet, SERVICE)]
)
def test_its_load_balancer_and_record_go_before_who_takes_them_away(once, program, entrance):
    built = once(program)

    made = built.one(entrance)
    queue = "aws:sqs/queue:Queue"
    outlive = [built.named(queue, "controller"), built.named(queue, "dns"), built.one(RELEASE)]
    assert [each.urn for each in outlive if not built.waits_for(made, each)] == []


def test_its_pod_starts_once_it_has_a_home_and_waits_for_no_load_balancer(once):
    built = once(by_nlb)

    release, queue = built.one(RELEASE), "aws:sqs/queue:Queue"
    assert built.waits_for(release, built.named(queue, "home"))
    assert not built.waits_for(release, built.named(queue, "controller"))


@pytest.mark.feature("A2-46")
@pytest.mark.parametrize(
    ("program", "address"),
    [
        (by_nlb, "http://kubeopsview.example.com:8080/#scale=1.5"),
        (by_alb, "http://kubeopsview.example.com/#scale=1.5"),
        (on_the_internet, None),
    ],
)
def test_the_page_s_address_is_an_output_if_it_has_a_name(once, program, address):
    assert once(program).outputs["view"].get("url") == address


@pytest.mark.feature("B-21")
def test_it_needs_who_makes_its_load_balancer_and_its_record():
    config = KubeOpsViewConfig

    controller = Need("loadBalancer", "awsLoadBalancerController", "makes the load balancer")
    dns = Need("hostname", "externalDns", "writes the DNS record")
    assert [*config().needs()] == []
    assert [*config(load_balancer="alb").needs()] == [controller]
    assert [*config(load_balancer="nlb", hostname=NAME).needs()] == [controller, dns]


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"hostname": NAME}, "hostname"),
        ({"source_ranges": ["10.0.0.0/8"]}, "sourceRanges"),
        ({"internal": False, "source_ranges": ["10.0.0.0/8"]}, "internal"),
    ],
)
def test_a_setting_of_a_load_balancer_that_there_is_not_is_refused(config, path):
    with pytest.raises(
        ValidationError, match=f"{path}: is about a load balancer: add loadBalancer"
    ):
        KubeOpsViewConfig(**config)


def test_a_second_pod_is_refused():
    with pytest.raises(ValidationError, match="since a second pod would show the same: drop it"):
        KubeOpsViewConfig(replicas=2)


@pytest.mark.parametrize("program", [alone, on_nodes, by_nlb, by_alb, on_the_internet])
def test_a_preview_shows_all_of_it(once, program):
    assert once(program, preview=True).tree() == once(program).tree()
