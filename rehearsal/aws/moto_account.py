"""Moto's AWS account, as EKS reads and changes it."""

# pyright: basic
# botocore, moto and lightkube leave too much untyped for the strict mode.

import ipaddress
import json
from collections.abc import Iterable, Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.iam.models import SERVICE_NAME_CONVERSION, iam_backends
from moto.kms.models import kms_backends
from moto.logs.models import logs_backends
from moto.moto_api._internal import mock_random
from moto.sts.models import sts_backends
from moto.utilities.utils import get_partition

from rehearsal.aws import iam_propagation

# The role's own name: moto knows only the names of three other services' roles.
SERVICE_NAME_CONVERSION["spot"] = "EC2Spot"

EVERYWHERE = ("0.0.0.0/0", "::/0")


class MotoAccount:
    """One account in one region. Reads and writes moto's backends of this process."""

    def __init__(self, account_id: str, region: str) -> None:
        """`account_id` has 12 digits."""
        self.id = account_id
        self.region = region
        self.partition = get_partition(region)

    # IAM and STS

    def caller(self, access_key: str) -> str:
        """IAM principal of an access key; for an assumed role the role's own ARN."""
        session = self._sts.get_assumed_role_from_access_key(access_key)
        if session:
            return session.role_arn
        user = self._iam.get_user_from_access_key_id(access_key)
        return user.arn if user else f"arn:{self.partition}:iam::{self.id}:root"

    def has_principal(self, arn: str) -> bool:
        """True if the ARN is a role or user in the account, or the account's root."""
        known = [thing.arn for thing in (*self._iam.get_roles(), *self._iam.users.values())]
        return arn in known or arn == f"arn:{self.partition}:iam::{self.id}:root"

    def role_trusts(self, arn: str, service: str, actions: Iterable[str]) -> bool:
        """True if the role exists and allows `service` all of `actions`."""
        role = self._role(arn)
        if role is None or not iam_propagation.counts(role, iam_propagation.TRUST):
            return False
        allowed: set[str] = set()
        for statement in _as_list(json.loads(role.assume_role_policy_document)["Statement"]):
            principal = statement.get("Principal", {})
            services = _as_list(principal.get("Service", [])) if principal != "*" else [service]
            if statement["Effect"] == "Allow" and service in services:
                allowed.update(_as_list(statement["Action"]))
        return not {"*", "sts:*"}.isdisjoint(allowed) or allowed.issuperset(actions)

    def has_role(self, arn: str) -> bool:
        """True if the role exists."""
        return self._role(arn) is not None

    def managed_policies(self, role_arn: str) -> set[str]:
        """Names of the managed policies attached to a role."""
        role = self._role(role_arn)
        attached = role.managed_policies.items() if role else ()
        return {policy.name for arn, policy in attached if iam_propagation.counts(role, arn)}

    def has_inline_policies(self, role_arn: str) -> bool:
        """True if the role has inline policies."""
        role = self._role(role_arn)
        return any(iam_propagation.counts(role, name) for name in (role.policies if role else ()))

    # KMS and logs

    def has_key(self, arn: str) -> bool:
        """True if an enabled KMS key with that ARN exists."""
        return any(key.arn == arn and key.enabled for key in self._kms.keys.values())

    def ensure_log_group(self, name: str) -> None:
        """Creates a log group, without retention, unless there is one."""
        logs = logs_backends[self.id][self.region]
        if name not in logs.groups:
            logs.create_log_group(name, {})

    # EC2

    def subnet(self, subnet_id: str) -> Any | None:
        """moto's subnet, with vpc_id, availability_zone and availability_zone_id."""
        return next((by_id[subnet_id] for by_id in self._subnets if subnet_id in by_id), None)

    def is_public(self, subnet_id: str) -> bool:
        """True if the subnet's route table leads to an internet gateway."""
        subnet: Any = self.subnet(subnet_id)
        tables = [t for t in self.ec2.route_tables.values() if t.vpc_id == subnet.vpc_id]
        own = [t for t in tables if subnet_id in _associated(t)]
        main = [t for t in tables if t.main_association_id]
        return any(
            route.destination_cidr_block in EVERYWHERE
            and str(getattr(route.gateway, "id", "")).startswith("igw-")
            for table in own or main
            for route in table.routes
        )

    def private_subnets(self, vpc_id: str) -> list[str]:
        """Ids of a VPC's subnets without a route to an internet gateway."""
        ids = [s.id for by_id in self._subnets for s in by_id.values() if s.vpc_id == vpc_id]
        return sorted(subnet_id for subnet_id in ids if not self.is_public(subnet_id))

    def vpc_networks(self, vpc_id: str) -> list[ipaddress.IPv4Network]:
        """Address ranges of a VPC."""
        vpc = self.ec2.vpcs[vpc_id]
        blocks: Iterable[Mapping[str, Any]] = vpc.cidr_block_association_set
        return [ipaddress.IPv4Network(block["cidr_block"]) for block in blocks]

    def security_group(self, group_id: str) -> Any | None:
        """moto's security group, with vpc_id."""
        return self.ec2.get_security_group_from_id(group_id)

    def create_security_group(self, vpc_id: str, name: str, tags: dict[str, str]) -> str:
        """Creates a group whose members reach each other; returns its id."""
        group = self.ec2.create_security_group(
            name,
            "EKS created security group applied to ENI that is attached to EKS Control Plane "
            "master nodes, as well as any managed workloads.",
            vpc_id=vpc_id,
            tags=tags,
        )
        self.ec2.authorize_security_group_ingress(
            group.id, "-1", "-1", "-1", [], [{"GroupId": group.id}]
        )
        return group.id

    def delete_security_group(self, group_id: str) -> None:
        """Deletes the group unless it is in use, as EKS does."""
        in_use = any(
            group_id in [group.id for group in eni.group_set] for eni in self.ec2.enis.values()
        )
        if self.security_group(group_id) and not in_use:
            self.ec2.delete_security_group(group_id=group_id)

    def create_network_interface(self, subnet_id: str, group_id: str, description: str) -> str:
        """Creates the control plane's network interface in a subnet; returns its id."""
        subnet: Any = self.subnet(subnet_id)
        address = subnet.get_available_subnet_ip(None)
        eni = self.ec2.create_network_interface(
            subnet, address, group_ids=[group_id], description=description
        )
        return eni.id

    def delete_network_interfaces(self, ids: Iterable[str]) -> None:
        """Deletes those of the interfaces that still exist."""
        for eni_id in ids:
            if eni_id in self.ec2.enis:
                self.ec2.delete_network_interface(eni_id)

    def random_hex(self, length: int) -> str:
        """Random hex digits for names that AWS makes up."""
        return mock_random.get_random_hex(length)

    @property
    def ec2(self) -> Any:
        """Moto's EC2 backend of the region."""
        return ec2_backends[self.id][self.region]

    @property
    def _subnets(self) -> list[dict[str, Any]]:
        return list(self.ec2.subnets.values())

    @property
    def _iam(self) -> Any:
        return iam_backends[self.id][self.partition]

    @property
    def _sts(self) -> Any:
        return sts_backends[self.id][self.partition]

    @property
    def _kms(self) -> Any:
        return kms_backends[self.id][self.region]

    def _role(self, arn: str) -> Any | None:
        return next((role for role in self._iam.get_roles() if role.arn == arn), None)


def _associated(route_table: Any) -> list[str]:
    return [a.get("SubnetId", "") for a in route_table.associations]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
