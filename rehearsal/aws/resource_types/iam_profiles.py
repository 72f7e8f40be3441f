"""IAM: instance profiles and service-linked roles."""

from rehearsal.aws.provider.running import Running
from rehearsal.aws.resource_types.entry import (
    REPLACES,
    REQUIRED,
    UNREAD,
    ResourceType,
    Retry,
    When,
    call,
    prop,
)
from rehearsal.aws.resource_types.iam_words import TAGS, retagged


def _swap_role(running: Running) -> None:
    name = running.inputs["name"]
    if old := running.old.get("role"):
        running.api("RemoveRoleFromInstanceProfile", InstanceProfileName=name, RoleName=old)
    if new := running.inputs.get("role"):
        running.api("AddRoleToInstanceProfile", InstanceProfileName=name, RoleName=new)


def _take_roles_out(running: Running) -> None:
    for role in running.description.get("Roles", []):
        running.api(
            "RemoveRoleFromInstanceProfile",
            InstanceProfileName=running.id,
            RoleName=role["RoleName"],
        )


INSTANCE_PROFILE = ResourceType(
    token="aws:iam/instanceProfile:InstanceProfile",
    service="iam",
    regional=False,
    retries=(
        Retry("InvalidParameterValue", 2, ("Invalid IAM Instance Profile name",)),
        Retry("NoSuchEntity", 2, ("The role with name",)),
    ),
    properties={
        "name": prop(REPLACES, api="InstanceProfileName", autoname=255),
        "path": prop(REPLACES, default="/"),
        "role": prop(at="Roles[0].RoleName"),
        "tags": TAGS,
    },
    id="{name}",
    create=(call("CreateInstanceProfile"),),
    read=(call("GetInstanceProfile", InstanceProfileName="{id}", at="InstanceProfile"),),
    update=(
        When(("role",), _swap_role, at_create=True),
        retagged("InstanceProfile", "InstanceProfileName", "{name}"),
    ),
    delete=(
        _take_roles_out,
        call("DeleteInstanceProfile", takes=(), InstanceProfileName="{id}"),
    ),
    outputs={"arn": "Arn", "createDate": "CreateDate", "uniqueId": "InstanceProfileId"},
)


def _find_linked_role(running: Running) -> object:
    # GetRole does not tell the service, but the path holds it: AWS's provider reads it there too.
    _, service, name = running.id.rsplit("/", 2)
    return running.api("GetRole", RoleName=name)["Role"] | {"AWSServiceName": service}


def _delete_linked_role(running: Running) -> None:
    running.api("DeleteServiceLinkedRole", RoleName=running.id.rpartition("/")[2])


SERVICE_LINKED_ROLE = ResourceType(
    token="aws:iam/serviceLinkedRole:ServiceLinkedRole",
    service="iam",
    regional=False,
    properties={
        "awsServiceName": prop(REQUIRED, REPLACES, api="AWSServiceName"),
        "customSuffix": prop(REPLACES, UNREAD),
        "description": prop(cleared=""),
        "tags": TAGS,
    },
    id="Arn",
    create=(
        call(
            "CreateServiceLinkedRole",
            takes=("awsServiceName", "customSuffix", "description"),
            at="Role",
        ),
    ),
    read=(_find_linked_role,),
    update=(
        When(("description",), call("UpdateRole", RoleName="{RoleName}")),
        retagged("Role", "RoleName", "{RoleName}"),
    ),
    delete=(_delete_linked_role,),
    outputs={
        "arn": "Arn",
        "createDate": "CreateDate",
        "name": "RoleName",
        "path": "Path",
        "uniqueId": "RoleId",
    },
)

PAGE = (INSTANCE_PROFILE, SERVICE_LINKED_ROLE)
