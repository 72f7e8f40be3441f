"""Checks hosted zones, keys, key pairs and policies that the stack file names but does not
create.
"""

from collections.abc import Iterator

from frugal_eks.preflight.findings import Finding, fails, ok
from frugal_eks.preflight.situation import Situation
from frugal_eks.preflight.stack import HOSTED_ZONE

NO_KEY = ("NotFoundException",)
NO_PAIR = ("InvalidKeyPair.NotFound",)
NO_POLICY = ("NoSuchEntity",)
INSTANCE, FILE_SYSTEM = "aws:ec2/instance:Instance", "aws:efs/fileSystem:FileSystem"


def hosted_zones(situation: Situation) -> Iterator[Finding]:
    """Checks the zones that ExternalDNS writes."""
    for each in situation.stack.look_ups:
        if each.token != HOSTED_ZONE:
            continue
        name = each.query.get("name")
        if each.problem:
            remedy = "make it, or correct addons.externalDns.zones and zoneType"
            yield fails(f"hosted zone {name}", each.problem, remedy)
        else:
            yield ok(f"hosted zone {name}", "there is exactly one")


def named_things(situation: Situation) -> Iterator[Finding]:
    """Checks KMS keys, the bastion's key pair and the permissions boundary."""
    account, config = situation.account, situation.stack.config
    cluster = situation.new_cluster
    keys = {cluster.kms_key_arn} if cluster and cluster.kms_key_arn else set[str]()
    for file_system in situation.program.of_type(FILE_SYSTEM):
        keys |= {key for key in [file_system.inputs.get("kmsKeyId")] if isinstance(key, str)}
    for arn in sorted(keys):
        description = account.find(NO_KEY, "kms", "describe_key", KeyId=arn)
        if description is None:
            yield fails("KMS key", f"there is no {arn}", "make it, or correct kmsKeyArn")
        elif not description["KeyMetadata"]["Enabled"]:
            state = description["KeyMetadata"]["KeyState"]
            yield fails("KMS key", f"{arn} is {state}", "enable it, or name another")
        else:
            yield ok("KMS key", arn)
    for instance in situation.program.of_type(INSTANCE):
        name = instance.inputs.get("keyName")
        if isinstance(name, str):
            description = account.find(NO_PAIR, "ec2", "describe_key_pairs", KeyNames=[name])
            if description is None:
                yield fails("key pair", f"there is no {name}", "make it, or correct bastion")
            else:
                yield ok("key pair", name)
    boundary = config.roles.permissions_boundary
    if boundary:
        if account.find(NO_POLICY, "iam", "get_policy", PolicyArn=boundary) is None:
            remedy = "make it, or correct roles.permissionsBoundary"
            yield fails("permissions boundary", f"there is no {boundary}", remedy)
        else:
            yield ok("permissions boundary", boundary)
