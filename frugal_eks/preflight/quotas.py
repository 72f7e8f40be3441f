"""Quotas that a stack can reach, by their codes in Service Quotas."""

import datetime
from collections.abc import Mapping
from typing import Any, NamedTuple

from frugal_eks.preflight.account import Account
from frugal_eks.preflight.findings import Finding, fails, ok

NO_SUCH = ("NoSuchResourceException",)
GLOBAL_HOME = {"aws": "us-east-1", "aws-us-gov": "us-gov-west-1"}
"""Only region, by partition, that serves quotas of global services such as IAM (Pulumi registry,
aws.servicequotas.ServiceQuota).
"""


class Quota(NamedTuple):
    """A quota as Service Quotas identifies it."""

    service: str
    code: str
    name: str


# Amazon VPC user guide, "Amazon VPC quotas"; EC2 user guide, "Elastic IP addresses".
VPCS = Quota("vpc", "L-F678F1CE", "VPCs per Region")
INTERNET_GATEWAYS = Quota("vpc", "L-A4707A72", "Internet gateways per Region")
NAT_GATEWAYS = Quota("vpc", "L-FE5A380F", "NAT gateways per Availability Zone")
ADDRESSES = Quota("ec2", "L-0263D0A3", "EC2-VPC Elastic IPs")
GATEWAY_ENDPOINTS = Quota("vpc", "L-1B52E74A", "Gateway VPC endpoints per Region")
INTERFACE_ENDPOINTS = Quota("vpc", "L-29B6F2EB", "Interface VPC endpoints per VPC")
SECURITY_GROUPS = Quota("vpc", "L-E79EC296", "VPC security groups per Region")
SECURITY_GROUP_RULES = Quota("vpc", "L-0EA8095F", "Inbound or outbound rules per security group")

# EKS user guide, "View and manage Amazon EKS and Fargate service quotas".
CLUSTERS = Quota("eks", "L-1194D53C", "Clusters")
NODE_GROUPS = Quota("eks", "L-6D54EA21", "Managed node groups per cluster")
NODES = Quota("eks", "L-BD136A63", "Nodes per managed node group")
PUBLIC_RANGES = Quota("eks", "L-93A74D60", "Public endpoint access CIDR ranges per cluster")
FARGATE_PROFILES = Quota("eks", "L-33415657", "Fargate profiles per cluster")
FARGATE_SELECTORS = Quota("eks", "L-D78D8AF8", "Selectors per Fargate profile")
FARGATE_LABELS = Quota("eks", "L-23414FF3", "Label pairs per Fargate profile selector")
FARGATE_VCPUS = Quota("fargate", "L-3032A538", "Fargate On-Demand vCPU resource count")

# EKS best practices guide, "Known limits and service quotas".
OIDC_PROVIDERS = Quota("iam", "L-858F3967", "OpenId connect providers per account")

STANDARD = "standard"
ON_DEMAND: Mapping[str, Quota] = {
    STANDARD: Quota("ec2", "L-1216C47A", "Running On-Demand Standard instances"),
    "dl": Quota("ec2", "L-6E869C2A", "Running On-Demand DL instances"),
    "f": Quota("ec2", "L-74FC7D96", "Running On-Demand F instances"),
    "g": Quota("ec2", "L-DB2E81BA", "Running On-Demand G and VT instances"),
    "hpc": Quota("ec2", "L-F7808C92", "Running On-Demand HPC instances"),
    "inf": Quota("ec2", "L-1945791B", "Running On-Demand Inf instances"),
    "p": Quota("ec2", "L-417A185B", "Running On-Demand P instances"),
    "trn": Quota("ec2", "L-2C3B7624", "Running On-Demand Trn instances"),
    "u": Quota("ec2", "L-43DA4232", "Running On-Demand High Memory instances"),
    "x": Quota("ec2", "L-7295265B", "Running On-Demand X instances"),
}
"""Quotas of on-demand vCPUs by family (EC2 user guide, "On-Demand Instance quotas")."""
SPOT: Mapping[str, Quota] = {
    STANDARD: Quota("ec2", "L-34B43A08", "All Standard Spot Instance Requests"),
    "dl": Quota("ec2", "L-85EED4F7", "All DL Spot Instance Requests"),
    "f": Quota("ec2", "L-88CF9481", "All F Spot Instance Requests"),
    "g": Quota("ec2", "L-3819A6DF", "All G and VT Spot Instance Requests"),
    "inf": Quota("ec2", "L-B5D1601B", "All Inf Spot Instance Requests"),
    "p": Quota("ec2", "L-7212CCBC", "All P Spot Instance Requests"),
    "trn": Quota("ec2", "L-6B0D517C", "All Trn Spot Instance Requests"),
    "x": Quota("ec2", "L-E3A00192", "All X Spot Instance Requests"),
}
"""Quotas of spot vCPUs by family (EC2 user guide, "Spot Instance quotas")."""


class Limit(NamedTuple):
    """Value of a quota in the account."""

    value: float
    region: str
    """Region in which Service Quotas shows and raises it."""
    metric: Mapping[str, Any]
    """CloudWatch metric of its use; empty if there is none."""


def limit(account: Account, quota: Quota) -> Limit:
    """The account's value of a quota, or AWS's default. Raises NotReadError."""
    query = {"ServiceCode": quota.service, "QuotaCode": quota.code}
    answer = account.find(NO_SUCH, "service-quotas", "get_service_quota", **query)
    if answer is None:
        answer = account.ask("service-quotas", "get_aws_default_service_quota", **query)
    quota_data = answer["Quota"]
    return Limit(quota_data["Value"], account.region, quota_data.get("UsageMetric", {}))


def metered(account: Account, metric: Mapping[str, Any], now: datetime.datetime) -> float | None:
    """Latest use of a quota in CloudWatch, at most one hour old; None if there is none."""
    if not metric:
        return None
    points = account.ask(
        "cloudwatch",
        "get_metric_statistics",
        Namespace=metric["MetricNamespace"],
        MetricName=metric["MetricName"],
        Dimensions=[{"Name": k, "Value": v} for k, v in metric["MetricDimensions"].items()],
        StartTime=now - datetime.timedelta(hours=1),
        EndTime=now,
        Period=300,
        Statistics=["Maximum"],
    )["Datapoints"]
    if not points:
        return None
    return max(points, key=lambda point: point["Timestamp"])["Maximum"]


def compared(check: str, quota: Quota, allowed: Limit, used: float, needed: float) -> Finding:
    """Compares the need with what is free of a quota."""
    usage = f"{used:g} of {allowed.value:g} in use, the stack needs {needed:g}"
    if used + needed <= allowed.value:
        return ok(check, usage)
    return fails(check, usage, raised(quota, allowed, used + needed))


def raised(quota: Quota, allowed: Limit, wanted: float) -> str:
    """Remedy for a quota that is too small."""
    return (
        f"free some, or ask AWS for {wanted:g}: aws service-quotas request-service-quota-increase "
        f"--region {allowed.region} --service-code {quota.service} --quota-code {quota.code} "
        f"--desired-value {wanted:g}"
    )
