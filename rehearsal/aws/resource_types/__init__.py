"""The table of AWS types: what each Pulumi type is in AWS requests.

A page is a file of a service; a resource type is one `ResourceType` on it, named in its PAGE.
"""

from rehearsal.aws.resource_types import (
    autoscaling,
    autoscaling_hooks,
    cloudwatch,
    ec2_compute,
    ec2_endpoints,
    ec2_gateways,
    ec2_instances,
    ec2_interfaces,
    ec2_routes,
    ec2_security_groups,
    ec2_security_rules,
    ec2_vpc,
    efs,
    eks_access,
    eks_cluster,
    eks_compute,
    encryption,
    iam,
    iam_profiles,
    sqs,
)
from rehearsal.aws.resource_types.entry import ResourceType

PAGES = (
    ec2_vpc,
    ec2_gateways,
    ec2_routes,
    ec2_endpoints,
    ec2_security_groups,
    ec2_security_rules,
    ec2_compute,
    ec2_instances,
    ec2_interfaces,
    autoscaling,
    autoscaling_hooks,
    efs,
    iam,
    iam_profiles,
    encryption,
    cloudwatch,
    sqs,
    eks_cluster,
    eks_access,
    eks_compute,
)
TYPES: dict[str, ResourceType] = {kind.token: kind for page in PAGES for kind in page.PAGE}
