"""NodePool and EC2NodeClass of v1: whatever they say, the stack file says it too."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from components.ec2.labels import CATEGORY, GENERATION
from components.karpenter.crd_files import crd
from components.karpenter.crd_rules import violations
from components.karpenter.crd_structure import with_defaults
from components.karpenter.requirements import INSTANCE_KEYS
from tests.frugal_eks.migrate.karpenter.manifests import (
    class_of,
    class_spec,
    comments,
    made,
    migrated,
    objects,
    pool_of,
    pool_spec,
    told,
)

STACKS = sorted((Path(__file__).parents[4] / "stacks").glob("Pulumi.*.yaml"))
REFERENCE = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
DEFAULTS = (
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "karpenter.sh/capacity-type",
    CATEGORY,
    GENERATION,
)
CLASS = {
    "amiSelectorTerms": [{"alias": "al2023@v20260930"}],
    "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
    "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
    "role": "nodes",
}
# Of each field of the API one value that is not its default.
EVERY_FIELD = {
    "amiFamily": "AL2023",
    "associatePublicIPAddress": False,
    "blockDeviceMappings": [
        {
            "deviceName": "/dev/xvda",
            "rootVolume": True,
            "ebs": {
                "volumeSize": "50Gi",
                "volumeType": "gp3",
                "iops": 4000,
                "throughput": 200,
                "encrypted": True,
                "deleteOnTermination": False,
                "kmsKeyID": "alias/nodes",
                "snapshotID": "snap-1",
                "volumeInitializationRate": 100,
            },
        }
    ],
    "capacityReservationSelectorTerms": [{"id": "cr-1"}, {"tags": {"a": "b"}}],
    "connectionTracking": {"tcpEstablishedTimeout": 60},
    "context": "c",
    "cpuOptions": {"nestedVirtualization": "enabled"},
    "detailedMonitoring": True,
    "instanceStorePolicy": "RAID0",
    "ipPrefixCount": 2,
    "kubelet": {
        "clusterDNS": ["172.20.0.10"],
        "maxPods": 30,
        "podsPerCore": 4,
        "kubeReserved": {"cpu": "100m"},
        "systemReserved": {"memory": "100Mi"},
        "evictionHard": {"memory.available": "5%"},
        "evictionSoft": {"memory.available": "10%"},
        "evictionSoftGracePeriod": {"memory.available": "1m"},
        "evictionMaxPodGracePeriod": 30,
        "imageGCHighThresholdPercent": 80,
        "imageGCLowThresholdPercent": 70,
        "cpuCFSQuota": False,
    },
    "metadataOptions": {
        "httpEndpoint": "enabled",
        "httpProtocolIPv6": "enabled",
        "httpPutResponseHopLimit": 2,
        "httpTokens": "optional",
    },
    "networkInterfaces": [
        {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
        {"networkCardIndex": 1, "deviceIndex": 1, "interfaceType": "efa-only"},
    ],
    "placementGroupSelector": {"name": "close"},
    "tags": {"team": "a"},
    "userData": "#!/bin/bash\n",
}


def pool(**spec):
    return made("karpenter.sh/v1", "NodePool", "default", spec)


def node_class(**spec):
    return made("karpenter.k8s.aws/v1", "EC2NodeClass", "default", CLASS | spec)


def template(names=None, **inner):
    found = {"spec": {"nodeClassRef": REFERENCE, "requirements": []} | inner}
    return {"template": found | ({"metadata": names} if names else {})}


def as_stored(kind, spec):
    """With what the API server fills in, and the requirements in one order."""
    schema = crd(kind).schema["properties"]["spec"]
    filled = with_defaults(schema, spec)
    inner = filled.get("template", {}).get("spec")
    if inner:
        inner["requirements"] = sorted(inner["requirements"], key=str)
    return filled


def of_the_package(kind, spec):
    """The same without what the package says and v1 leaves open: any value, which is no limit."""
    found = as_stored(kind, spec)
    inner = found.get("template", {}).get("spec")
    if inner:
        anything = [{"key": key, "operator": "Exists"} for key in DEFAULTS]
        inner["requirements"] = [one for one in inner["requirements"] if one not in anything]
    return found


def requirement():
    names = st.sampled_from(["a", "b2", "large", "spot"])
    keys = st.sampled_from(["example.com/a", "karpenter.k8s.aws/instance-family", CATEGORY])
    listed = st.builds(
        lambda key, operator, values: {"key": key, "operator": operator, "values": values},
        keys,
        st.sampled_from(["In", "NotIn"]),
        st.lists(names, min_size=1, max_size=3, unique=True),
    )
    compared = st.builds(
        lambda key, operator, number: {"key": key, "operator": operator, "values": [str(number)]},
        st.sampled_from([GENERATION, "karpenter.k8s.aws/instance-cpu"]),
        st.sampled_from(["Gt", "Lt", "Gte", "Lte"]),
        st.integers(0, 200),
    )
    known = st.sampled_from(
        [
            {"key": DEFAULTS[0], "operator": "In", "values": ["windows"]},
            {"key": DEFAULTS[0], "operator": "In", "values": ["linux"]},
            {"key": DEFAULTS[1], "operator": "In", "values": ["arm64", "amd64"]},
            {"key": DEFAULTS[1], "operator": "NotIn", "values": ["arm64"]},
            {"key": DEFAULTS[2], "operator": "In", "values": ["reserved"]},
            {"key": DEFAULTS[2], "operator": "In", "values": ["spot", "on-demand"], "minValues": 2},
            {"key": "karpenter.k8s.aws/instance-size", "operator": "NotIn", "values": ["nano"]},
            {"key": "example.com/b", "operator": "DoesNotExist"},
        ]
    )
    return st.one_of(listed, compared, known)


def taint(key):
    return st.builds(
        lambda value, effect: {"key": key, "effect": effect} | ({"value": value} if value else {}),
        st.sampled_from(["", "x"]),
        st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    )


AGES = st.sampled_from(["720h", "90s", "1h30m", "Never"])
BUDGETS = st.sampled_from(
    [
        {"nodes": "10%"},
        {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"},
        {"nodes": "5", "reasons": ["Drifted", "Empty"]},
    ]
)
POOLS = st.fixed_dictionaries(
    {
        "template": st.fixed_dictionaries(
            {
                "spec": st.fixed_dictionaries(
                    {
                        "nodeClassRef": st.just(REFERENCE),
                        "requirements": st.lists(requirement(), max_size=5, unique_by=str),
                        "terminationGracePeriod": st.sampled_from(["30m", "1h", "90s"]),
                    },
                    optional={
                        "taints": st.lists(taint("a"), min_size=1, max_size=1),
                        "startupTaints": st.lists(taint("b"), min_size=1, max_size=1),
                        "expireAfter": AGES,
                    },
                )
            },
            optional={
                "metadata": st.sampled_from(
                    [
                        {"labels": {"intent": "apps"}},
                        {"labels": {"a": "b"}, "annotations": {"c": "d e"}},
                        {"labels": {"karpenter.sh/capacity-type": "spot"}},
                    ]
                )
            },
        )
    },
    optional={
        "limits": st.sampled_from([{"nodes": "10"}, {"cpu": "8", "nvidia.com/gpu": "2"}]),
        "weight": st.integers(1, 100),
        "disruption": st.fixed_dictionaries(
            {"consolidateAfter": AGES},
            optional={
                "consolidationPolicy": st.sampled_from(
                    ["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"]
                ),
                "budgets": st.lists(BUDGETS, min_size=1, max_size=3, unique_by=str),
            },
        ),
    },
)


@settings(max_examples=20, deadline=None)
@given(spec=POOLS)
@pytest.mark.feature("A1-35")
def test_no_pool_loses_or_gains_anything(spec):
    source = pool(**spec)
    assert violations("NodePool", source) == []

    result = objects(migrated(source, node_class()))[-1]["spec"]

    assert of_the_package("NodePool", result) == of_the_package("NodePool", spec)


@settings(max_examples=20, deadline=None)
@given(
    fields=st.sets(st.sampled_from(sorted(EVERY_FIELD))),
    images=st.sampled_from(
        [
            [{"alias": "al2023@v20260930"}],
            [{"alias": "al2023@latest"}],
            [{"id": "ami-1"}, {"name": "x", "owner": "self"}],
            [{"name": "x-*"}],
            [{"tags": {"a": "*"}}, {"ssmParameter": "/mine/image"}],
        ]
    ),
    identity=st.sampled_from([{"role": "nodes"}, {"instanceProfile": "nodes"}]),
)
@pytest.mark.feature("A1-35")
def test_no_class_loses_or_gains_anything(fields, images, identity):
    spec = {key: value for key, value in CLASS.items() if key != "role"} | identity
    spec |= {key: EVERY_FIELD[key] for key in fields} | {"amiSelectorTerms": images}
    if "alias" not in images[0]:
        spec["amiFamily"] = "AL2023"
    source = made("karpenter.k8s.aws/v1", "EC2NodeClass", "default", spec)
    assert violations("EC2NodeClass", source) == []

    (result,) = objects(migrated(source))

    expected = as_stored("EC2NodeClass", spec)
    # What Karpenter takes for the family where nothing is said, and the API server for a switch.
    expected.setdefault("detailedMonitoring", False)
    expected.setdefault("blockDeviceMappings", result["spec"]["blockDeviceMappings"])
    assert as_stored("EC2NodeClass", result["spec"]) == expected


def test_every_field_of_a_class_is_among_those_that_are_tried():
    known = crd("EC2NodeClass").schema["properties"]["spec"]["properties"].keys()

    assert known == EVERY_FIELD.keys() | CLASS.keys() | {"instanceProfile"}


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.name)
def test_the_objects_of_a_shipped_stack_come_back_as_they_were(file):
    stack = yaml.safe_load(file.read_text())["config"].get("frugal-eks:karpenter")
    if stack is None:
        assert file.name == "Pulumi.spot.yaml"
        return
    classes = {name: class_spec(one) for name, one in stack["nodeClasses"].items()}
    pools = {name: pool_spec(one) for name, one in stack["nodePools"].items()}

    found = objects(
        migrated(
            *[made("karpenter.k8s.aws/v1", "EC2NodeClass", *one) for one in classes.items()],
            *[made("karpenter.sh/v1", "NodePool", *one) for one in pools.items()],
        )
    )

    assert by_name(found, "NodePool") == {
        name: as_stored("NodePool", spec) for name, spec in pools.items()
    }
    assert by_name(found, "EC2NodeClass") == {
        name: as_stored("EC2NodeClass", spec) for name, spec in classes.items()
    }


def by_name(found, kind):
    of_kind = [one for one in found if one["kind"] == kind]
    return {one["metadata"]["name"]: as_stored(kind, one["spec"]) for one in of_kind}


def test_a_static_pool_stays_one():
    found = pool_of(pool(**template(), replicas=0, limits={"nodes": "3"}), node_class())

    assert (found["replicas"], found["limits"]) == (0, {"nodes": "3"})


def test_what_v1_leaves_open_stays_open_and_has_a_comment():
    migration = migrated(pool(**template()), node_class())

    found = migration.values["karpenter"]["nodePools"]["default"]
    asked = found["requirements"]
    assert {one["key"]: one["operator"] for one in asked} == {
        key: "Exists" for key in DEFAULTS if key != GENERATION
    }
    said = comments(migration)
    assert said["requirements.0"].startswith("any, as v1 has it where nothing is said")
    assert said["terminationGracePeriod"].startswith("new: a drain without end")
    assert found["terminationGracePeriod"] == "30m"
    assert found["disruption"] == {
        "consolidateAfter": "0s",
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "budgets": [{"nodes": "10%"}],
    }


def test_linux_is_the_packages_own_unless_something_else_asks_for_the_system_too():
    linux = {"key": DEFAULTS[0], "operator": "In", "values": ["linux"]}
    windows = {"key": DEFAULTS[0], "operator": "NotIn", "values": ["windows"]}
    labelled = template({"labels": {DEFAULTS[0]: "linux"}}, requirements=[linux])

    def kept(spec):
        return [one["key"] for one in pool_of(pool(**spec), node_class())["requirements"]]

    assert DEFAULTS[0] not in kept(template(requirements=[linux]))
    assert kept(template(requirements=[linux, windows])).count(DEFAULTS[0]) == len([linux, windows])
    assert DEFAULTS[0] in kept(labelled)


@pytest.mark.parametrize("key", INSTANCE_KEYS)
def test_one_requirement_of_instances_needs_no_other(key):
    one = {"key": key, "operator": "In", "values": ["c"]}
    (result,) = [
        each["spec"]["template"]["spec"]["requirements"]
        for each in objects(migrated(pool(**template(requirements=[one])), node_class()))
        if each["kind"] == "NodePool"
    ]

    assert [each for each in result if each["key"] in INSTANCE_KEYS] == [one]


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize(
    "reference",
    [
        {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
        {"group": "eks.amazonaws.com", "kind": "NodeClass", "name": "default"},
    ],
)
def test_a_pool_of_another_provider_is_left(reference):
    migration = migrated(pool(**template(nodeClassRef=reference)))

    text = "the stack makes an EC2NodeClass only, so this pool is not carried over"
    assert told(migration) == [("spec.template.spec.nodeClassRef", text, reference)]
    assert migration.values == {}


def test_a_reference_without_its_group_is_told_and_still_names_its_class():
    migration = migrated(pool(**template(nodeClassRef={"name": "default"})), node_class())

    assert [path for path, _, _ in told(migration)] == [
        "spec.template.spec.nodeClassRef.group",
        "spec.template.spec.nodeClassRef.kind",
    ]
    assert migration.values["karpenter"]["nodePools"]["default"]["nodeClass"] == "default"


def test_a_class_that_is_not_at_hand_gets_a_stand_in_and_is_told():
    migration = migrated(pool(**template()))

    text = "EC2NodeClass default is not among the files: give its file too"
    assert told(migration) == [("spec.template.spec.nodeClassRef.name", text, "default")]
    assert objects(migration)


@pytest.mark.feature("A1-35")
@pytest.mark.parametrize(
    ("group", "kind", "resource"),
    [
        ("karpenter.sh", "NodePool", "nodepools.karpenter.sh"),
        ("karpenter.k8s.aws", "EC2NodeClass", "ec2nodeclasses.karpenter.k8s.aws"),
    ],
)
def test_the_beta_api_is_told_with_the_way_to_v1(group, kind, resource):
    migration = migrated(made(f"{group}/v1beta1", kind, "gpu", {"a": 1}))

    ((path, text, value),) = told(migration)
    assert (path, value) == ("apiVersion", f"{group}/v1beta1")
    assert text == (
        "is of v1beta1, which Karpenter 1.0 turns into v1 and 1.1 no longer reads: upgrade to "
        f"1.0, then give what `kubectl get {resource} gpu -o yaml` prints"
    )
    assert migration.values == {}


@pytest.mark.feature("A1-35")
def test_what_breaks_the_present_schema_is_told_and_the_rest_is_converted():
    spec = {"weight": 0, "kubelet": {"maxPods": 1}, "disruption": {"budgets": [{"nodes": 1}]}}
    migration = migrated(pool(**template(), **spec), node_class(volumes=1))

    assert [(path, value) for path, _, value in told(migration)] == [
        ("spec.disruption.budgets[0].nodes", 1),
        ("spec.disruption.consolidateAfter", None),
        ("spec.kubelet", {"maxPods": 1}),
        ("spec.weight", 0),
        ("spec.volumes", 1),
    ]
    assert "weight" not in migration.values["karpenter"]["nodePools"]["default"]


def test_the_newest_image_is_taken_as_before_and_the_risk_is_said():
    latest = node_class(amiSelectorTerms=[{"alias": "bottlerocket@latest"}])
    recommended = (
        "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/recommended/image_id"
    )
    parameter = [{"ssmParameter": recommended}]

    assert class_of(latest)["allowLatest"] is True
    assert class_of(latest)["amiAlias"] == "bottlerocket@latest"
    found = class_of(node_class(amiSelectorTerms=parameter, amiFamily="AL2023"))
    assert (found["allowLatest"], found["amiSelectorTerms"]) == (True, parameter)
    assert "allowLatest" not in class_of(node_class())


def test_identities_and_what_ec2_decided_have_a_comment():
    volume = [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "20Gi"}}]
    role = comments(migrated(node_class(blockDeviceMappings=volume)), "nodeClasses")
    profile = node_class(instanceProfile="p")
    del profile["spec"]["role"]

    assert role["role"] == "as before: its policies and its access entry are not the stack's"
    assert role["blockDeviceMappings.0.ebs"].startswith("written out now, EC2 decided before: vol")
    assert comments(migrated(profile), "nodeClasses")["instanceProfile"].startswith(
        "as before: name its role by instanceProfileRole"
    )


def test_a_time_on_a_taint_is_told():
    taint = {"key": "a", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}
    migration = migrated(pool(**template(taints=[taint])), node_class())

    assert [path for path, _, _ in told(migration)] == ["spec.template.spec.taints[0].timeAdded"]
    assert objects(migration)
