"""Creates and deletes load balancers in the played account, as the controller does."""

from typing import Any

from rehearsal.controllers.model import Listener, Model, ModelError, Owner, Settings
from rehearsal.controllers.pod_session import PodSession
from rehearsal.controllers.subnets import discovered, named, tags

DESCRIBED = 20
"""Maximum number of ARNs in a DescribeTags call."""
PORTS = {"TCP": ("tcp",), "TLS": ("tcp",), "UDP": ("udp",), "TCP_UDP": ("tcp", "udp")}
"""Protocols that a listener needs in a security group; HTTP and HTTPS need tcp."""

Described = dict[str, Any]


class LoadBalancers:
    """Load balancers of one controller, with the rights of its pod."""

    def __init__(self, session: PodSession, settings: Settings, elastic: Any) -> None:
        """`elastic` is EC2 as Elastic Load Balancing itself uses it, for its network interfaces."""
        self.elbv2, self.ec2 = session.client("elbv2"), session.client("ec2")
        self.settings, self.elastic = settings, elastic

    def ensure(self, model: Model) -> str:
        """Creates the balancer, or updates its listeners; returns its hostname. Raises ModelError
        if no subnet suits, ClientError if AWS refuses a call.
        """
        existing = self._balancers(model.owner)
        balancer = existing[0] if existing else self._create(model)
        if balancer["Scheme"] != model.scheme:
            raise ModelError(
                f"the balancer is {balancer['Scheme']} and cannot become {model.scheme}: upstream "
                "makes another one with another name, so replace the object instead"
            )
        self._listen(model, balancer["LoadBalancerArn"])
        return balancer["DNSName"]

    def delete_balancers(self, owner: Owner) -> bool:
        """Deletes listeners and balancers; returns True if there were any."""
        existing = self._balancers(owner)
        for balancer in existing:
            arn = balancer["LoadBalancerArn"]
            for listener in self._listeners(arn):
                self.elbv2.delete_listener(ListenerArn=listener["ListenerArn"])
            self.elbv2.delete_load_balancer(LoadBalancerArn=arn)
        return bool(existing)

    def delete_rest(self, owner: Owner) -> None:
        """Deletes what the balancer used, which AWS releases only some time after the balancer."""
        for arn in self._target_groups(owner).values():
            self.elbv2.delete_target_group(TargetGroupArn=arn)
        for group in self._security_groups(owner):
            self._release_interfaces(group)
            self.ec2.delete_security_group(GroupId=group)

    def _create(self, model: Model) -> Described:
        subnets = self._subnets(model)
        group = self._security_group(model)
        made = self.elbv2.create_load_balancer(
            Name=model.owner.physical(self.settings.cluster),
            Subnets=subnets,
            SecurityGroups=[group],
            Scheme=model.scheme,
            Type=model.kind,
            IpAddressType="ipv4",
            Tags=self._tags(model.owner, "LoadBalancer"),
        )["LoadBalancers"][0]
        identity = made["LoadBalancerArn"].partition("loadbalancer/")[2]
        for subnet in subnets:
            self.elastic.create_network_interface(
                SubnetId=subnet, Groups=[group], Description=f"ELB {identity}"
            )
        return made

    def _subnets(self, model: Model) -> list[str]:
        vpc = [{"Name": "vpc-id", "Values": [self.settings.vpc_id]}]
        subnets = self.ec2.describe_subnets(Filters=vpc)["Subnets"]
        if model.subnets:
            return named(subnets, model.subnets, model.kind)
        return discovered(
            subnets, scheme=model.scheme, cluster=self.settings.cluster, kind=model.kind
        )

    def _security_group(self, model: Model) -> str:
        if known := self._security_groups(model.owner):
            return known[0]
        tagged = self._tags(model.owner, "ManagedLBSecurityGroup")
        group = self.ec2.create_security_group(
            GroupName=model.owner.physical(self.settings.cluster),
            Description="[k8s] Managed SecurityGroup for LoadBalancer",
            VpcId=self.settings.vpc_id,
            TagSpecifications=[{"ResourceType": "security-group", "Tags": tagged}],
        )["GroupId"]
        self.ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=permissions(model))
        return group

    def _listen(self, model: Model, arn: str) -> None:
        wanted = {(listener.port, listener.protocol): listener for listener in model.listeners}
        there = {
            (listener["Port"], listener["Protocol"]): listener for listener in self._listeners(arn)
        }
        for key, existing in there.items():
            if key not in wanted:
                self.elbv2.delete_listener(ListenerArn=existing["ListenerArn"])
        groups = self._target_groups(model.owner)
        for key, listener in wanted.items():
            if key in there:
                continue
            resource = self._resource(model.owner, listener.target)
            if resource not in groups:
                groups[resource] = self._target_group(model, listener)
            secure = {"Certificates": [{"CertificateArn": arn} for arn in listener.certificates]}
            self.elbv2.create_listener(
                LoadBalancerArn=arn,
                Protocol=listener.protocol,
                Port=listener.port,
                DefaultActions=[{"Type": "forward", "TargetGroupArn": groups[resource]}],
                Tags=self._tags(model.owner, listener.target),
                **(secure if listener.certificates else {}),
            )

    def _target_group(self, model: Model, listener: Listener) -> str:
        return self.elbv2.create_target_group(
            Name=model.owner.physical(self.settings.cluster, listener.target),
            Protocol=listener.target_protocol,
            Port=listener.target_port,
            VpcId=self.settings.vpc_id,
            TargetType=model.target_type,
            Tags=self._tags(model.owner, listener.target),
        )["TargetGroups"][0]["TargetGroupArn"]

    def _resource(self, owner: Owner, what: str) -> str:
        return f"{owner.stack}:{what}"

    def _tags(self, owner: Owner, what: str) -> list[dict[str, str]]:
        resource = {owner.resource_tag: self._resource(owner, what)}
        every = {**self.settings.tags, **owner.tags(self.settings.cluster), **resource}
        return [{"Key": key, "Value": value} for key, value in every.items()]

    def _balancers(self, owner: Owner) -> list[Described]:
        listed = self.elbv2.describe_load_balancers()["LoadBalancers"]
        ours = self._tagged([balancer["LoadBalancerArn"] for balancer in listed], owner)
        return [balancer for balancer in listed if balancer["LoadBalancerArn"] in ours]

    def _target_groups(self, owner: Owner) -> dict[str, str]:
        """ARNs by the tag that names their purpose."""
        listed = self.elbv2.describe_target_groups()["TargetGroups"]
        ours = self._tagged([group["TargetGroupArn"] for group in listed], owner)
        return {tagged[owner.resource_tag]: arn for arn, tagged in ours.items()}

    def _listeners(self, arn: str) -> list[Described]:
        return self.elbv2.describe_listeners(LoadBalancerArn=arn)["Listeners"]

    def _tagged(self, arns: list[str], owner: Owner) -> dict[str, dict[str, str]]:
        """Tags of the resources that this controller created for the owner."""
        described: list[Described] = []
        for start in range(0, len(arns), DESCRIBED):
            some = arns[start : start + DESCRIBED]
            described += self.elbv2.describe_tags(ResourceArns=some)["TagDescriptions"]
        wanted = owner.tags(self.settings.cluster).items()
        return {
            description["ResourceArn"]: tags(description)
            for description in described
            if wanted <= tags(description).items()
        }

    def _security_groups(self, owner: Owner) -> list[str]:
        wanted = owner.tags(self.settings.cluster)
        filters = [{"Name": f"tag:{key}", "Values": [value]} for key, value in wanted.items()]
        groups = self.ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
        return [group["GroupId"] for group in groups]

    def _release_interfaces(self, group: str) -> None:
        of_group = [{"Name": "group-id", "Values": [group]}]
        interfaces = self.elastic.describe_network_interfaces(Filters=of_group)["NetworkInterfaces"]
        for interface in interfaces:
            if interface["Description"].startswith("ELB "):
                self.elastic.delete_network_interface(
                    NetworkInterfaceId=interface["NetworkInterfaceId"]
                )


def permissions(model: Model) -> list[Described]:
    """Sources that may reach the listeners, in EC2's form."""
    ports = {
        (protocol, listener.port)
        for listener in model.listeners
        for protocol in PORTS.get(listener.protocol, ("tcp",))
    }
    return [
        {
            "IpProtocol": protocol,
            "FromPort": port,
            "ToPort": port,
            "IpRanges": [{"CidrIp": source} for source in model.sources],
        }
        for protocol, port in sorted(ports)
    ]
