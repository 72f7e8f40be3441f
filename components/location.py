"""Where a stack is deployed: partition, region and account, as every ARN spells them."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Location:
    """Known before anything is declared, so that names and policies show in the first preview."""

    region: str
    """For example `eu-west-1`."""
    account: str
    """Twelve digits."""

    @property
    def partition(self) -> str:
        """`aws`, `aws-cn` or `aws-us-gov`: the region's prefix says it (ARN format of AWS)."""
        if self.region.startswith("cn-"):
            return "aws-cn"
        return "aws-us-gov" if self.region.startswith("us-gov-") else "aws"

    @property
    def dns_suffix(self) -> str:
        """What `AWS::URLSuffix` is in CloudFormation: the end of service principals like EC2's."""
        return "amazonaws.com.cn" if self.partition == "aws-cn" else "amazonaws.com"

    def managed_policy(self, name: str) -> str:
        """The ARN of a policy that AWS owns, by its name with its path."""
        return f"arn:{self.partition}:iam::aws:policy/{name}"

    def arn(self, service: str, resource: str) -> str:
        """The ARN of something regional in this account."""
        return f"arn:{self.partition}:{service}:{self.region}:{self.account}:{resource}"

    def iam_arn(self, resource: str) -> str:
        """The ARN of something in this account's IAM, which has no region."""
        return f"arn:{self.partition}:iam::{self.account}:{resource}"
