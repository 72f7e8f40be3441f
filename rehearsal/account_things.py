"""Lists what is in the played account: everything that costs money, holds a name or grants a
right.
"""

from typing import Any, NamedTuple

import jmespath

from rehearsal.clients import aws_client
from rehearsal.state import Endpoints


class Thing(NamedTuple):
    """A thing in the account or the cluster."""

    kind: str
    id: str
    """Identifier in AWS or Kubernetes; namespace/name for a namespaced object."""
    name: str
    """Name tag, or "" if there is none."""


class AwsKind(NamedTuple):
    """How to list one kind of thing; `items` is a JMESPath that yields pairs of id and name."""

    kind: str
    service: str
    operation: str
    items: str


NAME = "Tags[?Key=='Name']|[0].Value"

AWS_KINDS = (
    AwsKind("VPC", "ec2", "describe_vpcs", f"Vpcs[].[VpcId,{NAME}]"),
    AwsKind("subnet", "ec2", "describe_subnets", f"Subnets[].[SubnetId,{NAME}]"),
    AwsKind("route table", "ec2", "describe_route_tables", f"RouteTables[].[RouteTableId,{NAME}]"),
    AwsKind(
        "internet gateway",
        "ec2",
        "describe_internet_gateways",
        f"InternetGateways[].[InternetGatewayId,{NAME}]",
    ),
    AwsKind(
        "NAT gateway",
        "ec2",
        "describe_nat_gateways",
        f"NatGateways[?State!='deleted'].[NatGatewayId,{NAME}]",
    ),
    AwsKind("elastic IP", "ec2", "describe_addresses", f"Addresses[].[AllocationId,{NAME}]"),
    AwsKind(
        "security group",
        "ec2",
        "describe_security_groups",
        "SecurityGroups[].[GroupId,GroupName]",
    ),
    AwsKind(
        "network interface",
        "ec2",
        "describe_network_interfaces",
        "NetworkInterfaces[].[NetworkInterfaceId,Description]",
    ),
    AwsKind(
        "VPC endpoint",
        "ec2",
        "describe_vpc_endpoints",
        "VpcEndpoints[?State!='deleted'].[VpcEndpointId,ServiceName]",
    ),
    AwsKind(
        "launch template",
        "ec2",
        "describe_launch_templates",
        "LaunchTemplates[].[LaunchTemplateId,LaunchTemplateName]",
    ),
    AwsKind(
        "instance",
        "ec2",
        "describe_instances",
        f"Reservations[].Instances[?State.Name!='terminated'][].[InstanceId,{NAME}]",
    ),
    AwsKind("volume", "ec2", "describe_volumes", f"Volumes[].[VolumeId,{NAME}]"),
    AwsKind(
        "Auto Scaling group",
        "autoscaling",
        "describe_auto_scaling_groups",
        "AutoScalingGroups[].[AutoScalingGroupARN,AutoScalingGroupName]",
    ),
    AwsKind("key pair", "ec2", "describe_key_pairs", "KeyPairs[].[KeyName,KeyName]"),
    AwsKind(
        "target group",
        "elbv2",
        "describe_target_groups",
        "TargetGroups[].[TargetGroupArn,TargetGroupName]",
    ),
    AwsKind(
        "load balancer",
        "elbv2",
        "describe_load_balancers",
        "LoadBalancers[].[LoadBalancerArn,LoadBalancerName]",
    ),
    # Service-linked roles belong to the account: AWS itself keeps them when a cluster goes.
    AwsKind(
        "IAM role",
        "iam",
        "list_roles",
        "Roles[?!starts_with(Path,'/aws-service-role/')].[Arn,RoleName]",
    ),
    AwsKind("IAM user", "iam", "list_users", "Users[].[Arn,UserName]"),
    AwsKind("IAM policy", "iam", "list_policies", "Policies[].[Arn,PolicyName]"),
    AwsKind(
        "instance profile",
        "iam",
        "list_instance_profiles",
        "InstanceProfiles[].[Arn,InstanceProfileName]",
    ),
    AwsKind(
        "OIDC provider",
        "iam",
        "list_open_id_connect_providers",
        "OpenIDConnectProviderList[].[Arn,'']",
    ),
    AwsKind("EKS cluster", "eks", "list_clusters", "clusters[].[@,@]"),
    AwsKind("SQS queue", "sqs", "list_queues", "QueueUrls[].[@,'']"),
    AwsKind("EventBridge rule", "events", "list_rules", "Rules[].[Arn,Name]"),
    # EKS makes that of a control plane again for its last lines, when the cluster is gone: no
    # destroy can take it, and the next cluster of that name adopts it. A stack's own has retention.
    AwsKind(
        "log group",
        "logs",
        "describe_log_groups",
        "logGroups[?retentionInDays || !(starts_with(logGroupName,'/aws/eks/') && "
        "ends_with(logGroupName,'/cluster'))].[arn,logGroupName]",
    ),
    AwsKind("hosted zone", "route53", "list_hosted_zones", "HostedZones[].[Id,Name]"),
    AwsKind("EFS file system", "efs", "describe_file_systems", "FileSystems[].[FileSystemId,Name]"),
    AwsKind("KMS alias", "kms", "list_aliases", "Aliases[].[AliasArn,AliasName]"),
)

