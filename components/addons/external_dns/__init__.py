"""ExternalDNS: keeps Route 53 records in step with Services and Ingresses."""

from .component import (
    ANNOTATION_PREFIX,
    SAFE_TO_EVICT,
    DnsName,
    ExternalDns,
    ExternalDnsArgs,
    ExternalDnsConfig,
    hostname_problem,
)

__all__ = [
    "ANNOTATION_PREFIX",
    "SAFE_TO_EVICT",
    "DnsName",
    "ExternalDns",
    "ExternalDnsArgs",
    "ExternalDnsConfig",
    "hostname_problem",
]
