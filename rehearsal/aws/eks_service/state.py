"""What EKS remembers: clusters with all that hangs off them, and what is under way."""

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
"""Not a status of EKS: the resource is to be forgotten."""

CALLER = "$caller"
"""Key under which a handler finds the ARN of who calls: no parameter of EKS begins with $."""

Params = dict[str, Any]
"""What a call was given, in the API's own names."""
Answer = dict[str, Any]


@dataclass
class Transition:
    """Something under way, such as CREATING."""

    not_before: float
    """On the monotonic clock, in seconds."""
    finish: Callable[[], str | None]
    """The status that follows, GONE, or None while it lasts."""


@dataclass
class Resource:
    """A cluster, profile, add-on, node group or update."""

    described: Answer
    """As its Describe call answers."""
    transition: Transition | None = None

    @property
    def status(self) -> str:
        """Its status in the API's words."""
        return self.described["status"]

    def settle(self) -> bool:
        """Let what is under way end if it can. False when the resource is gone."""
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
    """Names of the add-on and of the node group that it changes."""


@dataclass
class Cluster(Resource):
    """A cluster and what it has."""

    fargate_profiles: dict[str, Resource] = field(default_factory=dict[str, Resource])
    addons: dict[str, Resource] = field(default_factory=dict[str, Resource])
    preserved_addons: set[str] = field(default_factory=set[str])
    """Add-ons whose objects stayed when they were deleted, or that were never managed."""
    nodegroups: dict[str, Resource] = field(default_factory=dict[str, Resource])
    access_entries: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """By principal ARN."""
    access_policies: dict[str, dict[str, Answer]] = field(
        default_factory=dict[str, dict[str, Answer]]
    )
    """By principal ARN, then by policy ARN."""
    pod_identities: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """By association id."""
    updates: dict[str, Update] = field(default_factory=dict[str, Update])
    network_interfaces: list[str] = field(default_factory=list[str])
    """Ids of the control plane's own network interfaces."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.described["name"]

    @property
    def version(self) -> str:
        """Its Kubernetes minor, such as 1.35."""
        return self.described["version"]

    @property
    def vpc_id(self) -> str:
        """The VPC that its subnets are in."""
        return self.described["resourcesVpcConfig"]["vpcId"]

    @property
    def uses_access_entries(self) -> bool:
        """Whether its authentication mode knows access entries."""
        return self.described["accessConfig"]["authenticationMode"] != "CONFIG_MAP"


@dataclass(frozen=True, kw_only=True)
class ControlPlane:
    """The API server that the one cluster gets."""

    endpoint: str
    """https://127.0.0.1:port"""
    ca_data: Callable[[], str]
    """Its CA certificate, PEM in base64."""


@dataclass(kw_only=True)
class Eks:
    """EKS of one account and region."""

    account: MotoAccount
    kubernetes: Kubernetes
    control_plane: ControlPlane
    addon_versions: Mapping[str, Mapping[str, Iterable[str]]]
    """Of each Kubernetes minor on offer, the versions of each add-on, the default first."""
    moment: float = 1.0
    """Seconds that creating, updating and deleting take."""
    webhook_moments: float = 4.0
    """Moments after which EKS's admission webhooks know a Fargate profile that is ACTIVE, or a pod
    identity association that was made. On AWS it takes some seconds, which no call tells:
    eksctl-io/eksctl#3615 (it waits 30 s), aws/eks-pod-identity-agent#52 (5 to 10 s)."""
    drain_seconds: float = 15.0
    """Seconds that the pods of a node group's nodes have to leave in an update; 15 minutes in
    EKS."""
    nodegroup_issues: list[Answer] = field(default_factory=list[Answer])
    """Health issues with which the next node groups end as CREATE_FAILED, one each."""
    degraded_after: float = 60.0
    """Seconds after which an add-on without running pods is DEGRADED."""
    clusters: dict[str, Cluster] = field(default_factory=dict[str, Cluster])
    late_events: list[tuple[float, Callable[[], None]]] = field(
        default_factory=list[tuple[float, Callable[[], None]]]
    )
    """What happens after AWS has said that it is done, and when on the monotonic clock: webhooks
    learn of a profile, a log group comes back."""
    followers: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """What of the account beside EKS goes on with it: groups of instances, and their nodes."""
    log_group_returns: float = 3.0
    """Seconds after a cluster is gone until EKS writes its last lines (0 to 180 have been seen,
    behaviour log-group-comes-back-after-cluster-delete)."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held by whoever works on this or on the account in moto."""

    def cluster(self, name: str) -> Cluster:
        """Raises AwsError when there is none of that name."""
        if name not in self.clusters:
            raise AwsError("ResourceNotFoundException", f"No cluster found for name: {name}.")
        return self.clusters[name]

    def active_cluster(self, name: str) -> Cluster:
        """A cluster that can be worked on. Raises AwsError when it cannot."""
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
        """Something that is under way for a moment, or for `not_before` seconds."""
        wait = self.moment if not_before is None else not_before
        return Transition(time.monotonic() + wait, finish)

    def teach_webhooks(self, lesson: Callable[[], None]) -> None:
        """Let the admission webhooks learn of something, which takes them a while."""
        self.late(self.webhook_moments * self.moment, lesson)

    def late(self, seconds: float, event: Callable[[], None]) -> None:
        """Let something happen once, so many seconds from now."""
        self.late_events.append((time.monotonic() + seconds, event))

    def settle(self) -> None:
        """Let everything that is under way and can end, end."""
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
        """The ARN of something of EKS: kind/name/…"""
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
    """The time, as descriptions tell it."""
    return datetime.datetime.now(datetime.UTC)


def page(names: Iterable[Any], params: Params, key: str) -> Answer:
    """One page of a List call: `maxResults` things from `nextToken` on."""
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
