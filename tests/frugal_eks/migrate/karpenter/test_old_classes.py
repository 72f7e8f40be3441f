"""Which class a Provisioner v1alpha5 gets, and what of it goes there."""

import pytest

from tests.frugal_eks.migrate.karpenter.manifests import (
    comments,
    migrated,
    objects,
    provisioner,
    template,
    told,
)


@pytest.mark.feature("A1-11")
def test_the_reference_to_a_template_is_a_whole_reference_to_its_class():
    migration = migrated(provisioner(providerRef={"name": "gpu"}), template("gpu"))

    pool = objects(migration)[-1]["spec"]["template"]["spec"]
    assert pool["nodeClassRef"] == {
        "group": "karpenter.k8s.aws",
        "kind": "EC2NodeClass",
        "name": "gpu",
    }
    assert set(migration.values["karpenter"]["nodeClasses"]) == {"gpu"}


@pytest.mark.feature("A1-35")
def test_a_template_that_is_not_at_hand_gets_a_stand_in_and_is_told():
    kubelet = {"maxPods": 20}
    migration = migrated(
        provisioner(providerRef={"name": "gpu"}, kubeletConfiguration=kubelet),
    )

    text = "AWSNodeTemplate gpu is not among the files: give its file too"
    assert told(migration) == [("spec.providerRef.name", text, "gpu")]
    assert objects(migration)[0]["spec"]["kubelet"] == kubelet
    assert "stand-in" in comments(migration, "nodeClasses", "gpu")["amiAlias"]


def test_a_reference_of_another_kind_is_told():
    reference = {"apiVersion": "karpenter.k8s.aws/v1alpha1", "kind": "Else", "name": "default"}
    migration = migrated(provisioner(providerRef=reference), template())

    text = "only AWSNodeTemplate has a place here: give the class by its name"
    assert told(migration) == [("spec.providerRef.kind", text, "Else")]


@pytest.mark.feature("A1-35")
def test_an_inline_provider_becomes_a_class_of_the_provisioners_name():
    provider = {
        "apiVersion": "extensions.karpenter.sh/v1alpha1",
        "kind": "AWS",
        "subnetSelector": {"a": "b"},
        "securityGroupSelector": {"aws-ids": "sg-1,sg-2"},
        "instanceProfile": "nodes",
        "launchTemplate": "mine",
        "surprise": 1,
    }
    migration = migrated(provisioner("batch", provider=provider))

    node_class, pool = objects(migration)
    assert node_class["metadata"]["name"] == "batch"
    assert pool["spec"]["template"]["spec"]["nodeClassRef"]["name"] == "batch"
    assert node_class["spec"]["subnetSelectorTerms"] == [{"tags": {"a": "b"}}]
    assert node_class["spec"]["securityGroupSelectorTerms"] == [{"id": "sg-1"}, {"id": "sg-2"}]
    assert node_class["spec"]["instanceProfile"] == "nodes"
    assert [(path, value) for path, _, value in told(migration)] == [
        ("spec.provider.surprise", 1),
        ("spec.provider.launchTemplate", "mine"),
    ]


def test_an_inline_provider_does_not_take_the_place_of_a_template():
    provider = {"subnetSelector": {"a": "b"}, "securityGroupSelector": {"a": "b"}}
    migration = migrated(template("batch"), provisioner("batch", provider=provider))

    assert migration.values["karpenter"]["nodePools"]["batch"]["nodeClass"] == "batch-own"
    assert set(migration.values["karpenter"]["nodeClasses"]) == {"batch", "batch-own"}


def test_both_or_neither_way_to_a_provider_is_told():
    reference = {"name": "default"}
    both = migrated(provisioner(providerRef=reference, provider={"a": "b"}), template())
    neither = migrated(provisioner(provider=None))

    assert told(both)[0][0] == "spec.provider"
    assert told(both)[0][1].startswith("providerRef stands beside it, which the old API refused")
    assert [each[:2] for each in told(neither)] == [
        (
            "spec.providerRef",
            "neither providerRef nor provider, which the old API refused: give one",
        )
    ]
    assert objects(both)
    assert objects(neither)


def test_kubelet_settings_move_to_the_class_with_amounts_as_text():
    kubelet = {"maxPods": 30, "kubeReserved": {"cpu": 1, "memory": "200Mi"}, "cpuCFSQuota": False}
    runtime = {"containerRuntime": "containerd"}
    migration = migrated(provisioner(kubeletConfiguration=kubelet | runtime), template())

    assert objects(migration)
    found = migration.values["karpenter"]["nodeClasses"]["default"]
    assert found["kubelet"] == kubelet | {"kubeReserved": {"cpu": "1", "memory": "200Mi"}}
    assert comments(migration, "nodeClasses")["kubelet"] == "from default: it stood on the pool"
    assert told(migration) == []


def test_another_runtime_than_containerd_is_told():
    kubelet = {"containerRuntime": "dockerd"}
    migration = migrated(provisioner(kubeletConfiguration=kubelet), template())

    text = "containerd is the only runtime now: see whether the pods need another"
    assert told(migration) == [("spec.kubeletConfiguration.containerRuntime", text, "dockerd")]
    assert "kubelet" not in objects(migration)[0]["spec"]


@pytest.mark.feature("A1-35")
def test_pools_that_share_a_template_and_differ_in_kubelet_get_a_class_each():
    few, many = {"maxPods": 10}, {"maxPods": 110}
    migration = migrated(
        provisioner("few", kubeletConfiguration=few),
        provisioner("plain"),
        provisioner("many", kubeletConfiguration=many),
        provisioner("more", kubeletConfiguration=many),
        template(launchTemplate="mine"),
    )

    karpenter = migration.values["karpenter"]
    classes = {name: pool["nodeClass"] for name, pool in karpenter["nodePools"].items()}
    assert classes == {
        "few": "default-few",
        "plain": "default",
        "many": "default-many",
        "more": "default-many",
    }
    kubelets = {name: one.get("kubelet") for name, one in karpenter["nodeClasses"].items()}
    assert kubelets == {"default": None, "default-few": few, "default-many": many}
    assert comments(migration, name="few")["nodeClass"] == (
        "a class of its own: its kubelet settings are not those of default"
    )
    assert "nodeClass" not in comments(migration, name="plain")
    # What is left of the template is told once.
    assert [path for path, _, _ in told(migration)] == ["spec.launchTemplate"]
    assert len(objects(migration)) == len(classes) + len(kubelets)


def test_kubelet_settings_for_a_class_of_v1_are_told():
    v1 = {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "default"},
        "spec": {"amiSelectorTerms": [{"alias": "al2023@v20260930"}]},
    }
    migration = migrated(provisioner(kubeletConfiguration={"maxPods": 9}), v1)

    path, text, value = told(migration)[0]
    assert migration.values["karpenter"]["nodePools"]["default"]["nodeClass"] == "default"
    assert (path, value) == ("spec.kubeletConfiguration", {"maxPods": 9})
    assert text.endswith("put it into spec.kubelet of EC2NodeClass default")
