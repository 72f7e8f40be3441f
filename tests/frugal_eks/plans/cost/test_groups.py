"""Groups of nodes: how many, at which price, with which volumes."""

import pytest

MANAGED, GROUP = "aws:eks/nodeGroup:NodeGroup", "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
HOURS = 730
THREE = ["m5.large", "m5a.large", "m5n.large"]  # 0.10, 0.08, 0.12; spot 0.04, 0.03, half of 0.12


def ends(amount):
    return amount.low, amount.expected, amount.high


def usd(*hourly):
    return pytest.approx([each * HOURS for each in hourly])


@pytest.fixture
def managed(resource):
    def made(capacity="ON_DEMAND", types=THREE, **more):
        sizes = {"minSize": 1, "desiredSize": 2, "maxSize": 4}
        inputs = {"capacityType": capacity, "instanceTypes": types, "scalingConfig": sizes}
        return resource(MANAGED, "base", inputs | more.pop("inputs", {}), **more)

    return made


@pytest.fixture
def spread(resource):
    """A group of Auto Scaling with a mixed policy."""

    def made(overrides=None, sizes=(1, 2, 4), **distribution):
        low, wanted, high = sizes
        policy = {
            "instancesDistribution": distribution,
            "launchTemplate": {"overrides": overrides or [{"instanceType": t} for t in THREE]},
        }
        inputs = {"minSize": low, "maxSize": high, "mixedInstancesPolicy": policy}
        return resource(
            GROUP, "spot", inputs | ({} if wanted is None else {"desiredCapacity": wanted})
        )

    return made


def test_on_demand_eks_takes_the_first_type_and_others_where_it_must(managed, estimated):
    found = estimated(managed())

    # The cheapest of the three, the first, the dearest.
    assert ends(found.by_kind["nodes on demand"]) == usd(1 * 0.08, 2 * 0.10, 4 * 0.12)
    assert found.lines[0].what == "1 to 4 nodes, 2 expected, 3 types on demand"


def test_spot_is_reckoned_at_spot_prices_and_ends_at_those_on_demand(managed, estimated):
    found = estimated(managed("SPOT"))

    mean = (0.04 + 0.03 + 0.06) / 3
    assert ends(found.by_kind["spot nodes"]) == usd(1 * 0.03, 2 * mean, 4 * 0.12)
    note = next(line.note for line in found.lines if line.kind == "spot nodes")
    # The same two nodes on demand, at the mean of 0.10, 0.08 and 0.12.
    assert note == "the same on demand: 146.00; at most on demand; spot prices reckoned"


def test_a_mixed_group_has_its_base_and_its_share_on_demand(spread, estimated):
    found = estimated(spread(onDemandBaseCapacity=1, onDemandPercentageAboveBaseCapacity=50))

    mean = (0.04 + 0.03 + 0.06) / 3
    (line,) = [each for each in found.lines if each.kind == "spot nodes"]
    assert line.what == "1 to 4 nodes, 2 expected, 3 types, 1.5 of 2 on demand"
    # On demand Auto Scaling takes the cheapest unless it is told otherwise.
    assert ends(line.monthly) == usd(0.08, 1.5 * 0.08 + 0.5 * mean, 4 * 0.12)


def test_without_another_word_a_mixed_group_is_on_demand(spread, estimated):
    assert ends(estimated(spread()).by_kind["nodes on demand"]) == usd(0.08, 0.16, 0.48)
    first = estimated(spread(onDemandAllocationStrategy="prioritized"))
    assert first.by_kind["nodes on demand"].expected == pytest.approx(2 * 0.10 * HOURS)


def test_a_group_without_a_wish_starts_at_its_minimum(spread, estimated):
    found = estimated(spread(sizes=(3, None, 4)))

    assert found.by_kind["nodes on demand"].expected == pytest.approx(3 * 0.08 * HOURS)


