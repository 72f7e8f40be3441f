"""Which load balancer a Service or Ingress asks for, with the controller's names and tags."""

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
    """Why the controller cannot say what it should make: one sentence."""


@dataclass(frozen=True, kw_only=True)
class Listener:
    """A port of the balancer and the port of the pods or nodes behind it."""

    protocol: str
    port: int
    target: str
    """Names its target group: a port, or an Ingress's service:port."""
    target_protocol: str
    target_port: int
    certificates: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the controller was started with, and what is the same for all it makes."""

    cluster: str
    vpc_id: str
    target_type: str
    tags: Mapping[str, str]

    @classmethod
    def read(cls, arguments: Arguments) -> "Settings":
        """Raises ArgumentsError: here as with the real one cluster and VPC must be given.

        The real one would ask the instance metadata for the VPC, which pods do not reach.
        """
        given = [one.split("=", 1) for one in arguments.text("default-tags").split(",") if one]
        return cls(
            cluster=arguments.needed("cluster-name"),
            vpc_id=arguments.needed("aws-vpc-id"),
            target_type=arguments.text("default-target-type", "instance"),
            tags={key: value for key, value in given},
        )


@dataclass(frozen=True, kw_only=True)
class Owner:
    """The object whose load balancer it is."""

    kind: str
    """"service" or "ingress"."""
    namespace: str
    name: str
    uid: str

    @property
    def stack(self) -> str:
        """The value of the tag by which the controller finds again what it made."""
        return f"{self.namespace}/{self.name}"

    @property
    def stack_tag(self) -> str:
        return f"{self.kind}.k8s.aws/stack"

    @property
    def resource_tag(self) -> str:
        """Of the tag that says what a thing is for."""
        return f"{self.kind}.k8s.aws/resource"

    def tags(self, cluster: str) -> dict[str, str]:
        """On everything that is made for it."""
        return {CLUSTER_TAG: cluster, self.stack_tag: self.stack}

    def physical(self, cluster: str, what: str = "") -> str:
        """A name of at most 32 characters, such as k8s-default-web-0123456789."""
        digest = hashlib.sha256(f"{cluster} {self.uid} {what}".encode()).hexdigest()[:10]
        short = (re.sub(r"[^a-zA-Z0-9]", "", one)[:8] for one in (self.namespace, self.name))
        return "-".join(("k8s", *short, digest))


@dataclass(frozen=True, kw_only=True)
class Model:
    """One load balancer."""

    owner: Owner
    kind: str
    """NETWORK or APPLICATION."""
    scheme: str
    target_type: str
    listeners: tuple[Listener, ...]
    sources: tuple[str, ...] = (EVERYWHERE,)
    """Who may reach the listeners."""
    subnets: tuple[str, ...] = ()
    """Asked for by id or name; none means by tag."""


def one_of(value: str, allowed: tuple[str, ...], what: str) -> str:
    """The value. Raises ModelError if it is none of those allowed."""
    if value not in allowed:
        raise ModelError(f"{what} must be {' or '.join(allowed)}, but is {value!r}")
    return value


def words(text: str) -> tuple[str, ...]:
    """The parts of an annotation that is a list."""
    return tuple(one.strip() for one in text.split(",") if one.strip())
