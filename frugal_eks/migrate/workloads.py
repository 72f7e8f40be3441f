"""Converts workloads that the program itself provides: samples, pause pods, autoscaler."""

import re
from collections.abc import Mapping
from typing import Any, cast

from components.workloads.sample_workloads.config import ECSDEMO
from components.workloads.sample_workloads.ecsdemo import ENVIRONMENT, PORT, SERVICE_PORT
from components.workloads.spot_preference import prefer_spot
from frugal_eks.migrate import autoscaler_flags, kube_ops_view
from frugal_eks.migrate.notes import Context, Converted, Place
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

_API = {"Deployment": "apps/v1", "PriorityClass": "scheduling.k8s.io/v1", "Service": "v1"}
_PAUSE, _AUTOSCALER, _PAGE = "pause-pods", "cluster-autoscaler", "kube-ops-view"
_FRAME = "has no key: the program writes this object itself"
_STRATEGY = {
    "type": "RollingUpdate",
    "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
}
_PRIORITIES = {"default": 0, _PAUSE: -1}


def handles(document: Mapping[str, Any]) -> bool:
    """True if the document is such a workload, by kind and name, or the command of an
    autoscaler.
    """
    kind, name = document.get("kind"), _name(document)
    if kind is None:
        return autoscaler_flags.is_command(document.get("command"))
    return {
        "Deployment": name in {"inflate", _PAUSE, _AUTOSCALER, *_ecsdemo()},
        "PriorityClass": name in _PRIORITIES,
        "Service": name in _ecsdemo() or kube_ops_view.handles(document, name),
    }.get(str(kind), False)


def convert_workload(source: Reader, context: Context) -> Converted:
    """Converts a workload by its kind and name."""
    out = Sections()
    kind, name = source.value.get("kind"), _name(source.value)
    source.expect("kind", kind)
    source.expect("apiVersion", _API.get(str(kind)))
    if name in _ecsdemo():
        (_ecsdemo_pods if kind == "Deployment" else _ecsdemo_service)(source, name, out)
    elif kind == "PriorityClass":
        _priority(source, name, context, out)
    elif kind == "Service":
        kube_ops_view.convert_kube_ops_view(source, out)
    elif name == _AUTOSCALER or kind is None:
        _autoscaler(source, out)
    else:
        _room(source, name, out)
    return out.converted()


def _name(document: Mapping[str, Any]) -> str:
    metadata = document.get("metadata")
    if not isinstance(metadata, Mapping):
        return ""
    return str(cast(Mapping[str, Any], metadata).get("name") or "")


def _ecsdemo() -> list[str]:
    return [f"ecsdemo-{service}" for service in ECSDEMO]


def _pods(source: Reader, name: str, namespace: str, label: str) -> tuple[Reader, Reader]:
    """The pod's spec and its container; takes what is the same in every such Deployment."""
    metadata, spec = source.part("metadata"), source.part("spec")
    metadata.take("name")
    metadata.expect("namespace", namespace)
    labels = spec.part("template").part("metadata").part("labels")
    for each in (metadata.part("labels"), labels, spec.part("selector").part("matchLabels")):
        each.expect(label, name)
    pod = spec.part("template").part("spec")
    containers = pod.parts("containers")
    return pod, containers[0] if containers else Reader({})


def _requests(container: Reader, place: Place, out: Sections) -> None:
    requests = container.part("resources").part("requests")
    for key in ("cpu", "memory"):
        if key in requests:
            out.put((*place, key), requests.text(key))
    limits = container.part("resources").part("limits")
    for key in ("cpu", "memory"):
        limits.expect(key, requests.value.get(key))


def _room(source: Reader, name: str, out: Sections) -> None:
    pause = name == _PAUSE
    place: Place = ("overprovisioning",) if pause else ("sampleWorkloads", "inflate")
    namespace, label = ("pause", "run") if pause else ("default", "app")
    pod, container = _pods(source, name, namespace, label)
    replicas = source.part("spec").number("replicas")
    out.put((*place, "replicas"), 1 if replicas is None else replicas)
    _requests(container, place, out)
    if pause and not out.has((*place, "memory")):
        out.say(place, "the document said no memory: 1536Mi a pod")
    selector = pod.labels("nodeSelector")
    if selector:
        out.put((*place, "nodeSelector"), selector)
    if pause and "tolerations" in pod:
        out.put((*place, "tolerations"), pod.take("tolerations"))
    pod.expect("priorityClassName", *([_PAUSE] if pause else []))
    pod.expect("terminationGracePeriodSeconds", 0)
    container.expect("name", "reserve-resources" if pause else "inflate")
    image = container.value.get("image")
    if isinstance(image, str) and re.search(r"(^|/)pause(:|@|$)", image):
        pinned = "the image is pinned by this release"
        out.leave(container.note("image", pinned))
    out.leave(source.rest(_FRAME))


