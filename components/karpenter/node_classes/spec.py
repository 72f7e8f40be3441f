"""The manifest of a node class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...network.tags import DISCOVERY_TAG
from .api_section import ApiSection
from .config import NodeClassConfig
from .volumes import block_devices

if TYPE_CHECKING:
    import pulumi


def node_class_spec(
    config: NodeClassConfig,
    *,
    cluster: str,
    role: "pulumi.Input[str] | None",
    instance_profile: "pulumi.Input[str] | None",
    security_group_id: "pulumi.Input[str] | None" = None,
) -> dict[str, Any]:
    """The `spec` of an EC2NodeClass, with every default that matters written out.

    Exactly one of `role` and `instance_profile` is given, by name: the stack's own, for a class
    that names none. `security_group_id` is set if the group lacks the discovery tag.
    """
    discovery = [{"tags": {DISCOVERY_TAG: cluster}}]
    group = discovery if security_group_id is None else [{"id": security_group_id}]
    devices = block_devices(config.family, config.volume, config.block_device_mappings)
    optional: dict[str, Any] = {
        "amiFamily": config.ami_family,
        "associatePublicIPAddress": config.associate_public_ip_address,
        "blockDeviceMappings": devices or None,
        "capacityReservationSelectorTerms": _terms(config.capacity_reservation_selector_terms),
        "connectionTracking": _api(config.connection_tracking),
        "context": config.context,
        "cpuOptions": _api(config.cpu_options),
        "instanceStorePolicy": config.instance_store_policy,
        "ipPrefixCount": config.ip_prefix_count,
        "kubelet": _api(config.kubelet),
        "networkInterfaces": _terms(config.network_interfaces),
        "placementGroupSelector": _api(config.placement_group_selector),
        "tags": dict(config.tags) or None,
        "userData": config.user_data,
    }
    return {
        "amiSelectorTerms": _terms(config.images),
        "subnetSelectorTerms": _terms(config.subnet_selector_terms) or discovery,
        "securityGroupSelectorTerms": _terms(config.security_group_selector_terms) or group,
        "metadataOptions": config.metadata_options.api(),
        "detailedMonitoring": config.detailed_monitoring,
        **_identity(config, role, instance_profile),
        **{key: value for key, value in optional.items() if value is not None},
    }


def _identity(
    config: NodeClassConfig,
    role: "pulumi.Input[str] | None",
    instance_profile: "pulumi.Input[str] | None",
) -> dict[str, Any]:
    if config.role or config.instance_profile:
        role, instance_profile = config.role, config.instance_profile
    return {"instanceProfile": instance_profile} if instance_profile else {"role": role}


def _terms(terms: Sequence[ApiSection] | None) -> list[dict[str, Any]] | None:
    return [term.api() for term in terms or ()] or None


def _api(section: ApiSection | None) -> dict[str, Any] | None:
    return (section.api() or None) if section else None
