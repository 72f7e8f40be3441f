"""What resources are made with in these tests, and what they need around them."""

import itertools
import json
from typing import Any

TAGS = {"tags": {"kept": "1", "Taken.away": "2"}}
OTHER_TAGS = {"tags": {"kept": "1", "New": "3"}}
MANAGED = "arn:aws:iam::aws:policy"
IMAGE = "al2023-ami-2023.12.20260930.0-kernel-6.12-arm64"


def trust(service: str) -> str:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def policy(action: str) -> str:
    statement = {"Effect": "Allow", "Action": [action], "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


class World:
    """What other resources need, made when it is first asked for."""

    numbers = itertools.count(1)

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.made: list[Any] = []

    def make(self, token: str, props: dict[str, Any]) -> Any:
        made = self.engine.create(token, f"world-{next(self.numbers)}", props)
        self.made.append(made)
        return made

    def vpc(self) -> Any:
        return self.make("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"})

    def subnets(self) -> list[str]:
        vpc = self.vpc().id
        return [
            self.make(
                "aws:ec2/subnet:Subnet",
                {"vpcId": vpc, "cidrBlock": f"10.0.{i}.0/24", "availabilityZone": f"eu-west-1{z}"},
            ).id
            for i, z in enumerate("ab")
        ]

    def subnets_beside(self, inputs: dict[str, Any]) -> list[str]:
        """One more subnet in the VPC of a cluster's inputs, in one of the cluster's zones."""
        client = self.engine.provider.account
        known = {"SubnetIds": inputs["vpcConfig"]["subnetIds"][:1]}
        (first,) = client.request("ec2", "DescribeSubnets", known)["Subnets"]
        props = {
            "vpcId": first["VpcId"],
            "cidrBlock": "10.0.9.0/24",
            "availabilityZone": first["AvailabilityZone"],
        }
        return [self.make("aws:ec2/subnet:Subnet", props).id]

    def role(self, service: str, *policies: str) -> Any:
        role = self.make("aws:iam/role:Role", {"assumeRolePolicy": trust(service)})
        for name in policies:
            self.make(
                "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
                {"role": role.id, "policyArn": f"{MANAGED}/{name}"},
            )
        return role

    def group(self) -> str:
        vpc = self.vpc().id
        return self.make("aws:ec2/securityGroup:SecurityGroup", {"vpcId": vpc}).id

    def nat(self) -> str:
        eip = self.make("aws:ec2/eip:Eip", {"domain": "vpc"}).id
        subnet = self.subnets()[0]
        return self.make(
            "aws:ec2/natGateway:NatGateway", {"subnetId": subnet, "allocationId": eip}
        ).id

    def table(self, vpc: str | None = None) -> str:
        return self.make("aws:ec2/routeTable:RouteTable", {"vpcId": vpc or self.vpc().id}).id

    def queue(self) -> Any:
        return self.make("aws:sqs/queue:Queue", {})

    def key(self) -> Any:
        return self.make("aws:kms/key:Key", {})

    def interface(self) -> str:
        subnet = {"subnetId": self.subnets()[0]}
        return self.make("aws:ec2/networkInterface:NetworkInterface", subnet).id

    def image(self) -> str:
        filters = [{"name": "name", "values": [IMAGE]}]
        asked = {"owners": ["amazon"], "filters": filters, "includeDeprecated": True}
        return self.engine.invoke("aws:ec2/getAmiIds:getAmiIds", asked)["ids"][0]

    def rule(self) -> str:
        pattern = json.dumps({"source": ["aws.ec2"]})
        return self.make("aws:cloudwatch/eventRule:EventRule", {"eventPattern": pattern}).id

    def cluster_inputs(self) -> dict[str, Any]:
        role = self.role("eks.amazonaws.com", "AmazonEKSClusterPolicy")
        return {
            "name": f"cluster-{next(self.numbers)}",
            "version": "1.35",
            "roleArn": role.state["arn"],
            "vpcConfig": {"subnetIds": self.subnets(), "endpointPrivateAccess": True},
            "accessConfig": {
                "authenticationMode": "API",
                "bootstrapClusterCreatorAdminPermissions": False,
            },
            "bootstrapSelfManagedAddons": False,
            "upgradePolicy": {"supportType": "STANDARD"},
        }

    def cluster(self) -> tuple[str, list[str]]:
        inputs = self.cluster_inputs()
        cluster = self.make("aws:eks/cluster:Cluster", inputs)
        return cluster.id, inputs["vpcConfig"]["subnetIds"]

    def clear(self) -> None:
        while self.made:
            self.engine.delete(self.made.pop())


def route(world: World) -> dict[str, Any]:
    vpc = world.vpc().id
    gateway = world.make("aws:ec2/internetGateway:InternetGateway", {"vpcId": vpc}).id
    table = world.table(vpc)
    return {"routeTableId": table, "destinationCidrBlock": "0.0.0.0/0", "gatewayId": gateway}


def association(world: World) -> dict[str, Any]:
    return {"routeTableId": world.table(), "subnetId": world.subnets()[0]}


def interface_endpoint(world: World) -> dict[str, Any]:
    vpc = world.vpc().id
    return {
        "vpcId": vpc,
        "serviceName": "com.amazonaws.eu-west-1.s3",
        "routeTableIds": [world.table(vpc)],
        **TAGS,
    }


def launch_template(world: World) -> dict[str, Any]:
    return {
        "imageId": "ami-12345678",
        "instanceType": "m5.large",
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {"encrypted": "true", "volumeSize": 20, "volumeType": "gp3"},
            }
        ],
        "vpcSecurityGroupIds": [world.group()],
        "tagSpecifications": [{"resourceType": "instance", "tags": {"Name": "a"}}],
        "updateDefaultVersion": True,
        "userData": "aGFsbG8=",
        **TAGS,
    }


