import pytest
from pulumi_kubernetes.core.v1 import Service, ServicePatch
from pulumi_kubernetes.networking.v1 import Ingress, IngressPatch

from components.kubernetes.kubernetes_object import KubernetesObject, KubernetesPatch

WHERE = {"name": "page", "namespace": "kube-system"}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": WHERE, "spec": {"type": "ClusterIP"}}
INGRESS = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "Ingress",
    "metadata": WHERE | {"annotations": {"a.b/c": "d"}},
    "spec": {"ingressClassName": "alb"},
}


def typed(resource, manifest):
    """The same manifest by the typed class, which takes Python's spelling at the top only."""
    resource("it", metadata=manifest["metadata"], spec=manifest["spec"])


@pytest.mark.parametrize(
    ("ours", "theirs", "manifest"),
    [
        (KubernetesObject, Service, SERVICE),
        (KubernetesObject, Ingress, INGRESS),
        (KubernetesPatch, ServicePatch, SERVICE),
        (KubernetesPatch, IngressPatch, INGRESS),
    ],
)
def test_the_engine_gets_what_the_typed_class_would_send(deploy, ours, theirs, manifest):
    (sent,) = deploy(lambda: ours("it", manifest)).declared
    (wanted,) = deploy(lambda: typed(theirs, manifest)).declared

    assert sent.request.type == wanted.request.type
    assert sent.inputs == wanted.inputs
