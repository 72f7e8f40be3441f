"""Usage figures that an estimate must assume, since no program states them."""

from collections.abc import Iterator
from dataclasses import dataclass

from frugal_eks.plans.cost.program import Program

NAT, LOGS, FILES = (
    "aws:ec2/natGateway:NatGateway",
    "aws:cloudwatch/logGroup:LogGroup",
    "aws:efs/fileSystem:FileSystem",
)


@dataclass(frozen=True)
class Assumptions:
    """Assumed usage in a month."""

    nat_gb: float = 100.0
    """GB through all NAT gateways together. Traffic through a NAT instance costs nothing."""
    log_gb: float = 5.0
    """GB written to each log group."""
    efs_gb: float = 10.0
    """GB kept in each EFS file system."""

    def sentences(self, program: Program) -> Iterator[str]:
        """One sentence for each assumption that this program's estimate rests on."""
        if any(program.of_type(NAT)):
            yield f"{self.nat_gb:g} GB a month pass through NAT (--nat-gb)."
        if any(program.of_type(LOGS)):
            yield f"{self.log_gb:g} GB a month are written to each log group (--log-gb)."
        if any(program.of_type(FILES)):
            yield f"{self.efs_gb:g} GB are kept in each EFS file system (--efs-gb)."
        yield (
            "Not counted: data to the internet and between zones, capacity units of load "
            "balancers, requests to KMS and to SQS (the first million is free), Route 53 queries, "
            "taxes, discounts."
        )
