"""Finds and removes load balancers and target groups, of the Load Balancer Controller or
Kubernetes.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from frugal_eks.sweep.account import Account
from frugal_eks.sweep.compute import named
from frugal_eks.sweep.things import Thing

HOURLY, CLASSIC_HOURLY = 0.0225, 0.025
"""USD an hour, AWS's list prices in us-east-1, October 2026, without traffic; elsewhere up to a
third more.
"""
AT_ONCE = 20
"""Number of load balancers or target groups whose tags one call returns."""


def load_balancers(account: Account, cluster: str) -> Iterator[Thing]:
    """Application and network load balancers."""
    del cluster
    balancers = [
        balancer
        for page in account.pages("elbv2", "describe_load_balancers")
        for balancer in page["LoadBalancers"]
    ]
    tags = _tags(account, [balancer["LoadBalancerArn"] for balancer in balancers])
    for balancer in balancers:
        yield Thing(
            id=balancer["LoadBalancerArn"],
            name=balancer["LoadBalancerName"],
            tags=tags.get(balancer["LoadBalancerArn"], {}),
            cost=f"about {HOURLY} USD an hour, its traffic not counted",
        )


def remove_load_balancer(account: Account, balancer: Thing) -> None:
    """Removes a load balancer with its listeners and rules."""
    account.client("elbv2").delete_load_balancer(LoadBalancerArn=balancer.id)


def classic_load_balancers(account: Account, cluster: str) -> Iterator[Thing]:
    """Classic load balancers, which Kubernetes makes for a Service without a load balancer
    class.
    """
    del cluster
    names = [
        balancer["LoadBalancerName"]
        for page in account.pages("elb", "describe_load_balancers")
        for balancer in page["LoadBalancerDescriptions"]
    ]
    elb = account.client("elb")

    def tags(some: Sequence[str]) -> list[dict[str, Any]]:
        return elb.describe_tags(LoadBalancerNames=some)["TagDescriptions"]

    for description in _some_at_once(names, tags):
        yield Thing(
            id=description["LoadBalancerName"],
            tags=named(description["Tags"]),
            cost=f"about {CLASSIC_HOURLY} USD an hour, its traffic not counted",
        )


def remove_classic_load_balancer(account: Account, balancer: Thing) -> None:
    """Removes a classic load balancer. AWS reports success for an absent one too."""
    account.client("elb").delete_load_balancer(LoadBalancerName=balancer.id)


def target_groups(account: Account, cluster: str) -> Iterator[Thing]:
    """Target groups, of which each port of a Service or Ingress has one."""
    del cluster
    groups = [
        group
        for page in account.pages("elbv2", "describe_target_groups")
        for group in page["TargetGroups"]
    ]
    tags = _tags(account, [group["TargetGroupArn"] for group in groups])
    for group in groups:
        arn = group["TargetGroupArn"]
        yield Thing(id=arn, name=group["TargetGroupName"], tags=tags.get(arn, {}))


def remove_target_group(account: Account, group: Thing) -> None:
    """Removes a target group. AWS refuses (ResourceInUse) while a listener or rule uses it."""
    account.client("elbv2").delete_target_group(TargetGroupArn=group.id)


def _tags(account: Account, arns: Sequence[str]) -> dict[str, dict[str, str]]:
    elbv2 = account.client("elbv2")

    def tags(some: Sequence[str]) -> list[dict[str, Any]]:
        return elbv2.describe_tags(ResourceArns=some)["TagDescriptions"]

    return {
        description["ResourceArn"]: named(description["Tags"])
        for description in _some_at_once(arns, tags)
    }


def _some_at_once(
    all_of_them: Sequence[str], ask: Callable[[Sequence[str]], list[dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    for start in range(0, len(all_of_them), AT_ONCE):
        yield from ask(all_of_them[start : start + AT_ONCE])
