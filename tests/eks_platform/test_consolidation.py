"""The shipped stack `consolidation`: what document 001 asked of Karpenter, in today's API."""

import pytest

import stack_config
from components import compatibility
from components.karpenter.crd_rules import violations

POOL = "kubernetes:karpenter.sh/v1:NodePool"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
RELEASE = "kubernetes:helm.sh/v3:Release"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
GROUP = "aws:eks/nodeGroup:NodeGroup"
BUFFER = "kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer"
QUEUE = "aws:sqs/queue:Queue"
TEMPLATE = "kubernetes:core/v1:PodTemplate"


@pytest.fixture
def shipped(stack_file):
    return {k.removeprefix("frugal-eks:"): v for k, v in stack_file("consolidation").items()}


@pytest.fixture
def consolidation(platform, shipped):
    """The shipped stack, or a variant of it."""
    absent = dict.fromkeys(["fargate", "overprovisioning"])
    return lambda changes=None, **kinds: platform(absent | shipped | (changes or {}), **kinds)


@pytest.fixture
def pool(consolidation):
    return consolidation().one(POOL).inputs


@pytest.fixture
def with_pool(shipped):
    """Sections with these keys of the pool changed."""

    def changed(**keys):
        karpenter = shipped["karpenter"]
        default = karpenter["nodePools"]["default"] | keys
        return {"karpenter": karpenter | {"nodePools": {"default": default}}}

    return changed


def requirement(pool, key):
    found = [r for r in pool["spec"]["template"]["spec"]["requirements"] if r["key"] == key]
    assert len(found) == 1, key
    return found[0]["operator"], found[0]["values"]


@pytest.mark.feature("A1-05", "A1-06", "A1-09", "A1-10", "A1-11")
def test_the_pool_is_the_document_s(pool):
    template = pool["spec"]["template"]

    assert violations("NodePool", pool) == []
    assert pool["metadata"]["name"] == "default"
    assert template["metadata"]["labels"] == {"intent": "apps"}
    assert pool["spec"]["limits"] == {"cpu": "1000", "memory": "1000Gi"}
    assert template["spec"]["expireAfter"] == "720h"
    assert template["spec"]["nodeClassRef"] == {
        "group": "karpenter.k8s.aws",
        "kind": "EC2NodeClass",
        "name": "default",
    }


@pytest.mark.feature("A1-03")
def test_consolidation_is_on_and_says_when(pool):
    disruption = pool["spec"]["disruption"]

    assert disruption["consolidationPolicy"] == "WhenEmptyOrUnderutilized"
    assert disruption["consolidateAfter"] == "30s"


@pytest.mark.feature("A1-08", "A1-14")
def test_what_the_old_api_added_unasked_is_written_out(pool):
    assert requirement(pool, "karpenter.k8s.aws/instance-size") == (
        "NotIn",
        ["nano", "micro", "small", "medium", "large"],
    )
    assert requirement(pool, "kubernetes.io/os") == ("In", ["linux"])
    assert requirement(pool, "kubernetes.io/arch") == ("In", ["amd64"])
    assert requirement(pool, "karpenter.k8s.aws/instance-category") == ("In", ["c", "m", "r"])
    operator, (least,) = requirement(pool, "karpenter.k8s.aws/instance-generation")
    assert (operator, least) in {("Gt", "2"), ("Gte", "3")}


@pytest.mark.feature("A1-07")
def test_the_document_s_first_state_is_on_demand_alone(consolidation, with_pool):
    built = consolidation(with_pool(capacityTypes=["on-demand"]))

    capacity = requirement(built.one(POOL).inputs, "karpenter.sh/capacity-type")
    assert capacity == ("In", ["on-demand"])


@pytest.mark.feature("A1-13")
def test_instances_carry_the_document_s_tags_as_it_spells_them(consolidation):
    node_class = consolidation().one(CLASS).inputs

    assert node_class["spec"]["tags"] == {
        "KarpenerProvisionerName": "default",
        "NodeType": "karpenter-workshop",
        "IntentLabel": "apps",
    }


def test_pods_that_ask_for_the_pool_wait_for_it_and_others_run_on_the_base_group(consolidation):
    built = consolidation()
    inflate, group = built.one(DEPLOYMENT), built.one(GROUP)

    selector = inflate.inputs["spec"]["template"]["spec"]["nodeSelector"]
    pool_labels = built.one(POOL).inputs["spec"]["template"]["metadata"]["labels"]
    assert selector.items() <= pool_labels.items()
    assert built.waits_for(inflate, built.one(POOL))
    assert group.inputs["labels"] == {"intent": "control"}
    assert built.waits_for(built.named(RELEASE, "karpenter"), group)


def test_no_second_handler_drains_karpenter_s_nodes(consolidation):
    built = consolidation()

    names = {each.request.name for each in built.every(RELEASE)}
    assert "node-termination-handler" not in names
    assert len(built.every(QUEUE)) == 1


@pytest.mark.feature("C-20")
def test_one_line_keeps_room_by_pods_or_by_karpenter_itself(consolidation):
    pods = consolidation({"overprovisioning": {"replicas": 1}})
    buffer = consolidation({"overprovisioning": {"replicas": 1, "by": "capacityBuffer"}})

    assert len(pods.every(DEPLOYMENT)) == len(buffer.every(DEPLOYMENT)) + 1
    assert pods.every(BUFFER) == []
    assert gates(pods)["capacityBuffer"] is False
    assert gates(buffer)["capacityBuffer"] is True
    assert buffer.waits_for(buffer.one(BUFFER), buffer.one(POOL))


@pytest.mark.feature("C-20")
@pytest.mark.parametrize(
    ("without", "kept_by"), [((), "capacityBuffer"), (("karpenter",), "pausePods")]
)
def test_where_nothing_is_said_the_version_of_karpenter_decides(
    shipped, monkeypatch, without, kept_by
):
    monkeypatch.setitem(compatibility.CAPACITY_BUFFERS, "1.14", "stable")
    sections = {"overprovisioning": {}, "sampleWorkloads": {}} | dict.fromkeys(without)

    asked = {key: value for key, value in (shipped | sections).items() if value is not None}
    assert stack_config.parsed(asked).headroom == kept_by


@pytest.mark.feature("C-20")
def test_a_buffer_without_karpenter_is_refused(shipped):
    told = stack_config.parsed(
        shipped
        | {"karpenter": None, "overprovisioning": {"by": "capacityBuffer"}, "sampleWorkloads": {}}
    )

    assert not isinstance(told, stack_config.StackConfig)
    assert [(m.path, m.value) for m in told if m.path.startswith("overprovisioning")] == [
        ("overprovisioning.by", "capacityBuffer")
    ]


def test_a_static_pool_opens_its_gate(consolidation, with_pool):
    built = consolidation(with_pool(replicas=2, limits={"nodes": "3"}))

    assert gates(consolidation())["staticCapacity"] is False
    assert gates(built)["staticCapacity"] is True
    assert built.one(POOL).inputs["spec"]["replicas"] == 1 + 1


def gates(built):
    release = built.named(RELEASE, "karpenter")
    return release.inputs["values"]["settings"]["featureGates"]
