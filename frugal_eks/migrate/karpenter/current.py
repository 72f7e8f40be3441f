"""Converts NodePool and EC2NodeClass of `karpenter.sh/v1`.

The stack file has the API's own fields, flat: nothing is lost. Fields that v1 leaves open but the
package fills in are written so that they stay open, or noted if the package always sets them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from components.ec2.labels import CATEGORY, OS
from components.karpenter.crd_files import crd
from components.karpenter.crd_structure import as_list, as_map, with_defaults
from components.karpenter.node_classes.images import LATEST, follows, moves
from components.karpenter.node_pools import NODE_CLASS_KIND, NodePoolConfig
from components.karpenter.requirements import DEFAULTS, INSTANCE_KEYS
from frugal_eks.migrate.karpenter import metadata, schemas
from frugal_eks.migrate.karpenter.choice import put_choice
from frugal_eks.migrate.karpenter.class_names import CLASS, OLD_CLASS, Shared, has, is_a, name_of
from frugal_eks.migrate.karpenter.node_template import OF_PROFILE, put_stand_in
from frugal_eks.migrate.karpenter.part import Part
from frugal_eks.migrate.karpenter.volumes import say_what_is_written_out
from frugal_eks.migrate.notes import Context, Converted, Note
from frugal_eks.migrate.reader import Reader
from frugal_eks.migrate.sections import Sections

POOL = ("karpenter.sh/v1", "NodePool")
BETA = {
    ("karpenter.sh/v1beta1", "NodePool"): "nodepools.karpenter.sh",
    ("karpenter.k8s.aws/v1beta1", "EC2NodeClass"): "ec2nodeclasses.karpenter.k8s.aws",
}

_LINUX = {"key": OS, "operator": "In", "values": ["linux"]}
"""The requirement that the package writes by itself, and that has no short form."""
_POOL_KEYS = ("weight", "replicas")
_REFERENCE = "spec.template.spec.nodeClassRef"
_OF_ROLE = "as before: its policies and its access entry are not the stack's"


def handles(document: Mapping[str, Any]) -> bool:
    """True if the document is a NodePool or an EC2NodeClass, of v1 or of v1beta1."""
    return any(is_a(document, api) for api in (POOL, CLASS, *BETA))


def convert_v1_object(source: Reader, context: Context) -> Converted:
    """Converts a pool or a class of v1; for v1beta1 only explains the upgrade to v1."""
    sections = Sections()
    document = source.value
    sections.leave(metadata.take_object(source))
    given = source.take("spec", {})
    if not (is_a(document, POOL) or is_a(document, CLASS)):
        sections.left.clear()
        sections.leave([_hop(document)])
        return sections.converted()
    kind, name = str(document["kind"]), name_of(document)
    schema = as_map(as_map(crd(kind).schema["properties"])["spec"])
    kept, broken = schemas.checked_by(schema, kind, given)
    sections.leave(broken)
    spec = with_defaults(schema, kept)
    if kind == POOL[1]:
        _put_pool(sections, name, spec, context)
    else:
        _put_class(Part(sections, "nodeClasses", name), spec)
    return sections.converted()


def _hop(document: Mapping[str, Any]) -> Note:
    api = str(document["apiVersion"])
    resource = BETA[api, str(document["kind"])]
    text = (
        "is of v1beta1, which Karpenter 1.0 turns into v1 and 1.1 no longer reads: upgrade to "
        f"1.0, then give what `kubectl get {resource} {name_of(document)} -o yaml` prints"
    )
    return Note("apiVersion", text, api)


def _put_pool(sections: Sections, name: str, spec: Mapping[str, Any], context: Context) -> None:
    template = as_map(spec.get("template"))
    inner, names = as_map(template.get("spec")), as_map(template.get("metadata"))
    reference = as_map(inner.get("nodeClassRef"))
    if any(reference.get(key, value) != value for key, value in NODE_CLASS_KIND.items()):
        text = "the stack makes an EC2NodeClass only, so this pool is not carried over"
        sections.leave([Note(_REFERENCE, text, reference)])
        return
    part = Part(sections, "nodePools", name)
    _put_reference(part, reference, context)
    for key in ("labels", "annotations"):
        if names.get(key):
            part.put(key, dict(names[key]))
    _put_requirements(part, as_list(inner.get("requirements")), as_map(names.get("labels")))
    for key in ("taints", "startupTaints"):
        _put_taints(part, key, as_list(inner.get(key)))
    if spec.get("limits"):
        part.put("limits", {key: str(value) for key, value in as_map(spec["limits"]).items()})
    for key in _POOL_KEYS:
        if key in spec:
            part.put(key, spec[key])
    if "expireAfter" in inner:
        part.put("expireAfter", inner["expireAfter"])
    if "terminationGracePeriod" in inner:
        part.put("terminationGracePeriod", inner["terminationGracePeriod"])
    else:
        longest = NodePoolConfig(node_class="").termination_grace_period
        comment = "new: a drain without end would keep a destroy waiting"
        part.put("terminationGracePeriod", longest, comment)
    part.put("disruption", dict(as_map(spec.get("disruption"))))


def _put_reference(part: Part, reference: Mapping[str, Any], context: Context) -> None:
    name = str(reference.get("name") or "default")
    part.put("nodeClass", name)
    if not (has(CLASS, name, context.documents) or has(OLD_CLASS, name, context.documents)):
        put_stand_in(Part(part.sections, "nodeClasses", name), Shared(name, {}, []))
        text = f"{CLASS[1]} {name} is not among the files: give its file too"
        part.leave(f"{_REFERENCE}.name", text, reference.get("name"))


def _put_requirements(
    part: Part, requirements: Sequence[Mapping[str, Any]], labels: Mapping[str, str]
) -> None:
    """Puts the requirements, plus one that allows any value for each default of the package that is
    absent.
    """
    given_keys = {requirement["key"] for requirement in requirements} | labels.keys()
    # One requirement of instances is enough for the package to add none.
    instances = () if given_keys.intersection(INSTANCE_KEYS) else (CATEGORY,)
    absent = [
        default.key for default in DEFAULTS if default.key not in {*given_keys, *INSTANCE_KEYS}
    ]
    anything = [{"key": key, "operator": "Exists"} for key in (*absent, *instances)]
    said = [
        requirement
        for requirement in requirements
        if requirement != _LINUX or not _is_once(OS, requirements, labels)
    ]
    others = put_choice(part, [*said, *anything], labels)
    for number, requirement in enumerate(others):
        if requirement in anything:
            comment = "any, as v1 has it where nothing is said; the package has a default"
            part.say(comment, "requirements", number)


def _is_once(
    key: str, requirements: Sequence[Mapping[str, Any]], labels: Mapping[str, str]
) -> bool:
    return (
        key not in labels and [requirement["key"] for requirement in requirements].count(key) == 1
    )


def _put_taints(part: Part, key: str, taints: Sequence[Mapping[str, Any]]) -> None:
    kept: list[dict[str, Any]] = []
    for number, taint in enumerate(taints):
        if "timeAdded" in taint:
            path = f"spec.template.spec.{key}[{number}].timeAdded"
            part.leave(path, "Kubernetes sets it on the node: drop it", taint["timeAdded"])
        names = ("key", "value", "effect")
        kept.append({name: taint[name] for name in names if taint.get(name)})
    if kept:
        part.put(key, kept)


def _put_class(part: Part, spec: Mapping[str, Any]) -> None:
    terms = as_list(spec.get("amiSelectorTerms"))
    alias = as_map(terms[0]).get("alias") if len(terms) == 1 else None
    if alias and len(terms[0]) == 1:
        part.put("amiAlias", alias)
    elif terms:
        part.put("amiSelectorTerms", terms)
    latest = f"@{LATEST}"
    if any(
        str(term.get("alias", "")).endswith(latest)
        or moves(str(term.get("ssmParameter", "")))
        or follows(str(term.get("name", "")), term.get("owner"))
        for term in terms
    ):
        comment = "as before: new images decide when these nodes are replaced, unless you pin one"
        part.put("allowLatest", True, comment)
    for key, value in spec.items():
        if key != "amiSelectorTerms" and value not in ({}, []):
            part.put(key, value)
    if "role" in spec:
        part.say(_OF_ROLE, "role")
    if "instanceProfile" in spec:
        part.say(OF_PROFILE, "instanceProfile")
    for number, mapping in enumerate(as_list(spec.get("blockDeviceMappings"))):
        say_what_is_written_out(part, number, as_map(mapping.get("ebs")))
