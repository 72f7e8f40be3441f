"""What each add-on's stand-in makes of the values: arguments, ports, classes."""

import pytest
import yaml

from components.addons.addon_config import NAMESPACE
from components.addons.metrics_server import component as metrics_server
from components.cluster.fargate_limits import pod_problems
from components.kubernetes.charts import survives_unquoted
from tests.components.addons.programs import addon_of
from tests.rehearsal.test_charts_addons import REQUIRED, deployment, each_chart, pod


@pytest.fixture(scope="module")
def installed(render):
    """The objects that an add-on's chart makes with the component's values on Fargate."""

    def run(chart, **config):
        return render(chart, addon_of(chart).values(**config), NAMESPACE)

    return run


def arguments(objects, name):
    return pod(objects, name)["spec"]["containers"][0]["args"]


@pytest.mark.engine
@pytest.mark.feature("A2-33")
def test_the_load_balancer_controllers_arguments(installed):
    chart = "aws-load-balancer-controller"

    objects = installed(chart, defaultTags={"team": "a", "env": "b"})

    assert sorted(arguments(objects, chart)) == [
        "--aws-region=eu-west-1",
        "--aws-vpc-id=vpc-1",
        "--cluster-name=dev",
        "--default-tags=env=b,team=a",
        "--default-target-type=ip",
        "--enable-shield=false",
        "--enable-waf=false",
        "--enable-wafv2=false",
        "--ingress-class=alb",
    ]


@pytest.mark.engine
def test_the_ingress_class_is_the_controllers_with_its_parameters(installed):
    objects = installed("aws-load-balancer-controller")

    group = "elbv2.k8s.aws"
    assert objects["IngressClass", "alb"]["spec"] == {
        "controller": "ingress.k8s.aws/alb",
        "parameters": {"apiGroup": group, "kind": "IngressClassParams", "name": "alb"},
    }
    assert objects["IngressClassParams", "alb"]["apiVersion"] == f"{group}/v1beta1"


@pytest.mark.engine
@pytest.mark.feature("A2-39")
def test_external_dns_arguments(installed):
    objects = installed("external-dns", policy="sync", excludeDomains=["office.example.com"])

    assert arguments(objects, "external-dns") == [
        "--log-level=info",
        "--log-format=text",
        "--interval=5m",
        "--events",
        "--source=service",
        "--source=ingress",
        "--policy=sync",
        "--registry=txt",
        "--txt-owner-id=dev",
        "--domain-filter=example.com",
        "--exclude-domains=office.example.com",
        "--annotation-prefix=external-dns.alpha.kubernetes.io/",
        "--provider=aws",
        "--aws-zone-type=public",
        "--zone-id-filter=Z-example.com",
    ]
    assert objects["Deployment", "external-dns"]["spec"]["strategy"] == {"type": "Recreate"}


@pytest.mark.engine
@pytest.mark.parametrize(
    ("extra", "flags"),
    [
        ({"a": True, "b": False}, ["--a", "--no-b"]),
        ({"c": 1, "d": ["u", "v"]}, ["--c=1", "--d=u", "--d=v"]),
        (["--whole=flag"], ["--whole=flag"]),
    ],
)
def test_extra_arguments_of_external_dns_take_every_form_of_upstreams(render, extra, flags):
    objects = render("external-dns", {"extraArgs": extra})

    assert arguments(objects, "external-dns")[-len(flags) - 1 :] == ["--provider=aws", *flags]


PRINTED = {
    "aws-load-balancer-controller": ("default-tags", lambda text: {"defaultTags": {"note": text}}),
    "cluster-autoscaler": ("other", lambda text: {"extraArgs": {"other": f"note={text}"}}),
}


@pytest.mark.engine
@pytest.mark.parametrize("chart", PRINTED)
@pytest.mark.parametrize("text", ["a: b", "a:", "a #b", "a ", "a:b", "it's {a}", "42", "@a", ""])
def test_a_text_arrives_as_it_is_where_the_program_takes_it_and_only_there(render, chart, text):
    flag, values = PRINTED[chart]
    of_the_component = addon_of(chart).values()

    try:
        objects = render(chart, of_the_component | values(text), NAMESPACE)
        (container,) = pod(objects, deployment(addon_of(chart)))["spec"]["containers"]
        told = [*container.get("command", []), *container.get("args", [])]
        arrived = f"--{flag}=note={text}" in told
    except yaml.YAMLError:
        arrived = False

    assert arrived == survives_unquoted(flag, f"note={text}")


