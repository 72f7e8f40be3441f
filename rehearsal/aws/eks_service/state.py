"""State of the played EKS: clusters with all that belongs to them, and what is under way."""

import datetime
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.aws.aws_errors import AwsError
from rehearsal.aws.eks_service.kubernetes import Kubernetes
from rehearsal.aws.moto_account import MotoAccount

GONE = "GONE"
"""Marker for a resource that is to be forgotten; not a status of EKS."""

CALLER = "$caller"
"""Key under which a handler finds the caller's ARN: no parameter of EKS begins with $."""

Params = dict[str, Any]
"""Parameters of a call, in the API's own names."""
Answer = dict[str, Any]


@dataclass
class Transition:
    """A change that is under way, such as CREATING."""

    not_before: float
    """Earliest end on the monotonic clock, in seconds."""
    finish: Callable[[], str | None]
    """Returns the next status, GONE, or None while the change lasts."""


@dataclass
class Resource:
    """A cluster, profile, add-on, node group or update."""

    described: Answer
    """Answer of the resource's Describe call."""
    transition: Transition | None = None

    @property
    def status(self) -> str:
        """Status in the API's words."""
        return self.described["status"]

    def settle(self) -> bool:
        """Ends the change that is under way if it can end. Returns False if the resource is
        gone.
        """
        if self.transition and time.monotonic() >= self.transition.not_before:
            status = self.transition.finish()
            if status == GONE:
                return False
            if status:
                self.described["status"] = status
                self.transition = None
        return True


@dataclass
class Update(Resource):
    """A change of a cluster, an add-on or a node group."""

    of: tuple[str | None, str | None] = (None, None)
    """Names of the changed add-on and node group."""


@dataclass
class Cluster(Resource):
    """A cluster with its parts."""

    fargate_profiles: dict[str, Resource] = field(default_factory=dict[str, Resource])
    addons: dict[str, Resource] = field(default_factory=dict[str, Resource])
    preserved_addons: set[str] = field(default_factory=set[str])
    """Add-ons whose objects stayed when they were deleted, or that were never managed."""
    nodegroups: dict[str, Resource] = field(default_factory=dict[str, Resource])
    access_entries: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """Access entries by principal ARN."""
    access_policies: dict[str, dict[str, Answer]] = field(
        default_factory=dict[str, dict[str, Answer]]
    )
    """Access policies by principal ARN, then by policy ARN."""
    pod_identities: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """Pod identity associations by id."""
    updates: dict[str, Update] = field(default_factory=dict[str, Update])
    network_interfaces: list[str] = field(default_factory=list[str])
    """Ids of the control plane's own network interfaces."""

    @property
    def name(self) -> str:
        """Name of the cluster."""
        return self.described["name"]

    @property
    def version(self) -> str:
        """Kubernetes version, such as 1.35."""
        return self.described["version"]

    @property
    def vpc_id(self) -> str:
        """VPC of the cluster's subnets."""
        return self.described["resourcesVpcConfig"]["vpcId"]

    @property
    def uses_access_entries(self) -> bool:
        """True if the authentication mode supports access entries."""
        return self.described["accessConfig"]["authenticationMode"] != "CONFIG_MAP"


@dataclass(frozen=True, kw_only=True)
class ControlPlane:
    """API server that backs the one cluster."""

    endpoint: str
    """URL such as https://127.0.0.1:port."""
    ca_data: Callable[[], str]
    """Returns the CA certificate, PEM in base64."""


