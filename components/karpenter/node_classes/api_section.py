"""The base of every section whose keys are the fields of the EC2NodeClass API."""

from typing import Any

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from ...section import Section

# Where the API writes an abbreviation in capitals, and the rule of camelCase would not.
_CAPITALS = {
    "associate_public_ip_address": "associatePublicIPAddress",
    "cluster_dns": "clusterDNS",
    "cpu_cfs_quota": "cpuCFSQuota",
    "http_protocol_ipv6": "httpProtocolIPv6",
    "image_gc_high_threshold_percent": "imageGCHighThresholdPercent",
    "image_gc_low_threshold_percent": "imageGCLowThresholdPercent",
    "kms_key_id": "kmsKeyID",
    "owner_id": "ownerID",
    "snapshot_id": "snapshotID",
}


def api_name(name: str) -> str:
    """The API's spelling of a field: `kmsKeyID` of `kms_key_id`."""
    return _CAPITALS.get(name) or to_camel(name)


class ApiSection(Section):
    """In the file and in the manifest the same keys, in Python snake_case."""

    # A generator rather than an alias at each field: type checkers take an alias for the one name
    # by which Python may set the field.
    model_config = ConfigDict(alias_generator=api_name)

    def api(self) -> dict[str, Any]:
        """What is set, as the API takes it: what is empty or absent is not in it."""
        given = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return {key: value for key, value in given.items() if value not in ({}, [])}