def _priority(source: Reader, name: str, context: Context, out: Sections) -> None:
    source.part("metadata").take("name")
    paused = any(
        each.get("kind") == "Deployment" and _name(each) == _PAUSE for each in context.documents
    )
    if not paused:
        out.leave(source.rest("is made beside the pause pods: give their Deployment too"))
        return
    value = source.value.get("value")
    same = source.expect("value", _PRIORITIES[name])
    source.expect("globalDefault", name == "default")
    if name == "default" and same:
        out.put(("overprovisioning", "defaultPriorityClass"), True)
    elif not same:
        fixed = f"is {_PRIORITIES[name]} here, and was {value}"
        out.leave(source.note("value", fixed))
    out.leave(source.rest(_FRAME))


def _ecsdemo_pods(source: Reader, name: str, out: Sections) -> None:
    place: Place = ("sampleWorkloads", "ecsdemo")
    pod, container = _pods(source, name, "default", "app")
    out.ensure(place)
    replicas = source.part("spec").number("replicas")
    if replicas is not None:
        out.put((*place, "replicas", name.removeprefix("ecsdemo-")), replicas)
    image = container.text("image", "")
    match = re.fullmatch(rf"(?P<path>.+)/{name}(:(?P<tag>[\w.-]+))?", image)
    if match:
        out.put((*place, "images"), match["path"])
        out.put((*place, "tag"), match["tag"] or "latest")
    elif image:
        out.leave([*container.note("image", f"must end in {name}: the program's own is taken")])
    container.expect("name", name)
    container.expect("imagePullPolicy", "Always")
    source.part("spec").expect("strategy", _STRATEGY)
    for port in container.parts("ports"):
        port.expect("containerPort", PORT)
        port.expect("protocol", "TCP")
    _requests(container, place, out)
    if "affinity" in pod or "tolerations" in pod:
        said = "also said by spotPreference" if _prefers_spot(pod.value) else _FRAME
        _preference(pod, said, place, out)
    else:
        out.put((*place, "spotPreference"), False)
    for environment in container.parts("env"):
        _environment(environment, name)
    out.leave(source.rest(_FRAME))


def _preference(pod: Reader, said: str, place: Place, out: Sections) -> None:
    preferring = _prefers_spot(pod.value)
    out.put((*place, "spotPreference"), preferring)
    if preferring:
        pod.take("affinity")
        pod.take("tolerations")
    else:
        out.leave([*pod.note("affinity", said), *pod.note("tolerations", said)])


def _prefers_spot(pod: Mapping[str, Any]) -> bool:
    """True if affinity and tolerations are those that the program writes."""
    wanted = prefer_spot({})
    return all(pod.get(key) == wanted[key] for key in wanted)


def _environment(variable: Reader, name: str) -> None:
    known = ENVIRONMENT.get(name.removeprefix("ecsdemo-"), {})
    value = known.get(str(variable.value.get("name")))
    if value is not None and variable.expect("value", value):
        variable.take("name")


def _ecsdemo_service(source: Reader, name: str, out: Sections) -> None:
    out.ensure(("sampleWorkloads", "ecsdemo"))
    metadata, spec = source.part("metadata"), source.part("spec")
    metadata.take("name")
    metadata.expect("namespace", "default")
    spec.part("selector").expect("app", name)
    spec.expect("type", "ClusterIP")
    for port in spec.parts("ports"):
        for key, value in {"port": SERVICE_PORT, "targetPort": PORT, "protocol": "TCP"}.items():
            port.expect(key, value)
    out.leave(source.rest(_FRAME))


def _autoscaler(source: Reader, out: Sections) -> None:
    place: Place = ("clusterAutoscaler",)
    out.ensure(place)
    if source.value.get("kind") is None:
        autoscaler_flags.convert_flags(source, "command", out)
        out.leave(source.rest(_FRAME))
        return
    pod, container = _pods(source, _AUTOSCALER, "kube-system", "app")
    container.expect("name", _AUTOSCALER)
    replicas = source.part("spec").number("replicas")
    if replicas is not None:
        out.put((*place, "replicas"), replicas)
    for key in ("command", "args"):
        autoscaler_flags.convert_flags(container, key, out)
    _requests(container, place, out)
    selector = pod.labels("nodeSelector")
    if selector:
        out.put((*place, "nodeSelector"), selector)
    out.leave(container.note("image", "the image that fits the cluster's version is pinned"))
    out.leave(source.rest("the chart decides it: values of yours go into valuesFile"))
