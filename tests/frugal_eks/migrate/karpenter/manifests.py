"""Karpenter's objects of the tests: as manifests of any API, converted, and as manifests of v1."""

from components.karpenter.crd_rules import violations
from components.karpenter.node_classes import NodeClassConfig, node_class_spec
from components.karpenter.node_pools import NodePoolConfig, node_pool_spec
from frugal_eks.migrate.conversion import Migration, convert
from frugal_eks.migrate.documents import Document


def provisioner(name="default", **spec):
    """With a template `default`, unless the spec says otherwise."""
    chosen = (
        {} if {"providerRef", "provider"} & spec.keys() else {"providerRef": {"name": "default"}}
    )
    return {
        "apiVersion": "karpenter.sh/v1alpha5",
        "kind": "Provisioner",
        "metadata": {"name": name},
        "spec": chosen | spec,
    }


def template(name="default", **spec):
    """With selectors by the discovery tag, unless the spec says otherwise."""
    tags = {"karpenter.sh/discovery": "demo"}
    return {
        "apiVersion": "karpenter.k8s.aws/v1alpha1",
        "kind": "AWSNodeTemplate",
        "metadata": {"name": name},
        "spec": {"subnetSelector": tags, "securityGroupSelector": tags} | spec,
    }


def migrated(*documents) -> Migration:
    """What they come to together."""
    found = [Document(source="k.yaml", value=each, lines={(): 1}) for each in documents]
    return convert(found)


def pool_of(*documents, name="default"):
    """The keys of a pool."""
    return migrated(*documents).values["karpenter"]["nodePools"][name]


def class_of(*documents, name="default"):
    """The keys of a class."""
    return migrated(*documents).values["karpenter"]["nodeClasses"][name]


def told(migration: Migration):
    """What is left, as path, text and value."""
    return [(one.note.path, one.note.text, one.note.value) for one in migration.left]


def comments(migration: Migration, kind="nodePools", name="default"):
    """The comments of one part, by their dotted places below it."""
    start = ("karpenter", kind, name)
    return {
        ".".join(map(str, place[len(start) :])): text
        for place, text in migration.comments.items()
        if place[: len(start)] == start
    }


def objects(migration: Migration):
    """The manifests that the package makes of it, which the API server would take."""
    karpenter = migration.values["karpenter"]
    found = [
        made("karpenter.k8s.aws/v1", "EC2NodeClass", name, class_spec(given))
        for name, given in karpenter.get("nodeClasses", {}).items()
    ]
    found += [
        made("karpenter.sh/v1", "NodePool", name, pool_spec(given))
        for name, given in karpenter.get("nodePools", {}).items()
    ]
    for manifest in found:
        assert violations(manifest["kind"], manifest) == [], manifest
    return found


def pool_spec(given):
    """The spec that the package makes of a pool's keys."""
    return node_pool_spec(NodePoolConfig.model_validate(given, by_alias=True, by_name=False))


def class_spec(given):
    """The spec that the package makes of a class's keys, with the stack's own role."""
    config = NodeClassConfig.model_validate(given, by_alias=True, by_name=False)
    return node_class_spec(config, cluster="demo", role="the-stacks-own", instance_profile=None)


def made(api_version, kind, name, spec):
    """One manifest."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}
