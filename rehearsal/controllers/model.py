"""Models the load balancer that a Service or Ingress asks for, with the controller's names and
tags.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rehearsal.controllers.arguments import Arguments

INTERNAL, INTERNET_FACING = "internal", "internet-facing"
NETWORK, APPLICATION = "network", "application"
TARGETS = ("ip", "instance")
EVERYWHERE = "0.0.0.0/0"
CLUSTER_TAG = "elbv2.k8s.aws/cluster"


class ModelError(Exception):
    """Why the controller cannot model a balancer, in one sentence."""


@dataclass(frozen=True, kw_only=True)
class Listener:
    """A port of the balancer and the port of the pods or nodes behind it."""

    protocol: str
    port: int
    target: str
    """Name of the target group: a port, or an Ingress's service:port."""
    target_protocol: str
    target_port: int
    certificates: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of the controller, the same for all that it creates."""

    cluster: str
    vpc_id: str
    target_type: str
    tags: Mapping[str, str]

    @classmethod
    def read(cls, arguments: Arguments) -> "Settings":
        """Settings from the arguments. Raises ArgumentsError unless cluster and VPC are given: the
        real controller would ask the instance metadata for the VPC, which pods do not reach.
        """
        given = [pair.split("=", 1) for pair in arguments.text("default-tags").split(",") if pair]
        return cls(
            cluster=arguments.needed("cluster-name"),
            vpc_id=arguments.needed("aws-vpc-id"),
            target_type=arguments.text("default-target-type", "instance"),
            tags={key: value for key, value in given},
        )


@dataclass(frozen=True, kw_only=True)
class Owner:
    """Object that owns a load balancer."""

    kind: str
    """Kind of the object: "service" or "ingress"."""
    namespace: str
    name: str
    uid: str

    @property
    def stack(self) -> str:
        """Value of the tag by which the controller recognises what it created."""
        return f"{self.namespace}/{self.name}"

    @property
    def stack_tag(self) -> str:
        return f"{self.kind}.k8s.aws/stack"

    @property
    def resource_tag(self) -> str:
        """Key of the tag that names a resource's purpose."""
        return f"{self.kind}.k8s.aws/resource"

    def tags(self, cluster: str) -> dict[str, str]:
        """Tags of everything that is created for the owner."""
        return {CLUSTER_TAG: cluster, self.stack_tag: self.stack}

    def physical(self, cluster: str, what: str = "") -> str:
        """Name of at most 32 characters, such as k8s-default-web-0123456789."""
        digest = hashlib.sha256(f"{cluster} {self.uid} {what}".encode()).hexdigest()[:10]
        short = (re.sub(r"[^a-zA-Z0-9]", "", part)[:8] for part in (self.namespace, self.name))
        return "-".join(("k8s", *short, digest))


@dataclass(frozen=True, kw_only=True)
class Model:
    """Model of one load balancer."""

    owner: Owner
    kind: str
    """Either NETWORK or APPLICATION."""
    scheme: str
    target_type: str
    listeners: tuple[Listener, ...]
    sources: tuple[str, ...] = (EVERYWHERE,)
    """Ranges that may reach the listeners."""
    subnets: tuple[str, ...] = ()
    """Subnets by id or name; none means by tag."""


def one_of(value: str, allowed: tuple[str, ...], what: str) -> str:
    """The value, if it is allowed. Raises ModelError otherwise."""
    if value not in allowed:
        raise ModelError(f"{what} must be {' or '.join(allowed)}, but is {value!r}")
    return value


def words(text: str) -> tuple[str, ...]:
    """Items of an annotation that is a list."""
    return tuple(word.strip() for word in text.split(",") if word.strip())