@pytest.mark.engine
def test_one_of_three_controllers_of_efs_goes_at_a_time(installed):
    objects = installed("aws-efs-csi-driver", replicas=3)

    budget = objects["PodDisruptionBudget", "efs-csi-controller"]["spec"]
    assert budget["maxUnavailable"] == 1
    assert "minAvailable" not in budget


@pytest.mark.engine
def test_metrics_server_listens_where_its_service_sends(installed):
    objects = installed("metrics-server")

    (container,) = pod(objects, "metrics-server")["spec"]["containers"]
    (port,) = container["ports"]
    assert container["args"][0] == f"--secure-port={metrics_server.PORT}"
    assert (port["name"], port["containerPort"]) == ("https", metrics_server.PORT)
    (sends,) = objects["Service", "metrics-server"]["spec"]["ports"]
    assert sends["targetPort"] == port["name"]


@pytest.mark.engine
@pytest.mark.feature("A2-41")
def test_kube_ops_view_has_its_image_time_zone_and_port(installed):
    objects = installed("kube-ops-view", timeZone="Asia/Seoul")

    (container,) = pod(objects, "kube-ops-view")["spec"]["containers"]
    assert container["image"] == "hjacobs/kube-ops-view:23.5.0"
    assert container["env"] == [{"name": "TZ", "value": "Asia/Seoul"}]
    assert [port["containerPort"] for port in container["ports"]] == [8080]
    service = objects["Service", "kube-ops-view"]["spec"]
    assert (service["type"], service["ports"][0]["port"]) == ("ClusterIP", 8080)


@pytest.mark.engine
@pytest.mark.feature("A2-66")
def test_the_efs_node_pods_stay_away_from_fargate(installed):
    objects = installed("aws-efs-csi-driver")

    spec = pod(objects, "efs-csi-node", "DaemonSet")["spec"]
    (term,) = spec["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    rule = {"key": "eks.amazonaws.com/compute-type", "operator": "NotIn"}
    assert term["matchExpressions"] == [rule | {"values": ["fargate", "hybrid"]}]
    assert list(pod_problems(spec)) != []
    assert ("ServiceAccount", spec["serviceAccountName"]) in objects


@pytest.mark.engine
def test_the_efs_driver_is_told_region_tags_and_to_keep_files(installed):
    objects = installed("aws-efs-csi-driver")

    driver = pod(objects, "efs-csi-controller")["spec"]["containers"][0]
    assert "--delete-access-point-root-dir=false" in driver["args"]
    assert "--tags=kubernetes.io/cluster/dev:owned" in driver["args"]
    environment = {one["name"]: one.get("value") for one in driver["env"]}
    assert environment["AWS_REGION"] == "eu-west-1"
    assert environment["AWS_STS_REGIONAL_ENDPOINTS"] == "regional"
    kept = objects["CSIDriver", "efs.csi.aws.com"]["metadata"]["annotations"]
    assert kept["helm.sh/resource-policy"] == "keep"


@pytest.mark.engine
@pytest.mark.parametrize(
    ("chart", "values", "path"),
    [
        ("external-dns", {"serviceMonitor": {"enabled": True}}, "serviceMonitor.enabled"),
        ("cluster-autoscaler", {"vpa": {"enabled": True}}, "vpa.enabled"),
        ("metrics-server", {"addonResizer": {"enabled": True}}, "addonResizer.enabled"),
        ("kube-ops-view", {"ingress": {"main": {"enabled": True}}}, "ingress.main.enabled"),
        ("aws-efs-csi-driver", {"fullnameOverride": "efs"}, "fullnameOverride"),
        (
            "aws-load-balancer-controller",
            {"clusterName": "a", "autoscaling": {"enabled": True}},
            "autoscaling.enabled",
        ),
    ],
)
def test_what_a_stand_in_has_no_object_for_is_said_not_dropped(render, chart, values, path):
    told = f"{path}: the rehearsal's stand-in for chart {chart} does not play it"

    with pytest.raises(ValueError, match=told):
        render(chart, values)


@pytest.mark.engine
@each_chart
def test_nothing_is_made_that_waits_for_an_answer_of_a_container(render, addon):
    objects = render(addon.section.CHART_NAME, addon.values(**addon.more), NAMESPACE)
    kinds = {kind for kind, _ in objects}

    unanswered = {"APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}
    assert kinds & unanswered == set()