def fargate_profile(world: World) -> dict[str, Any]:
    cluster, subnets = world.cluster()
    role = world.role("eks-fargate-pods.amazonaws.com", "AmazonEKSFargatePodExecutionRolePolicy")
    return {
        "clusterName": cluster,
        "podExecutionRoleArn": role.state["arn"],
        "selectors": [{"namespace": "kube-system", "labels": {"App.Kind": "Dns"}}],
        "subnetIds": subnets,
        **TAGS,
    }


def node_group(world: World) -> dict[str, Any]:
    cluster, subnets = world.cluster()
    policies = (
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKS_CNI_Policy",
        "AmazonEC2ContainerRegistryPullOnly",
    )
    role = world.role("ec2.amazonaws.com", *policies)
    return {
        "clusterName": cluster,
        "nodeRoleArn": role.state["arn"],
        "subnetIds": subnets,
        "scalingConfig": {"minSize": 1, "maxSize": 3, "desiredSize": 1},
        "instanceTypes": ["m5.large"],
        "labels": {"Lifecycle": "OnDemand", "gone": "soon"},
        "taints": [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}],
        **TAGS,
    }


def access(world: World) -> dict[str, Any]:
    role = world.role("ec2.amazonaws.com").state["arn"]
    return {"clusterName": world.cluster()[0], "principalArn": role}


def access_policy(world: World) -> dict[str, Any]:
    entry = access(world)
    world.make("aws:eks/accessEntry:AccessEntry", entry)
    arn = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    return {**entry, "policyArn": arn, "accessScope": {"type": "cluster"}}


def pod_identity(world: World) -> dict[str, Any]:
    return {
        "clusterName": world.cluster()[0],
        "namespace": "kube-system",
        "serviceAccount": "dns",
        "roleArn": pod_role(world),
        **TAGS,
    }


def pod_role(world: World) -> str:
    actions = trust("pods.eks.amazonaws.com").replace(
        '"sts:AssumeRole"', '["sts:AssumeRole", "sts:TagSession"]'
    )
    return world.make("aws:iam/role:Role", {"assumeRolePolicy": actions}).state["arn"]


def nat_template(world: World) -> dict[str, Any]:
    """A launch template with all that an Auto Scaling group's instances get from it."""
    profile = world.make(
        "aws:iam/instanceProfile:InstanceProfile", {"role": world.role("ec2.amazonaws.com").id}
    )
    disk = {"volumeSize": 8, "volumeType": "gp3", "encrypted": "true"}
    return {
        "imageId": world.image(),
        "instanceType": "t4g.nano",
        "iamInstanceProfile": {"arn": profile.state["arn"]},
        "metadataOptions": {"httpTokens": "required"},
        "creditSpecification": {"cpuCredits": "standard"},
        "blockDeviceMappings": [
            {"deviceName": "/dev/xvda", "ebs": {**disk, "deleteOnTermination": "true"}}
        ],
        "networkInterfaces": [
            {
                "deviceIndex": 0,
                "associatePublicIpAddress": "true",
                "securityGroups": [world.group()],
                "deleteOnTermination": "true",
            }
        ],
        "tagSpecifications": [
            {"resourceType": "instance", "tags": {"Serves.this": "nat"}},
            {"resourceType": "volume", "tags": {"Name": "nat"}},
        ],
        "userData": "aGFsbG8=",
    }


def auto_scaling_group(world: World) -> dict[str, Any]:
    template = world.make("aws:ec2/launchTemplate:LaunchTemplate", nat_template(world))
    return {
        "minSize": 1,
        "maxSize": 2,
        "desiredCapacity": 1,
        "vpcZoneIdentifiers": world.subnets(),
        "healthCheckType": "EC2",
        "healthCheckGracePeriod": 60,
        "launchTemplate": {"id": template.id, "version": "1"},
        "instanceRefresh": {"strategy": "Rolling", "preferences": {"minHealthyPercentage": 0}},
        "tags": [
            {"key": "Name", "value": "nat", "propagateAtLaunch": True},
            {"key": "Gone", "value": "soon", "propagateAtLaunch": False},
        ],
    }


def lifecycle_hook(world: World) -> dict[str, Any]:
    group = world.make("aws:autoscaling/group:Group", auto_scaling_group(world) | {"minSize": 0})
    return {
        "name": "drain",
        "autoscalingGroupName": group.id,
        "lifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
        "defaultResult": "CONTINUE",
        "heartbeatTimeout": 300,
    }


def instance(world: World) -> dict[str, Any]:
    role = world.role("ec2.amazonaws.com").id
    profile = world.make("aws:iam/instanceProfile:InstanceProfile", {"role": role}).id
    return {
        "ami": world.image(),
        "instanceType": "t4g.nano",
        "subnetId": world.subnets()[0],
        "vpcSecurityGroupIds": [world.group()],
        "associatePublicIpAddress": True,
        "iamInstanceProfile": profile,
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "rootBlockDevice": {"encrypted": True, "volumeType": "gp3", "volumeSize": 8},
        "userData": "#!/bin/sh\necho hallo",
        **TAGS,
    }


def network_interface(world: World) -> dict[str, Any]:
    return {
        "subnetId": world.subnets()[0],
        "securityGroups": [world.group()],
        "sourceDestCheck": False,
        "description": "the way out",
        **TAGS,
    }


def mount_target(world: World) -> dict[str, Any]:
    return {
        "fileSystemId": world.make("aws:efs/fileSystem:FileSystem", {"encrypted": True}).id,
        "subnetId": world.subnets()[0],
        "securityGroups": [world.group()],
    }
