"""Base of every section whose keys are fields of the EC2NodeClass API."""

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
    """A field's name as the API spells it: `kmsKeyID` for `kms_key_id`."""
    return _CAPITALS.get(name) or to_camel(name)


class ApiSection(Section):
    """A section whose keys in the stack file equal those in the manifest; Python uses
    snake_case.
    """

    # A generator rather than an alias at each field: type checkers take an alias for the one name
    # by which Python may set the field.
    model_config = ConfigDict(alias_generator=api_name)

    def api(self) -> dict[str, Any]:
        """The fields that are set, as the API takes them; empty ones are left out."""
        fields = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return {key: value for key, value in fields.items() if value not in ({}, [])}
