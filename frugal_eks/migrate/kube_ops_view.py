"""Converts the Service of kube-ops-view to its add-on."""

from collections.abc import Mapping
from typing import Any

from components.addons.aws_load_balancer_controller.component import LOAD_BALANCER_CLASS
from components.addons.external_dns.component import ANNOTATION_PREFIX
from components.addons.kube_ops_view.component import CHART, NLB, PORT
from frugal_eks.migrate.eksctl.network import EXAMPLE_CIDR
from frugal_eks.migrate.notes import Place
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

_PLACE: Place = ("addons", "kubeOpsView")
_SAME = {
    f"{NLB}nlb-target-type": "ip",
    f"{NLB}healthcheck-port": str(PORT),
    f"{NLB}cross-zone-load-balancing-enabled": "true",
    f"{NLB}type": "external",
}
"""Annotations that the program's own Service has too."""
_CHART = "the chart and the program's own Service decide it"


def handles(document: Mapping[str, Any], name: str) -> bool:
    """True if this is kube-ops-view's Service: by its name, or if it has none by its port for the
    NLB.
    """
    if name:
        return name == CHART
    # Only to look: a wrong shape is told when it is converted.
    return f"'{NLB}healthcheck-port': '{PORT}'" in str(document.get("metadata"))


def convert_kube_ops_view(source: Reader, out: Sections) -> None:
    """Converts to the add-on, with the load balancer that the Service asks for."""
    metadata, spec = source.part("metadata"), source.part("spec")
    annotations = metadata.part("annotations")
    metadata.expect("name", CHART)
    metadata.expect("namespace", "kube-system")
    out.ensure(_PLACE)
    hostname = annotations.text(f"{ANNOTATION_PREFIX}hostname")
    for key, value in _SAME.items():
        annotations.expect(key, value)
    scheme = annotations.text(f"{NLB}scheme", "internal")
    kind = spec.value.get("type")
    spec.expect("type", "LoadBalancer", "ClusterIP")
    if kind == "LoadBalancer":
        plain = not spec.expect("loadBalancerClass", LOAD_BALANCER_CLASS)
        was = "an NLB, was a Classic Load Balancer" if plain else ""
        out.put((*_PLACE, "loadBalancer"), "nlb", was)
        if hostname:
            out.put((*_PLACE, "hostname"), hostname)
        if scheme == "internet-facing":
            _open(spec, out)
        elif scheme != "internal":
            out.put((*_PLACE, "internal"), True, f"was {scheme}")
    elif hostname:
        out.say(_PLACE, f"without a load balancer its name {hostname} leads nowhere")
    out.leave(source.rest(_CHART))


def _open(spec: Reader, out: Sections) -> None:
    out.put((*_PLACE, "internal"), False)
    ranges = spec.texts("loadBalancerSourceRanges")
    why = "" if ranges else "was open to all, and has no login: write who may see it"
    out.put((*_PLACE, "sourceRanges"), ranges or [EXAMPLE_CIDR], why)
