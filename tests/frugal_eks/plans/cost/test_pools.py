"""Karpenter's pools: from nothing, by what pods need, up to their limits."""

import pytest

POOL, CLASS = (
    "kubernetes:karpenter.sh/v1:NodePool",
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
)
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
HOURS = 730
TYPES = ["c5.xlarge", "c5n.xlarge", "m5.xlarge", "r5.xlarge"]  # 0.16, 0.20, 0.20, 0.25
VOLUME = 20 * 0.10


@pytest.fixture
def pool(resource):
    def made(name="default", *, types=TYPES, capacity=("on-demand",), labels=None, **more):
        asked = {"node.kubernetes.io/instance-type": types, "karpenter.sh/capacity-type": capacity}
        template = {
            "metadata": {"labels": labels or {}},
            "spec": {
                "nodeClassRef": {"name": "default"},
                "requirements": [
                    {"key": key, "operator": "In", "values": list(values)}
                    for key, values in asked.items()
                ],
                "taints": more.pop("taints", []),
            },
        }
        return resource(POOL, name, {"spec": {"template": template, **more}})

    return made


@pytest.fixture
def pods(resource):
    def made(replicas=1, cpu="1", memory="1Gi", selector=None, name="web"):
        container = {"resources": {"requests": {"cpu": cpu, "memory": memory}}}
        pod = {"containers": [container], "nodeSelector": selector or {}}
        spec = {"replicas": replicas, "template": {"spec": pod}}
        return resource(DEPLOYMENT, name, {"metadata": {"name": name}, "spec": spec})

    return made


@pytest.fixture
def expected_of(pool, pods, estimated):
    """What one pod with a node selector is expected to cost on a pool of such nodes."""
    return lambda nodes, selector: estimated(pool(**nodes), pods(selector=selector)).total.expected


def ends(found, at=0):
    (each, *_) = [line for line in found.lines if line.kind == "Karpenter's nodes"][at:]
    return pytest.approx((each.monthly.low, each.monthly.expected, each.monthly.high), abs=0.005)


def node(usd, count=1):
    return count * (usd * HOURS + VOLUME)


@pytest.mark.feature("C-14")
def test_a_pool_without_limits_has_no_most_and_neither_has_the_sum(pool, estimated):
    found = estimated(pool())

    assert found.total.high is None
    assert [line.name for line in found.unlimited] == ["default"]
    assert "no limits, so there is no most" in found.lines[0].note
    assert estimated(pool(limits={"cpu": "8"})).total.high is not None


@pytest.mark.parametrize(
    ("limits", "count", "usd"),
    [
        ({"cpu": "8"}, 2, 0.25),  # two of 4 vCPU; the dearest is r5
        ({"cpu": "11"}, 2, 0.25),
        ({"cpu": "3"}, 0, 0.25),
        # 32 GiB: c5 has 8, of which 7.4 count, so 4 of them; m5 2, r5 1. The dearest is c5's 4.
        ({"memory": "32Gi"}, 4, 0.16),
        ({"cpu": "8", "memory": "32Gi"}, 2, 0.20),  # m5: 2; c5: 2 for 0.16; r5: 1
        ({"nodes": 3}, 3, 0.25),
    ],
)
def test_the_most_is_the_dearest_sensible_way_to_the_limits(pool, estimated, limits, count, usd):
    assert ends(estimated(pool(limits=limits))) == (0, 0, node(usd, count))


def test_what_costs_more_than_something_as_large_is_not_sensible(pool, estimated):
    """c5n.xlarge has 10.5 GiB for 0.20, m5.xlarge 16 for as much."""
    both = estimated(pool(types=["c5n.xlarge", "m5.xlarge"], limits={"memory": "30Gi"}))
    alone = estimated(pool(types=["c5n.xlarge"], limits={"memory": "30Gi"}))

    assert ends(both) == (0, 0, node(0.20, 2))
    assert ends(alone) == (0, 0, node(0.20, 3))


def test_pods_that_are_stated_are_expected_on_the_cheapest_nodes_that_hold_them(
    pool, pods, estimated
):
    found = estimated(pool(limits={"cpu": "100"}), pods(replicas=3))

    # 3 vCPU of 4, of which 0.3 are the node's own.
    assert ends(found) == (0, node(0.16), node(0.25, 25))
    assert found.lines[-1].note.startswith("1 x c5.xlarge on demand for 3 x web; ")
    # 4 vCPU need two; 12 GiB in one pod need m5.
    assert estimated(pool(), pods(replicas=4)).total.expected == pytest.approx(node(0.16, 2))
    assert estimated(pool(), pods(memory="12Gi")).total.expected == pytest.approx(node(0.20))


