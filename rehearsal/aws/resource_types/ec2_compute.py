"""Launch templates."""

import base64
import binascii

from rehearsal.aws.provider.plain import as_object
from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.ec2_words import RETAG, TAGS, ec2_arn, tagged, where
from rehearsal.aws.resource_types.entry import (
    COMPUTED,
    REPLACES,
    UNORDERED,
    UNREAD,
    Codec,
    Property,
    ResourceType,
    Trait,
    Values,
    When,
    call,
    prop,
)


def _data(api: str, *traits: Trait, **details: object) -> Property:
    """A property that is part of the template's data."""
    return prop(*traits, api=f"LaunchTemplateData.{api}", **details)


def _from_disks(disks: list[Values]) -> list[Values]:
    # The provider takes the booleans of a disk as texts.
    return [
        {**disk, "Ebs": {key: _flag_as_text(value) for key, value in disk.get("Ebs", {}).items()}}
        for disk in disks
    ]


def _flag_as_text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _to_tags(specifications: list[Values]) -> list[Values]:
    return [
        {
            "ResourceType": spec["resourceType"],
            "Tags": [{"Key": k, "Value": v} for k, v in as_object(spec.get("tags")).items()],
        }
        for spec in specifications
    ]


def _from_tags(specifications: list[Values]) -> list[Values]:
    return [
        {
            "resourceType": spec["ResourceType"],
            "tags": {tag["Key"]: tag["Value"] for tag in spec.get("Tags", [])},
        }
        for spec in specifications
        # moto keeps the tags of the template itself among them.
        if spec["ResourceType"] != "launch-template"
    ]


DISKS = Codec(to_api=list, from_api=_from_disks, inside=True)
DATA: dict[str, Property] = {
    "blockDeviceMappings": _data("BlockDeviceMappings", codec=DISKS),
    "creditSpecification": _data("CreditSpecification"),
    "ebsOptimized": _data("EbsOptimized"),
    "iamInstanceProfile": _data("IamInstanceProfile"),
    "imageId": _data("ImageId"),
    "instanceInitiatedShutdownBehavior": _data("InstanceInitiatedShutdownBehavior"),
    "instanceMarketOptions": _data("InstanceMarketOptions"),
    "instanceRequirements": _data("InstanceRequirements"),
    "instanceType": _data("InstanceType"),
    "keyName": _data("KeyName"),
    "metadataOptions": _data("MetadataOptions", COMPUTED),
    "monitoring": _data("Monitoring"),
    "networkInterfaces": _data("NetworkInterfaces", names={"securityGroups": "Groups"}),
    "placement": _data("Placement"),
    "tagSpecifications": _data("TagSpecifications", codec=Codec(_to_tags, _from_tags)),
    "userData": _data("UserData"),
    "vpcSecurityGroupIds": _data(
        "SecurityGroupIds", UNORDERED, refers_to="aws:ec2/securityGroup:SecurityGroup"
    ),
}


def _new_version(running: Running) -> None:
    created = running.do(
        call(
            "CreateLaunchTemplateVersion",
            takes=tuple(DATA),
            LaunchTemplateId="{id}",
            VersionDescription="{description}",
            at="LaunchTemplateVersion",
        )
    )
    if running.inputs.get("updateDefaultVersion"):
        running.api(
            "ModifyLaunchTemplate",
            LaunchTemplateId=running.id,
            DefaultVersion=str(created["VersionNumber"]),
        )


def _set_default(running: Running) -> None:
    if version := running.inputs.get("defaultVersion"):
        running.api(
            "ModifyLaunchTemplate", LaunchTemplateId=running.id, DefaultVersion=str(int(version))
        )


def _one_default(inputs: Values) -> str | None:
    if inputs.get("defaultVersion") is not None and inputs.get("updateDefaultVersion") is not None:
        return "defaultVersion and updateDefaultVersion exclude each other"
    return None


def _encoded(inputs: Values) -> str | None:
    try:
        base64.b64decode(str(inputs.get("userData") or ""), validate=True)
    except (binascii.Error, ValueError):
        return "InvalidUserData.Malformed: userData is not valid base64"
    return None


LAUNCH_TEMPLATE = ResourceType(
    token="aws:ec2/launchTemplate:LaunchTemplate",
    service="ec2",
    properties={
        "name": prop(REPLACES, api="LaunchTemplateName", autoname=255, longest=125),
        "description": prop(UNREAD, api="VersionDescription"),
        "defaultVersion": prop(COMPUTED, at="DefaultVersionNumber"),
        "updateDefaultVersion": prop(UNREAD),
        "tags": TAGS,
        **DATA,
    },
    rules=(_one_default, _encoded),
    id="LaunchTemplateId",
    create=(call("CreateLaunchTemplate", at="LaunchTemplate", **tagged("launch-template")),),
    read=(
        call("DescribeLaunchTemplates", LaunchTemplateIds=["{id}"], at="LaunchTemplates[0]"),
        call(
            "DescribeLaunchTemplateVersions",
            LaunchTemplateId="{id}",
            Versions=["$Latest"],
            at="LaunchTemplateVersions[0].{LaunchTemplateData: LaunchTemplateData}",
        ),
        # What moto describes with the template are the tags that it was made with.
        call("DescribeTags", Filters=where("resource-id"), at="{Tags: Tags}"),
    ),
    update=(
        When((*DATA, "description"), _new_version),
        When(("defaultVersion",), _set_default),
        RETAG,
    ),
    delete=(call("DeleteLaunchTemplate", takes=(), LaunchTemplateId="{id}"),),
    outputs={"arn": ec2_arn("launch-template"), "latestVersion": "LatestVersionNumber"},
    changing=("latestVersion", "defaultVersion"),
)

PAGE = (LAUNCH_TEMPLATE,)
