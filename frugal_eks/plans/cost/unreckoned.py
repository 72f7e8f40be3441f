"""AWS resources that no estimator knows: they are named, since most AWS resources cost money."""

from collections.abc import Iterator

from frugal_eks.plans.cost.assumptions import Assumptions
from frugal_eks.plans.cost.groups import AUTO_SCALING, INSTANCE, MANAGED, VOLUME
from frugal_eks.plans.cost.lines import Line, Unknown
from frugal_eks.plans.cost.prices import Prices
from frugal_eks.plans.cost.program import Program
from frugal_eks.plans.cost.services import RECKONED
from frugal_eks.plans.cost.workloads import ADDON
from frugal_eks.plans.previews import Resource

PACKAGES = ("aws:", "aws-native:")
SHOWN = 3
"""Number of names that are shown; others are only counted."""

FREE = frozenset(
    f"aws:{each}"
    for each in (
        "autoscaling/lifecycleHook:LifecycleHook",
        "autoscaling/policy:Policy",
        "autoscaling/tag:Tag",
        "cloudwatch/eventRule:EventRule",  # events of AWS's own services are free
        "cloudwatch/eventTarget:EventTarget",
        "ec2/eipAssociation:EipAssociation",
        "ec2/internetGateway:InternetGateway",
        "ec2/launchTemplate:LaunchTemplate",
        "ec2/networkInterface:NetworkInterface",
        "ec2/route:Route",
        "ec2/routeTable:RouteTable",
        "ec2/routeTableAssociation:RouteTableAssociation",
        "ec2/securityGroup:SecurityGroup",
        "ec2/securityGroupRule:SecurityGroupRule",
        "ec2/subnet:Subnet",
        "ec2/tag:Tag",
        "ec2/vpc:Vpc",
        "efs/mountTarget:MountTarget",
        "eks/accessEntry:AccessEntry",
        "eks/accessPolicyAssociation:AccessPolicyAssociation",
        "eks/fargateProfile:FargateProfile",
        "eks/podIdentityAssociation:PodIdentityAssociation",
        "kms/alias:Alias",
        "route53/record:Record",
        "sqs/queue:Queue",  # the first million requests a month are free
        "sqs/queuePolicy:QueuePolicy",
        "vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        "vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    )
)
"""Types that cost nothing by themselves."""
FREE_SERVICES = ("aws:iam/",)
_ELSEWHERE = frozenset({MANAGED, AUTO_SCALING, INSTANCE, VOLUME, ADDON})


def unreckoned(
    program: Program, prices: Prices, assumptions: Assumptions
) -> Iterator[Line | Unknown]:
    """Yields one unknown for each type."""
    del prices, assumptions
    by_type: dict[str, list[Resource]] = {}
    for each in program.resources:
        if each.is_thing and not is_known(each.type):
            by_type.setdefault(each.type, []).append(each)
    for kind, resources in by_type.items():
        names = ", ".join(each.name for each in resources[:SHOWN])
        more = f" and {len(resources) - SHOWN} more" if len(resources) > SHOWN else ""
        component = program.component(resources[0])
        yield Unknown(component, f"{names}{more}", f"what {kind} costs, which is not reckoned here")


def is_known(kind: str) -> bool:
    """True if a type is estimated, free, or not of AWS."""
    return (
        not kind.startswith(PACKAGES)
        or kind in FREE | RECKONED | _ELSEWHERE
        or kind.startswith(FREE_SERVICES)
    )