def test_room_that_is_kept_by_a_capacity_buffer_costs_as_if_pods_filled_it(
    pool, resource, estimated
):
    named = {"name": "room", "namespace": "pause"}
    asked = {"requests": {"cpu": "3", "memory": "1Gi"}}
    template = resource(
        "kubernetes:core/v1:PodTemplate",
        inputs={"metadata": named, "template": {"spec": {"containers": [{"resources": asked}]}}},
    )
    buffer = resource(
        "kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer",
        inputs={
            "metadata": named,
            "spec": {"podTemplateRef": {"name": "room"}, "replicas": 2},
        },
    )

    assert estimated(pool(), template, buffer).total.expected == pytest.approx(node(0.16, 2))
    assert estimated(pool(), buffer).total.expected == 0


def test_a_pod_that_no_type_holds_is_named(pool, pods, estimated):
    found = estimated(pool(), pods(cpu="16"))

    assert [each.what for each in found.unknown] == ["a type that holds a pod of 1 x web"]


def test_spot_is_expected_where_the_pool_allows_it_and_the_most_is_on_demand(pool, pods, estimated):
    found = estimated(pool(capacity=("spot", "on-demand"), limits={"cpu": "8"}), pods())

    assert ends(found) == (0, node(0.08), node(0.25, 2))  # half of 0.16
    assert "c5.xlarge spot, price reckoned" in found.lines[-1].note


CAPACITY = "karpenter.sh/capacity-type"


@pytest.mark.parametrize(
    ("nodes", "selector", "counted"),
    [
        ({}, {}, True),
        ({"labels": {"intent": "apps"}}, {"intent": "apps"}, True),
        ({}, {"intent": "apps"}, False),
        ({"taints": [{"key": "dedicated", "effect": "NoSchedule"}]}, {}, False),
        ({}, {CAPACITY: "on-demand"}, True),
        ({}, {CAPACITY: "spot"}, False),
    ],
)
def test_pods_count_where_they_can_run(expected_of, nodes, selector, counted):
    assert expected_of(nodes, selector) == pytest.approx(node(0.16) if counted else 0)


def test_beside_groups_only_pods_that_ask_for_the_pool_count(pool, pods, resource, estimated):
    group = resource(
        "aws:eks/nodeGroup:NodeGroup",
        inputs={"instanceTypes": ["m5.large"], "scalingConfig": {"minSize": 1, "maxSize": 1}},
    )
    apps = pool(labels={"intent": "apps"})

    assert estimated(group, apps, pods()).by_kind["Karpenter's nodes"].expected == 0
    asked = estimated(group, apps, pods(selector={"intent": "apps"}))
    assert asked.by_kind["Karpenter's nodes"].expected == pytest.approx(node(0.16))


def test_a_static_pool_keeps_its_nodes(pool, estimated):
    found = estimated(pool(replicas=2, limits={"nodes": 3}))

    assert ends(found) == (node(0.16, 2), node(0.16, 2), node(0.25, 3))


def test_nodes_have_the_volumes_of_their_class(pool, resource, pods, estimated):
    ebs = {"volumeSize": "100Gi", "volumeType": "gp3"}
    spec = {"blockDeviceMappings": [{"ebs": ebs}]}
    own = resource(CLASS, inputs={"metadata": {"name": "default"}, "spec": spec})

    found = estimated(pool(), own, pods())

    assert found.total.expected == pytest.approx(0.16 * HOURS + 100 * 0.10)


def test_a_type_without_a_price_is_left_out_of_the_most_and_that_is_said(pool, estimated):
    found = estimated(pool(types=["c5.xlarge", "m5.24xlarge"], limits={"cpu": "100"}))

    assert found.lines[0].note.endswith(
        "without m5.24xlarge, whose prices in eu-west-1 are not known"
    )
    nothing = estimated(pool(types=["m5.24xlarge"]))
    assert nothing.lines == ()
    assert [each.what for each in nothing.unknown] == [
        "the price of every type that fits, in eu-west-1"
    ]


def test_a_region_that_ec2_was_not_asked_of_is_named(pool, estimated, prices_in):
    folder = prices_in(region="xx-west-1")

    found = estimated(pool(), folder=folder, region="xx-west-1")

    assert [each.what for each in found.unknown] == ["which instance types EC2 offers in xx-west-1"]