def test_types_by_what_they_have_end_at_the_dearest_that_somebody_would_buy(spread, estimated):
    asked = {"vcpuCount": {"min": 4, "max": 4}, "memoryMib": {"min": 8192, "max": 16384}}
    found = estimated(
        spread([{"instanceRequirements": asked}], onDemandPercentageAboveBaseCapacity=0)
    )

    # c5.xlarge 0.16 with 8 GiB, m5.xlarge 0.20 with 16; c5d.xlarge 0.30 is no larger than they.
    assert found.by_kind["spot nodes"].low == pytest.approx(0.08 * HOURS)
    assert found.by_kind["spot nodes"].high == pytest.approx(4 * 0.20 * HOURS)
    left_out = asked | {"excludedInstanceTypes": ["m5.xlarge"]}
    without = estimated(spread([{"instanceRequirements": left_out}]))
    assert without.by_kind["nodes on demand"].low == pytest.approx(0.16 * HOURS)


def test_a_type_without_a_price_is_named_and_the_others_still_count(managed, estimated):
    found = estimated(managed(types=["m5.large", "x9z.large"]))

    assert [each.what for each in found.unknown] == [
        "the price of x9z.large on demand in eu-west-1"
    ]
    assert found.by_kind["nodes on demand"].expected == pytest.approx(2 * 0.10 * HOURS)
    nothing = estimated(managed(types=["x9z.large"]))
    assert list(nothing.by_kind) == ["volumes"]
    assert len(nothing.unknown) == 1


def test_each_node_has_the_volumes_of_its_launch_template(managed, resource, estimated):
    disk = {"ebs": {"volumeSize": 50, "volumeType": "gp3"}}
    template = resource(TEMPLATE, inputs={"blockDeviceMappings": [disk, disk]})

    found = estimated(template, managed(dependencies=(template.urn,)))

    assert ends(found.by_kind["volumes"]) == pytest.approx((10, 20, 40))
    own = estimated(managed(inputs={"diskSize": 80}))
    assert ends(own.by_kind["volumes"]) == pytest.approx((8, 16, 32))
    usual = estimated(managed())
    assert ends(usual.by_kind["volumes"]) == pytest.approx((2, 4, 8))


def test_a_template_is_found_beside_its_group_where_nothing_is_known_yet(
    managed, resource, estimated
):
    disk = {"ebs": {"volumeSize": 50, "volumeType": "gp2"}}
    beside = resource(TEMPLATE, inputs={"blockDeviceMappings": [disk]}, parent="urn:one")
    other = resource(TEMPLATE, inputs={"blockDeviceMappings": []}, parent="urn:other")

    found = estimated(beside, other, managed(parent="urn:one"))

    assert found.by_kind["volumes"].expected == pytest.approx(2 * 50 * 0.11)


@pytest.mark.parametrize(
    "volume",
    [
        {"volumeType": "io2"},
        {"volumeType": "gp3", "iops": 6000},
        {"volumeType": "gp3", "throughput": "250"},
    ],
)
def test_a_volume_whose_price_is_not_known_is_named(resource, managed, estimated, volume):
    template = resource(TEMPLATE, inputs={"blockDeviceMappings": [{"ebs": volume}]})

    found = estimated(template, managed(dependencies=(template.urn,)))

    assert "volumes" not in found.by_kind
    assert "volume" in found.unknown[0].what


def test_single_instances_and_volumes(resource, estimated):
    root = {"volumeSize": 8, "volumeType": "gp3"}
    host = resource(
        "aws:ec2/instance:Instance", inputs={"instanceType": "t4g.nano", "rootBlockDevice": root}
    )
    disk = resource("aws:ebs/volume:Volume", inputs={"type": "gp3", "size": 100})

    found = estimated(host, disk)

    assert found.by_kind["nodes on demand"].expected == pytest.approx(0.004 * HOURS)
    assert found.by_kind["volumes"].expected == pytest.approx(0.8 + 10)
