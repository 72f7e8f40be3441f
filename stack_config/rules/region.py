"""Rules for what a stack file names in AWS: it must be in the stack's own region."""

from collections.abc import Iterator, Mapping

from components.cluster.cluster_config import ClusterConfig
from components.network.config import NewNetworkConfig
from components.section import Mistake
from stack_config.model import StackConfig

_REGION_OF_AN_ARN = 3
"""Place of the region among the parts of an ARN."""


def zones_are_in_the_region(config: StackConfig) -> Iterator[Mistake]:
    """The name of an availability zone begins with its region."""
    network = config.network
    zones = network.availability_zones if isinstance(network, NewNetworkConfig) else ()
    for i, zone in enumerate(() if isinstance(zones, int) else zones):
        if not zone.startswith(config.region):
            problem = f"is no zone of aws:region, {config.region}: correct one of the two"
            yield Mistake(f"network.availabilityZones[{i}]", problem, zone)


def keys_are_in_the_region(config: StackConfig) -> Iterator[Mistake]:
    """A KMS key encrypts only in its own region; a multi-Region key has a replica in each."""
    for path, arn in _keys(config).items():
        region = arn.split(":")[_REGION_OF_AN_ARN] if arn else config.region
        if region != config.region:
            problem = f"is a key of {region}, and aws:region is {config.region}: name a key there"
            yield Mistake(path, problem, arn)


def _keys(config: StackConfig) -> Mapping[str, str | None]:
    """ARNs of the KMS keys that the file names, by their paths."""
    cluster, efs, ebs = config.cluster, config.addons.efs_csi, config.addons.ebs_csi
    file_system = efs and efs.file_system
    return {
        "cluster.kmsKeyArn": cluster.kms_key_arn if isinstance(cluster, ClusterConfig) else None,
        "addons.efsCsi.fileSystem.kmsKeyArn": file_system and file_system.kms_key_arn,
        "addons.ebsCsi.kmsKeyArn": ebs and ebs.kms_key_arn,
    }
