"""The stack file's settings of a control plane that the stack creates."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from .. import compatibility
from ..addresses import AddressRange, is_private
from ..section import Mistake, Section

RetentionDays = Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827]
"""Retention periods in days that CloudWatch Logs accepts (PutRetentionPolicy)."""

IamArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/[\w+=,.@/-]+$",
        examples=["arn:aws:iam::111122223333:role/platform-admin"],
    ),
]
LogType = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]


class EndpointConfig(Section):
    """Access to the Kubernetes API."""

    public: bool = False
    """If true, the addresses in `publicCidrs` reach the API over the internet."""
    public_cidrs: tuple[AddressRange, ...] = ()
    """Addresses that may connect over the internet; `0.0.0.0/0` allows all."""
    private: bool = True
    """If true, the API is reached from inside the VPC, and traffic of nodes and Fargate pods to it
    stays off the internet.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """The endpoint must be reachable, and a public one must list addresses."""
        if not (self.public or self.private):
            problem = "public and private are both false: set one of them to true"
            yield Mistake("private", problem, value=False)
        if self.public and not self.public_cidrs:
            yield Mistake(
                "publicCidrs",
                "public is true: list the addresses that may connect, "
                "[0.0.0.0/0] for all of the internet",
            )
        for i, addresses in enumerate(self.public_cidrs):
            if is_private(addresses):
                problem = (
                    "is a private range, from which nobody connects over the internet: give the "
                    "public addresses of your network, or drop it"
                )
                yield Mistake(f"publicCidrs[{i}]", problem, str(addresses))
        if self.public_cidrs and not self.public:
            problem = "needs public: true, or drop it"
            yield Mistake("publicCidrs", problem, ", ".join(map(str, self.public_cidrs)))


class ControlPlaneLogsConfig(Section):
    """Logs of the control plane in CloudWatch, at 0.50 to 0.70 USD per GB."""

    types: tuple[LogType, ...] = ("audit", "authenticator")
    """Kinds of logs to write; `[]` writes none."""
    retention_days: RetentionDays = 30
    """Days after which CloudWatch deletes the logs."""


class ClusterConfig(Section):
    """The EKS control plane; it costs 0.10 USD per hour, six times that in extended support."""

    name: str = Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$")
    """Name of the cluster. Tags, role names and the interruption queue contain it."""
    version: str
    """Kubernetes minor version. A higher one updates the control plane in place, one minor at a
    time.
    """
    endpoint: EndpointConfig
    """Access to the Kubernetes API."""
    admins: tuple[IamArn, ...] = Field(min_length=1)
    """IAM roles or users with full permissions in the cluster. The one that deploys must be among
    them: creating the cluster gives no permissions by itself.
    """
    support_type: Literal["STANDARD", "EXTENDED"] = "STANDARD"
    """STANDARD: EKS upgrades the cluster by itself at the end of standard support. EXTENDED: the
    version stays, and costs 0.60 USD per hour from then on.
    """
    deletion_protection: bool = True
    """If true, a destroy is refused before anything is deleted. Deleting the cluster takes two
    steps: set false and run `pulumi up`, then `pulumi destroy`.
    """
    logs: ControlPlaneLogsConfig = ControlPlaneLogsConfig()
    """Logs of the control plane, and how long they are kept."""
    kms_key_arn: str | None = Field(default=None, pattern=r"^arn:aws[a-z-]*:kms:\S+:key/\S+$")
    """KMS key that encrypts Secrets; absent means one that the stack creates, at 1 USD per month.
    The key of a cluster cannot be changed.
    """
    replace_for_kms_key: bool = False
    """If true, changing, adding or removing `kmsKeyArn` replaces the cluster with all that runs in
    it; if false, such a change is refused.
    """

    def mistakes(self) -> Iterator[Mistake]:
        """EKS must run the version, and each administrator appear once."""
        problem = compatibility.kubernetes_problem(self.version, self.support_type)
        if problem:
            yield Mistake("version", problem, self.version)
        for admin in sorted({admin for admin in self.admins if self.admins.count(admin) > 1}):
            yield Mistake("admins", "is named twice: drop one", admin)
