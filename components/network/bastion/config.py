"""The stack file's settings of the bastion."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from ...addresses import AddressRange
from ...ec2.instance_types import InstanceType, is_graviton
from ...section import Mistake, Section

WIDEST = 8
"""Prefix length of the largest range that SSH may be opened to."""


class SshConfig(Section):
    """SSH access to the bastion."""

    key_name: str = Field(pattern=r"^[!-~]([ -~]{0,253}[!-~])?$")
    """Name of an existing key pair of the account. Its private half is never needed here."""
    cidr: AddressRange = Field(examples=["203.0.113.7/32"])
    """The only addresses that may connect."""

    def mistakes(self) -> Iterator[Mistake]:
        """Refuses the whole internet and large parts of it."""
        if self.cidr.prefixlen < WIDEST:
            problem = (
                f"would open SSH to {self.cidr.num_addresses} addresses: give your own, "
                "203.0.113.7/32 for example"
            )
            yield Mistake("cidr", problem, str(self.cidr))


class BastionConfig(Section):
    """A bastion host: one small instance with kubectl and helm, about 7 USD per month as t4g.micro
    and 1 for its disk.

    Users reach it by Session Manager, without any open port, or by SSH.
    """

    instance_type: InstanceType = "t4g.micro"
    """A Graviton instance type. In the 0.5 GB of a nano helm runs out of memory."""
    ssh: SshConfig | None = None
    """SSH access. Absent: Session Manager only, in a private subnet."""
    access: Literal["view", "edit", "admin"] = "view"
    """Permissions in the cluster of everybody who can use the bastion."""

    def mistakes(self) -> Iterator[Mistake]:
        """The type must be arm64, as the image is."""
        if not is_graviton(self.instance_type):
            problem = "is no Graviton type, and the image is for arm64: take one like t4g.micro"
            yield Mistake("instanceType", problem, self.instance_type)
