"""What a stack file may say of the bastion."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from ...addresses import AddressRange
from ...ec2.instance_types import InstanceType, is_graviton
from ...section import Mistake, Section

WIDEST = 8
"""Prefix length of the largest range that SSH may be opened to."""


class SshConfig(Section):
    """Who reaches the bastion by SSH."""

    key_name: str = Field(pattern=r"^[!-~]([ -~]{0,253}[!-~])?$")
    """A key pair of the account that exists; its private half is nobody's business here."""
    cidr: AddressRange = Field(examples=["203.0.113.7/32"])
    """The only addresses from which it is reached."""

    def mistakes(self) -> Iterator[Mistake]:
        """Not the whole internet, nor a large part of it."""
        if self.cidr.prefixlen < WIDEST:
            problem = (
                f"would open SSH to {self.cidr.num_addresses} addresses: give your own, "
                "203.0.113.7/32 for example"
            )
            yield Mistake("cidr", problem, str(self.cidr))


class BastionConfig(Section):
    """One small instance with kubectl and helm: about 7 USD a month as t4g.micro, 1 for its disk.

    It is reached by Session Manager, without any open port, or by SSH.
    """

    instance_type: InstanceType = "t4g.micro"
    """Graviton. In the 0.5 GB of a nano helm runs out of memory."""
    ssh: SshConfig | None = None
    """Absent: Session Manager alone, in a private subnet."""
    access: Literal["view", "edit", "admin"] = "view"
    """What may be done in the cluster from there, by whoever is let in."""

    def mistakes(self) -> Iterator[Mistake]:
        """The image is for arm64."""
        if not is_graviton(self.instance_type):
            problem = "is no Graviton type, and the image is for arm64: take one like t4g.micro"
            yield Mistake("instanceType", problem, self.instance_type)
