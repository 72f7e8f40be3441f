"""Quotas of the played account: what Service Quotas tells of them, and EC2's refusals at them.

moto knows the defaults of VPC's quotas alone, and enforces none.
"""

# pyright: basic
# moto leaves too much untyped for the strict mode.

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from moto.ec2.models import ec2_backends
from moto.servicequotas.resources.default_quotas.vpc import VPC_DEFAULT_QUOTAS

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.moto_account import MotoAccount
from rehearsal.aws.query_filters import form_of

GLOBAL_HOME = "us-east-1"
"""Region that serves the quotas of IAM (Pulumi registry, aws.servicequotas.ServiceQuota)."""
VPCS, GATEWAYS, NATS = "L-F678F1CE", "L-A4707A72", "L-FE5A380F"
ADDRESSES, SECURITY_GROUPS = "L-0263D0A3", "L-E79EC296"

# Codes and defaults: EC2 user guide ("On-Demand Instance quotas", "Spot Instance quotas", "Elastic
# IP addresses"), EKS user guide ("View and manage Amazon EKS and Fargate service quotas"), EKS best
# practices guide ("Known limits and service quotas").
DEFAULTS: Mapping[tuple[str, str], tuple[str, float]] = {
    **{
        ("vpc", str(quota["QuotaCode"])): (str(quota["QuotaName"]), float(quota["Value"]))
        for quota in VPC_DEFAULT_QUOTAS
    },
    ("ec2", ADDRESSES): ("EC2-VPC Elastic IPs", 5),
    ("ec2", "L-1216C47A"): (
        "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
        5,
    ),
    ("ec2", "L-DB2E81BA"): ("Running On-Demand G and VT instances", 0),
    ("ec2", "L-34B43A08"): ("All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests", 5),
    ("ec2", "L-3819A6DF"): ("All G and VT Spot Instance Requests", 0),
    ("eks", "L-1194D53C"): ("Clusters", 100),
    ("eks", "L-6D54EA21"): ("Managed node groups per cluster", 30),
    ("eks", "L-BD136A63"): ("Nodes per managed node group", 450),
    ("eks", "L-93A74D60"): ("Public endpoint access CIDR ranges per cluster", 40),
    ("eks", "L-33415657"): ("Fargate profiles per cluster", 10),
    ("eks", "L-D78D8AF8"): ("Selectors per Fargate profile", 5),
    ("eks", "L-23414FF3"): ("Label pairs per Fargate profile selector", 5),
    ("fargate", "L-3032A538"): ("Fargate On-Demand vCPU resource count", 6),
    ("iam", "L-858F3967"): ("OpenId connect providers per account", 100),
}
"""Name and AWS's default, by service and code."""

RAISED: Mapping[str, float] = {"L-1216C47A": 256, "L-34B43A08": 256, "L-3032A538": 64}
"""Values of the rehearsal's account beyond the defaults: it counts as one in use."""

FARGATE_USAGE = {
    "MetricNamespace": "AWS/Usage",
    "MetricName": "ResourceCount",
    "MetricDimensions": {
        "Service": "Fargate",
        "Type": "Resource",
        "Resource": "vCPU",
        "Class": "Standard/OnDemand",
    },
    "MetricStatisticRecommendation": "Maximum",
}
"""Metric of the Fargate quota (ECS developer guide, "AWS Fargate usage metrics")."""


class _Refusal(NamedTuple):
    quota: str
    count: Callable[[Any], int]
    code: str
    message: str


# facts: eip-and-vpc-quota, security-group-quotas.
_REFUSALS = {
    "AllocateAddress": _Refusal(
        ADDRESSES,
        lambda ec2: len(ec2.addresses),
        "AddressLimitExceeded",
        "The maximum number of addresses has been reached.",
    ),
    "CreateVpc": _Refusal(
        VPCS,
        lambda ec2: len(ec2.vpcs),
        "VpcLimitExceeded",
        "The maximum number of VPCs has been reached.",
    ),
    "CreateInternetGateway": _Refusal(
        GATEWAYS,
        lambda ec2: len(ec2.internet_gateways),
        "InternetGatewayLimitExceeded",
        "The maximum number of internet gateways has been reached.",
    ),
    "CreateSecurityGroup": _Refusal(
        SECURITY_GROUPS,
        lambda ec2: sum(map(len, ec2.groups.values())),
        "SecurityGroupLimitExceeded",
        "The maximum number of security groups has been reached.",
    ),
}

REFUSING = (NATS, *(refusal.quota for refusal in _REFUSALS.values()))
"""Codes of the quotas that the played EC2 enforces."""


class Quotas:
    """The quotas of one account, which a test may set: `quotas.values[code] = 2`.

    Without a value of its own the account has AWS's default, which GetServiceQuota does not tell.
    """

    def __init__(self, account: MotoAccount) -> None:
        self.account = account
        self.values: dict[str, float] = {
            **{code: value for (_, code), (_, value) in DEFAULTS.items()},
            **RAISED,
        }

    def answer(self, action: str, body: bytes, region: str) -> bytes:
        """GetServiceQuota and GetAWSDefaultServiceQuota, as JSON. Raises AwsError."""
        query = json.loads(body or b"{}")
        service, code = query.get("ServiceCode", ""), query.get("QuotaCode", "")
        known = DEFAULTS.get((service, code))
        is_own = action == "GetServiceQuota"
        if (
            known is None
            or (service == "iam" and region != GLOBAL_HOME)
            or (is_own and code not in self.values)
        ):
            raise AwsError(
                "NoSuchResourceException", "The request failed because the specified service or "
                "quota does not exist."
            )  # fmt: skip
        name, default = known
        if action not in {"GetServiceQuota", "GetAWSDefaultServiceQuota"}:
            raise AwsError("UnknownOperationException", f"servicequotas:{action} is not played")
        usage = {"UsageMetric": FARGATE_USAGE} if service == "fargate" else {}
        quota = {
            "ServiceCode": service,
            "QuotaCode": code,
            "QuotaName": name,
            "Value": float(self.values[code] if is_own else default),
            "GlobalQuota": service == "iam",
            **usage,
        }
        return json.dumps({"Quota": quota}).encode()

    def check(self, body: bytes) -> None:
        """Refuses an EC2 request that exceeds a quota. Raises AwsError."""
        form = form_of(body)
        action = next(iter(form.get("Action", [])), "")
        ec2 = ec2_backends[self.account.id][self.account.region]
        if action == "CreateNatGateway":
            self._check_nat_gateway(ec2, next(iter(form.get("SubnetId", [])), ""))
        refusal = _REFUSALS.get(action)
        if refusal and refusal.count(ec2) >= self.values[refusal.quota]:
            raise AwsError(refusal.code, refusal.message)

    def _check_nat_gateway(self, ec2: Any, subnet_id: str) -> None:
        def zone_of(of: str) -> str:
            subnet = self.account.subnet(of)
            return subnet.availability_zone if subnet else ""

        in_zone = [
            gateway
            for gateway in ec2.nat_gateways.values()
            if gateway.state in {"pending", "available", "deleting"}
            and zone_of(gateway.subnet_id) == zone_of(subnet_id)
        ]
        if len(in_zone) >= self.values[NATS]:
            most = f"{self.values[NATS]:g}"
            raise AwsError(
                "NatGatewayLimitExceeded",
                f"Performing this operation would exceed the limit of {most} NAT gateways",
            )
