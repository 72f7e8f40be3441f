"""Checks in a preview whether the stack's existing subnets are where its file would put them.

AWS refuses a subnet whose range overlaps another one's (InvalidSubnet.Conflict), and the engine
creates a replacement before it deletes the old resource: a subnet that has to move cannot, and the
update would stop half-way.
"""

from collections.abc import Iterator, Mapping

import pulumi
import pulumi_aws as aws

from .config import MAX_ZONES, MIN_ZONES, NewNetworkConfig
from .subnets import SubnetPlan, subnet_plan

_ZONE_LETTERS = "abcdefgh"


def check_layout(
    config: NewNetworkConfig, cluster: str, opts: pulumi.InvokeOutputOptions
) -> pulumi.Output[None]:
    """Looks for subnets of the cluster whose ranges come from another layout, or that are in
    another zone than the file names for them.

    The output resolves to None if there are none. Else it raises RunError, which Pulumi prints
    without a traceback.
    """
    layouts = {
        planned: _subnets(f"{cluster}-public-1", {"cidr-block": [str(plan.public[0])]}, opts)
        for planned, plan in _other_plans(config)
    }
    zones: dict[str, pulumi.Output[list[str]]] = {}
    if not isinstance(config.availability_zones, int):
        plan = subnet_plan(config.cidr, config.zones, config.zones_of_cluster)
        for number, (zone, block) in enumerate(
            zip(config.availability_zones, plan.private, strict=True), start=1
        ):
            others = [zone[:-1] + letter for letter in _ZONE_LETTERS if letter != zone[-1]]
            filters = {"cidr-block": [str(block)], "availability-zone": others}
            zones[zone] = _subnets(f"{cluster}-private-{number}", filters, opts)
    return pulumi.Output.all(
        pulumi.Output.from_input({str(planned): ids for planned, ids in layouts.items()}),
        pulumi.Output.from_input(zones),
    ).apply(lambda subnets: _refuse(config, subnets[0], subnets[1]))


def _refuse(
    config: NewNetworkConfig, layouts: Mapping[str, list[str]], zones: Mapping[str, list[str]]
) -> None:
    for planned, subnets in layouts.items():
        if subnets:
            remedy = f"so set network.zonesAtCreation: {planned}"
            if int(planned) > config.zones:
                remedy = f"nor the control plane leave a zone, so have {planned} zones at least"
            raise pulumi.RunError(
                f"network.availabilityZones: subnet {', '.join(subnets)} has its place from a "
                f"network of {planned} zones, and the file plans for {config.zones_of_cluster}: "
                f"subnets of a living network cannot move, {remedy}. Where the subnet is left over "
                "from an earlier cluster of this name, remove it with `./frugal-eks sweep`"
            )
    for zone, subnets in zones.items():
        if subnets:
            raise pulumi.RunError(
                f"network.availabilityZones: subnet {', '.join(subnets)} lies in another zone, and "
                f"its place in the list has {zone} now: a subnet cannot change its zone, so keep "
                "the order, and add or drop zones at the end only"
            )


def _other_plans(config: NewNetworkConfig) -> Iterator[tuple[int, SubnetPlan]]:
    """Subnet plans for all other numbers of zones for which the network is large enough."""
    for planned in range(MIN_ZONES, MAX_ZONES + 1):
        if planned != config.zones_of_cluster:
            try:
                yield planned, subnet_plan(config.cidr, planned)
            except ValueError:
                continue


def _subnets(
    name: str, filters: Mapping[str, list[str]], opts: pulumi.InvokeOutputOptions
) -> pulumi.Output[list[str]]:
    """Ids of the subnets with this Name tag that match all filters."""
    matching = aws.ec2.get_subnets_output(
        filters=[
            {"name": key, "values": values}
            for key, values in {"tag:Name": [name], **filters}.items()
        ],
        opts=opts,
    )
    return matching.ids.apply(list)