@dataclass(kw_only=True)
class Eks:
    """EKS in one account and region."""

    account: MotoAccount
    kubernetes: Kubernetes
    control_plane: ControlPlane
    addon_versions: Mapping[str, Mapping[str, Iterable[str]]]
    """Versions of each add-on by Kubernetes version, the default first."""
    moment: float = 1.0
    """Seconds that creations, updates and deletions take."""
    webhook_moments: float = 4.0
    """Moments after which EKS's admission webhooks know a Fargate profile that is ACTIVE, or a pod
    identity association that was made. On AWS it takes some seconds, which no call tells:
    eksctl-io/eksctl#3615 (it waits 30 s), aws/eks-pod-identity-agent#52 (5 to 10 s)."""
    drain_seconds: float = 15.0
    """Seconds that the pods of a node group's nodes have to leave in an update; 15 minutes in
    EKS."""
    nodegroup_issues: list[Answer] = field(default_factory=list[Answer])
    """Health issues with which the next node groups fail (CREATE_FAILED), one each."""
    degraded_after: float = 60.0
    """Seconds after which an add-on without running pods is DEGRADED."""
    clusters: dict[str, Cluster] = field(default_factory=dict[str, Cluster])
    late_events: list[tuple[float, Callable[[], None]]] = field(
        default_factory=list[tuple[float, Callable[[], None]]]
    )
    """Later events with their time on the monotonic clock, such as a webhook that learns of a
    profile, or a log group that comes back.
    """
    followers: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """Callbacks for parts of the account that follow EKS: groups of instances and their nodes."""
    log_group_returns: float = 3.0
    """Seconds after a cluster is gone until EKS writes its last lines (0 to 180 have been seen,
    behaviour log-group-comes-back-after-cluster-delete)."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held by everyone who works on EKS or on moto's account."""

    def cluster(self, name: str) -> Cluster:
        """The cluster with this name. Raises AwsError if there is none."""
        if name not in self.clusters:
            raise AwsError("ResourceNotFoundException", f"No cluster found for name: {name}.")
        return self.clusters[name]

    def active_cluster(self, name: str) -> Cluster:
        """A cluster in a state that allows changes. Raises AwsError otherwise."""
        cluster = self.cluster(name)
        if cluster.status not in ("ACTIVE", "UPDATING"):
            raise AwsError(
                "InvalidRequestException",
                f"Cluster '{name}' is not in ACTIVE status: it is {cluster.status}",
            )
        return cluster

    def later(
        self, finish: Callable[[], str | None], *, not_before: float | None = None
    ) -> Transition:
        """A transition that ends after a moment, or after `not_before` seconds."""
        wait = self.moment if not_before is None else not_before
        return Transition(time.monotonic() + wait, finish)

    def teach_webhooks(self, lesson: Callable[[], None]) -> None:
        """Lets the admission webhooks learn of a change after a delay."""
        self.late(self.webhook_moments * self.moment, lesson)

    def late(self, seconds: float, event: Callable[[], None]) -> None:
        """Schedules a callback once, so many seconds from now."""
        self.late_events.append((time.monotonic() + seconds, event))

    def settle(self) -> None:
        """Ends all transitions that can end."""
        for name, cluster in list(self.clusters.items()):
            for resources in (
                cluster.fargate_profiles,
                cluster.addons,
                cluster.nodegroups,
                cluster.updates,
            ):
                _settle_all(resources)
            if not cluster.settle():
                del self.clusters[name]
        due = [event for event in self.late_events if time.monotonic() >= event[0]]
        for event in due:
            self.late_events.remove(event)
            event[1]()
        for follow in self.followers:
            follow()

    def arn(self, kind: str, *names: str) -> str:
        """ARN of an EKS resource: kind/name/…"""
        account = self.account
        path = "/".join([kind, *names])
        return f"arn:{account.partition}:eks:{account.region}:{account.id}:{path}"

    def start_update(
        self,
        cluster: Cluster,
        kind: str,
        changes: Mapping[str, Any],
        of: tuple[str | None, str | None] = (None, None),
    ) -> Update:
        """Record an update that ends after a moment."""
        described: Answer = {
            "id": str(uuid.uuid4()),
            "status": "InProgress",
            "type": kind,
            "params": [{"type": key, "value": str(value)} for key, value in changes.items()],
            "createdAt": now(),
            "errors": [],
        }
        done = self.later(lambda: "Successful")
        update = Update(described, done, of)
        cluster.updates[described["id"]] = update
        return update


def now() -> datetime.datetime:
    """Current time in the format of descriptions."""
    return datetime.datetime.now(datetime.UTC)


def page(names: Iterable[Any], params: Params, key: str) -> Answer:
    """A page of a List call: `maxResults` items from `nextToken` on."""
    everything = list(names)
    start = int(params.get("nextToken") or 0)
    size = params.get("maxResults") or 100
    answer: Answer = {key: everything[start : start + size]}
    if start + size < len(everything):
        answer["nextToken"] = str(start + size)
    return answer


def _settle_all(resources: dict[str, Any]) -> None:
    for name, resource in list(resources.items()):
        if not resource.settle():
            del resources[name]