ARGUMENTS: dict[str, dict[str, Any]] = {"list_policies": {"Scope": "Local"}}


def aws_things(endpoints: Endpoints) -> set[Thing]:
    """Everything in the account that costs money, holds a name or grants a right."""
    clients: dict[str, Any] = {
        service: aws_client(service, endpoints)
        for service in {kind.service for kind in AWS_KINDS} | {"kms"}
    }
    things = {thing for kind in AWS_KINDS for thing in _listed(clients[kind.service], kind)}
    within = _records(clients["route53"], things) | _mount_targets(clients["efs"], things)
    return things | within | _keys(clients["kms"])


def _listed(client: Any, kind: AwsKind) -> list[Thing]:
    arguments = ARGUMENTS.get(kind.operation, {})
    if client.can_paginate(kind.operation):
        pages = client.get_paginator(kind.operation).paginate(**arguments)
    else:
        pages = [getattr(client, kind.operation)(**arguments)]
    listed: list[tuple[str, str | None]] = []
    for page in pages:
        listed += jmespath.search(kind.items, page) or []
    return [Thing(kind.kind, id, name or "") for id, name in listed]


def _records(route53: Any, things: set[Thing]) -> set[Thing]:
    """Records in the hosted zones, including zones that existed before, without AWS's own
    records.
    """
    records: set[Thing] = set()
    for zone in [thing for thing in things if thing.kind == "hosted zone"]:
        pages = route53.get_paginator("list_resource_record_sets").paginate(HostedZoneId=zone.id)
        for record in [record for page in pages for record in page["ResourceRecordSets"]]:
            if record["Type"] not in {"NS", "SOA"} or record["Name"] != zone.name:
                name, kind = record["Name"], record["Type"]
                records.add(Thing("DNS record", f"{zone.id} {kind} {name}", f"{kind} {name}"))
    return records


def _mount_targets(efs: Any, things: set[Thing]) -> set[Thing]:
    """Mount targets; EFS lists those of one file system only."""
    systems = [thing.id for thing in things if thing.kind == "EFS file system"]
    answers = [efs.describe_mount_targets(FileSystemId=system) for system in systems]
    return {
        Thing("EFS mount target", target["MountTargetId"], f"of {target['FileSystemId']}")
        for answer in answers
        for target in answer["MountTargets"]
    }


def _keys(kms: Any) -> set[Thing]:
    """KMS keys, except AWS's own and those pending deletion, which takes at least seven days. AWS's
    own keys appear at first use, for example of an encrypted volume, and stay.
    """
    aliases = _listed(kms, AwsKind("", "kms", "list_aliases", "Aliases[].[TargetKeyId,AliasName]"))
    of_aws = {alias.id for alias in aliases if alias.name.startswith("alias/aws/")}
    keys = [
        key["KeyId"] for page in kms.get_paginator("list_keys").paginate() for key in page["Keys"]
    ]
    described = [kms.describe_key(KeyId=key)["KeyMetadata"] for key in keys if key not in of_aws]
    return {
        Thing("KMS key", key["Arn"], key.get("Description", ""))
        for key in described
        if key["KeyState"] != "PendingDeletion"
    }
