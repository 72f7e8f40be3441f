"""Partition, region and account of a stack, as ARNs spell them."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Location:
    """Account and region of a stack, known in advance, so that names and policies show in the first
    preview.
    """

    region: str
    """AWS region, for example `eu-west-1`."""
    account: str
    """Account id of twelve digits."""

    @property
    def partition(self) -> str:
        """`aws`, `aws-cn` or `aws-us-gov`, by the region's prefix (ARN format of AWS)."""
        if self.region.startswith("cn-"):
            return "aws-cn"
        return "aws-us-gov" if self.region.startswith("us-gov-") else "aws"

    @property
    def dns_suffix(self) -> str:
        """The suffix of service principals like EC2's; CloudFormation's `AWS::URLSuffix`."""
        return "amazonaws.com.cn" if self.partition == "aws-cn" else "amazonaws.com"

    def managed_policy(self, name: str) -> str:
        """ARN of a policy that AWS owns, by its name with its path."""
        return f"arn:{self.partition}:iam::aws:policy/{name}"

    def arn(self, service: str, resource: str) -> str:
        """ARN of a regional resource in this account."""
        return f"arn:{self.partition}:{service}:{self.region}:{self.account}:{resource}"

    def iam_arn(self, resource: str) -> str:
        """ARN of an IAM resource in this account, which has no region."""
        return f"arn:{self.partition}:iam::{self.account}:{resource}"
