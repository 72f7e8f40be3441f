"""What a stack file may say of the control plane that it makes."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from .. import compatibility
from ..addresses import AddressRange
from ..section import Mistake, Section

RetentionDays = Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827]
"""Days that CloudWatch Logs knows (PutRetentionPolicy)."""

IamArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/[\w+=,.@/-]+$",
        examples=["arn:aws:iam::111122223333:role/platform-admin"],
    ),
]
LogType = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]


class EndpointConfig(Section):
    """From where the Kubernetes API can be reached."""

    public: bool = False
    """From the internet, by the addresses in `publicCidrs`."""
    public_cidrs: tuple[AddressRange, ...] = ()
    """Who may connect from the internet; `0.0.0.0/0` is everybody."""
    private: bool = True
    """From inside the VPC; nodes and Fargate pods then stay off the internet for it."""

    def mistakes(self) -> Iterator[Mistake]:
        """The endpoint can be reached, and a public one says by whom."""
        if not (self.public or self.private):
            problem = "public and private are both false: set one of them to true"
            yield Mistake("private", problem, value=False)
        if self.public and not self.public_cidrs:
            yield Mistake(
                "publicCidrs",
                "public is true: list the addresses that may connect, "
                "[0.0.0.0/0] for all of the internet",
            )
        if self.public_cidrs and not self.public:
            problem = "needs public: true, or drop it"
            yield Mistake("publicCidrs", problem, ", ".join(map(str, self.public_cidrs)))


class ControlPlaneLogsConfig(Section):
    """What the control plane logs to CloudWatch, at 0.50 to 0.70 USD a GB."""

    types: tuple[LogType, ...] = ("audit", "authenticator")
    """Which of its logs; none at all: `[]`."""
    retention_days: RetentionDays = 30
    """After so many days CloudWatch deletes them."""


class ClusterConfig(Section):
    """The control plane; 0.10 USD an hour, six times that in extended support."""

    name: str = Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$")
    """Known in advance, since tags, role names and the interruption queue carry it."""
    version: str
    """The Kubernetes minor version; raising it updates the control plane in place, one minor at a
    time."""
    endpoint: EndpointConfig
    """From where the Kubernetes API can be reached."""
    admins: tuple[IamArn, ...] = Field(min_length=1)
    """Roles or users with full rights in the cluster. The one that deploys must be among them:
    whoever creates the cluster gets no rights by that alone."""
    support_type: Literal["STANDARD", "EXTENDED"] = "STANDARD"
    """STANDARD: EKS upgrades by itself at the end of standard support. EXTENDED: it stays, and
    costs 0.60 USD an hour from then on."""
    deletion_protection: bool = True
    """A destroy is refused before anything is deleted. It takes two steps: false, `pulumi up`,
    then `pulumi destroy`."""
    logs: ControlPlaneLogsConfig = ControlPlaneLogsConfig()
    """What the control plane logs, and for how long."""
    kms_key_arn: str | None = Field(default=None, pattern=r"^arn:aws[a-z-]*:kms:\S+:key/\S+$")
    """The key that encrypts Secrets; absent means one of the stack's own, at 1 USD a month. It
    cannot be changed later."""
    replace_for_kms_key: bool = False
    """Lets another `kmsKeyArn`, a first one or none replace the cluster, with all that runs in it;
    false refuses such a change."""

    def mistakes(self) -> Iterator[Mistake]:
        """A version that EKS runs, and each administrator once."""
        problem = compatibility.kubernetes_problem(self.version, self.support_type)
        if problem:
            yield Mistake("version", problem, self.version)
        for admin in sorted({admin for admin in self.admins if self.admins.count(admin) > 1}):
            yield Mistake("admins", "is named twice: drop one", admin)
