"""The provider's configuration: `aws:region`, `aws:defaultTags` and the like."""

import json
import os
from collections.abc import Iterator
from typing import Any

from rehearsal.aws.provider.account import Account, ConfigurationError, endpoint
from rehearsal.aws.provider.plain import as_list, as_object
from rehearsal.aws.resource_types.entry import Values

# Keys and ways to AWS mean nothing where AWS is played: they are taken and not used.
WITHOUT_EFFECT = frozenset(
    {
        "accessKey",
        "assumeRoleWithWebIdentity",
        "customCaBundle",
        "ec2MetadataServiceEndpoint",
        "ec2MetadataServiceEndpointMode",
        "endpoints",
        "httpProxy",
        "httpsProxy",
        "insecure",
        "maxRetries",
        "noProxy",
        "retryMode",
        "s3UsEast1RegionalEndpoint",
        "s3UsePathStyle",
        "secretKey",
        "sharedConfigFiles",
        "sharedCredentialsFiles",
        "skipCredentialsValidation",
        "skipMetadataApiCheck",
        "skipRegionValidation",
        "skipRequestingAccountId",
        "stsRegion",
        "token",
        "tokenBucketRateLimiterCapacity",
        "useDualstackEndpoint",
        "useFipsEndpoint",
    }
)
HONOURED = frozenset(
    {"allowedAccountIds", "assumeRoles", "defaultTags", "forbiddenAccountIds", "profile", "region"}
)


def problems(config: Values) -> Iterator[tuple[str, str]]:
    """Problems of the configuration, as pairs of property and text."""
    for name in config:
        if name not in WITHOUT_EFFECT | HONOURED | {"version", "pluginDownloadURL"}:
            yield name, f"the stand-in AWS provider does not play the setting aws:{name}"
    if not (config.get("region") or _region_of_environment()):
        yield (
            "region",
            "the region is missing: say `pulumi config set aws:region REGION`",
        )


def account(config: Values) -> Account:
    """The account in this region, with these default tags.

    Raises ConfigurationError without a region, without a played AWS, or in a forbidden account.
    """
    endpoint()
    region = config.get("region") or _region_of_environment()
    if not region:
        raise ConfigurationError("the AWS region is missing: set aws:region in the stack file")
    tags = as_object(as_object(_data(config.get("defaultTags"))).get("tags"))
    roles = [as_object(role)["roleArn"] for role in as_list(_data(config.get("assumeRoles")))]
    chosen = Account(str(region), tags, profile=config.get("profile"), roles=roles)
    allowed = as_list(_data(config.get("allowedAccountIds")))
    forbidden = as_list(_data(config.get("forbiddenAccountIds")))
    if (allowed or forbidden) and _refused(chosen.identity["Account"], allowed, forbidden):
        raise ConfigurationError(
            f"AWS account ID not allowed: {chosen.identity['Account']} (aws:allowedAccountIds "
            f"{allowed}, aws:forbiddenAccountIds {forbidden})"
        )
    return chosen


def _refused(own: str, allowed: list[str], forbidden: list[str]) -> bool:
    return own in forbidden or (bool(allowed) and own not in allowed)


def _region_of_environment() -> str:
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""


def _data(value: Any) -> Any:
    # Pulumi hands nested provider settings over as JSON texts.
    return json.loads(value) if isinstance(value, str) and value else value
