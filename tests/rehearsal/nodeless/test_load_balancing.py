"""The page has a load balancer and a name; both come and go with their objects."""

import pytest

from tests.rehearsal.nodeless.load_balancing import Balanced

pytestmark = pytest.mark.engine

NAME = "kubeopsview.example.com"
NLB = "service.beta.kubernetes.io/aws-load-balancer-"


def host_of(balanced: Balanced) -> str:
    """Where the page's Service says that it is reached."""
    return balanced.service["status"]["loadBalancer"]["ingress"][0]["hostname"]


@pytest.mark.feature("A2-37", "A2-45")
def test_the_service_of_the_page_is_a_network_load_balancer_of_pods(page):
    spec = page.alone.service["spec"]
    found = page.alone.balancers[host_of(page.alone)]

    assert (spec["type"], spec["loadBalancerClass"]) == ("LoadBalancer", "service.k8s.aws/nlb")
    assert list(page.alone.balancers) == [host_of(page.alone)]
    assert (found["Type"], found["Scheme"]) == ("network", "internal")
    targets = [(one["TargetType"], one["Protocol"], one["Port"]) for one in page.alone.targets]
    assert targets == [("ip", "TCP", 8080)]
    assert page.alone.listeners == [("TCP", 8080)]


@pytest.mark.feature("A2-43", "A2-44")
def test_the_service_carries_its_settings_as_texts(page):
    annotations = page.alone.service["metadata"]["annotations"]

    # What Pulumi writes there for itself is not for the controllers.
    assert {k: v for k, v in annotations.items() if not k.startswith("pulumi.com/")} == {
        "external-dns.alpha.kubernetes.io/hostname": NAME,
        f"{NLB}attributes": "load_balancing.cross_zone.enabled=true",
        f"{NLB}healthcheck-path": "/health",
        f"{NLB}healthcheck-port": "8080",
        f"{NLB}healthcheck-protocol": "HTTP",
        f"{NLB}nlb-target-type": "ip",
        f"{NLB}scheme": "internal",
    }


@pytest.mark.feature("A2-38", "A2-40", "A2-43")
def test_the_page_has_its_name_and_the_record_says_whose_it_is(page):
    record = page.alone.records[NAME, "A"]
    told = page.alone.records[f"cname-{NAME}", "TXT"]["ResourceRecords"]

    assert record["AliasTarget"]["DNSName"].rstrip(".") == host_of(page.alone)
    assert "external-dns/owner=nodeless," in told[0]["Value"]
    assert "external-dns/resource=service/kube-system/kube-ops-view-internal" in told[0]["Value"]


@pytest.mark.feature("A2-46")
def test_the_stack_tells_the_address_of_the_page(made):
    assert made.outputs["kubeOpsViewUrl"] == f"http://{NAME}:8080/#scale=1.5"


@pytest.mark.feature("A2-36")
def test_an_ingress_of_class_alb_is_an_application_load_balancer_while_it_is_there(page):
    found = page.with_ingress.balancers[page.ingress_host]

    assert (found["Type"], found["Scheme"]) == ("application", "internal")
    assert sorted(page.with_ingress.listeners) == [("HTTP", 80), ("TCP", 8080)]
    after = page.after_ingress
    assert list(after.balancers) == list(page.alone.balancers)
    assert [one["TargetGroupArn"] for one in after.targets] == [
        one["TargetGroupArn"] for one in page.alone.targets
    ]
    assert after.records.keys() == page.alone.records.keys()
