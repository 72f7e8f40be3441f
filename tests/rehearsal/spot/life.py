"""The life of the spot stack, from nothing to nothing, as a record."""

import copy
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from rehearsal.account_things import Thing
from rehearsal.engine import Engine, Outcome
from rehearsal.interruptions.announcements import Kind
from rehearsal.interruptions.interruption import Interruption
from rehearsal.interruptions.interruption import Outcome as Drained
from rehearsal.interruptions.spot_commands import SpotCommands
from rehearsal.nodes_now import is_true
from rehearsal.state import ROOT
from tests.rehearsal.variants.stage import Stage

GROUPS, ADDONS, SAMPLES = "spotNodeGroups", "addons", "sampleWorkloads"
SPOT = {"lifecycle": "Ec2Spot"}
APPS = "/apis/apps/v1/namespaces/default/deployments"
ROLL_SECONDS = 240.0
RESTARTED = "kubectl.kubernetes.io/restartedAt"

Config = dict[str, Any]
Object = dict[str, Any]


class Made(NamedTuple):
    """What the first `up` brings."""

    first_preview: Outcome
    up: Outcome
    second_preview: Outcome
    resources: list[Object]
    state_text: str
    group: Object
    """As AWS describes it."""
    nodes: list[Object]
    pods: list[Object]
    """Of kube-system."""
    samples: list[Object]
    """Pods of the samples once they were restarted, with spot nodes there."""


class Plans(NamedTuple):
    """Previews of changes that are not made."""

    handler_off: Outcome
    group_off: Outcome
    by_metadata: Outcome
    newer_image: Outcome
    smaller: Outcome


class Interrupted(NamedTuple):
    """One of each kind, and a storm."""

    spot: Drained
    rebalance: Drained
    maintenance: Drained
    storm: Drained


class Changed(NamedTuple):
    """Changes that are made."""

    resized: Outcome
    """The preview after an autoscaler has changed the group's size."""
    desired: tuple[int, int]
    preference_off: Outcome
    uids: tuple[dict[str, str], dict[str, str]]
    """Of the samples' Deployments, before and after."""
    rolled: Outcome
    nodes: tuple[set[str], set[str]]
    """Names of the spot nodes before a roll and after it."""
    fewest: int
    """Spot nodes that were ready at the worst moment of the roll."""
    preview: Outcome
    samples_off: Outcome
    left_in_default: list[str]


class Metadata(NamedTuple):
    """The handler in its other mode."""

    up: Outcome
    preview: Outcome
    handler: Object
    """The DaemonSet."""
    spot: Drained


class Swept(NamedTuple):
    """What `./frugal-eks sweep` says of the cluster."""

    exit_code: int
    told: str


class Life(NamedTuple):
    made: Made
    plans: Plans
    interrupted: Interrupted
    changed: Changed
    metadata: Metadata
    swept_before: Swept
    destroy: Outcome
    left: list[Thing]
    swept_after: Swept


def play(stage: Stage, config: Config) -> Life:
    """From nothing to nothing."""
    player = Player(stage, config)
    made = player.make()
    plans = player.plan()
    interrupted = player.interrupt()
    changed = player.change()
    metadata = player.by_metadata()
    # In its own mode again: then a destroy drains.
    player.between_nodes(player.keep(_in_mode_queue))
    before = player.sweep()
    destroy = player.engine().destroy()
    left = stage.left()
    # EKS makes its log group again some seconds after the cluster is gone.
    logs = stage.aws("logs")
    _wait(lambda: logs.describe_log_groups()["logGroups"], "no log group came back")
    return Life(made, plans, interrupted, changed, metadata, before, destroy, left, player.sweep())


class Player:
    """Plays on one stage; what it keeps in `config` is the stack file as it is now."""

    def __init__(self, stage: Stage, config: Config) -> None:
        self.stage, self.cluster = stage, stage.cluster
        self.config: Config = copy.deepcopy(config)
        self.commands = SpotCommands(stage.first.state, stage.first.console)

    def engine(self, *changes: Callable[[Config], object]) -> Engine:
        """For the stack with these changes, which are not kept."""
        changed = copy.deepcopy(self.config)
        for change in changes:
            change(changed)
        return self.stage.stack("spot", changed).engine()

    def keep(self, *changes: Callable[[Config], object]) -> Engine:
        """The same, and they are kept."""
        for change in changes:
            change(self.config)
        return self.engine()

    def make(self) -> Made:
        first = self.engine().preview()
        engine = self.engine()
        up = engine.up()
        second = self.engine().preview()
        self.settled()
        exported = engine.export(secrets=True)
        kube_system = self.cluster.items("/api/v1/namespaces/kube-system/pods")
        nodes = self.cluster.items("/api/v1/nodes")
        self.restart()
        return Made(
            first_preview=first,
            up=up,
            second_preview=second,
            resources=exported["deployment"]["resources"],
            state_text=str(exported),
            group=self.group(),
            nodes=nodes,
            pods=kube_system,
            samples=self.cluster.items("/api/v1/namespaces/default/pods"),
        )

    def plan(self) -> Plans:
        return Plans(
            handler_off=self.engine(_without(ADDONS, "nodeTerminationHandler")).preview(),
            group_off=self.engine(
                _without(ADDONS, "nodeTerminationHandler"), _without(GROUPS, "ng-spot")
            ).preview(),
            by_metadata=self.engine(_in_mode_imds).preview(),
            newer_image=self.engine(
                lambda c: _group(c).update(releaseVersion="1.35.8-20260923")
            ).preview(),
            smaller=self.engine(lambda c: _group(c)["size"].update(min=1)).preview(),
        )

    def interrupt(self) -> Interrupted:
        plays: Interruption = self.commands.interruption
        played = [plays.play(plays.victim(None, kind), kind) for kind in Kind]
        by_kind = dict(zip(Kind, played, strict=True))
        self.settled()
        return Interrupted(
            spot=by_kind[Kind.SPOT],
            rebalance=by_kind[Kind.REBALANCE],
            maintenance=by_kind[Kind.MAINTENANCE],
            storm=plays.storm(),
        )

    def change(self) -> Changed:
        self.settled()
        before = self.group()["DesiredCapacity"]
        self.commands.resize()
        resized, desired = self.engine().preview(), self.group()["DesiredCapacity"]

        uids = self.uids()
        off = self.keep(lambda c: _samples(c).update(spotPreference=False)).up()
        self.settled()
        after = self.uids()
        self.keep(lambda c: _samples(c).pop("spotPreference")).up()

        names = {node["metadata"]["name"] for node in self.spot_nodes()}
        rolled = self.keep(lambda c: _group(c).update(volumeGib=30)).up()
        fewest = self.rolled(names)
        nodes = {node["metadata"]["name"] for node in self.spot_nodes()}
        preview = self.engine().preview()
        samples_off = self.keep(_without(f"frugal-eks:{SAMPLES}", "ecsdemo")).up()
        return Changed(
            resized=resized,
            desired=(before, desired),
            preference_off=off,
            uids=(uids, after),
            rolled=rolled,
            nodes=(names, nodes),
            fewest=fewest,
            preview=preview,
            samples_off=samples_off,
            left_in_default=[
                one["metadata"]["name"]
                for path in (APPS, "/api/v1/namespaces/default/services")
                for one in self.cluster.items(path)
            ],
        )

    def by_metadata(self) -> Metadata:
        up = self.between_nodes(self.keep(_in_mode_imds))
        preview = self.engine().preview()
        handler = self.cluster.get(
            "/apis/apps/v1/namespaces/kube-system/daemonsets/aws-node-termination-handler"
        )
        plays = self.commands.interruption
        spot = plays.play(plays.victim(None, Kind.SPOT), Kind.SPOT)
        return Metadata(up=up, preview=preview, handler=handler, spot=spot)

    def between_nodes(self, engine: Engine) -> Outcome:
        """`up` while there is no spot node, which would else wait out its hook when it goes."""
        autoscaling, ec2 = self.stage.aws("autoscaling"), self.stage.aws("ec2")
        launching = {"AutoScalingGroupName": "spot-ng-spot", "ScalingProcesses": ["Launch"]}
        self.settled()
        autoscaling.suspend_processes(**launching)
        ec2.terminate_instances(InstanceIds=self.instances())
        _wait(lambda: not self.spot_nodes(), "spot nodes are still there")
        outcome = engine.up()
        autoscaling.resume_processes(**launching)
        # The state has read that nothing is launched.
        self.engine().up()
        self.settled()
        return outcome

    def sweep(self) -> Swept:
        """A dry run in the played account."""
        endpoints = self.stage.first.state.endpoints
        keys = {"AWS_ACCESS_KEY_ID": "sweeper", "AWS_SECRET_ACCESS_KEY": "sweeper"}
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "frugal_eks",
                "sweep",
                "--cluster",
                "spot",
                "--region",
                endpoints["region"],
            ],
            env={**os.environ, **keys, "AWS_ENDPOINT_URL": endpoints["aws"]},
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )
        return Swept(done.returncode, done.stdout)

    def group(self) -> Object:
        found = self.stage.aws("autoscaling").describe_auto_scaling_groups(
            AutoScalingGroupNames=["spot-ng-spot"]
        )
        return found["AutoScalingGroups"][0]

    def uids(self) -> dict[str, str]:
        found = [one["metadata"] for one in self.cluster.items(APPS)]
        return {one["name"]: one["uid"] for one in found if one["name"].startswith("ecsdemo")}

    def spot_nodes(self) -> list[Object]:
        """Those that stay."""
        nodes = self.cluster.items("/api/v1/nodes")
        return [
            one
            for one in nodes
            if SPOT.items() <= one["metadata"]["labels"].items()
            and not one["spec"].get("unschedulable")
            and "deletionTimestamp" not in one["metadata"]
        ]

    def restart(self) -> None:
        """As `kubectl rollout restart` does it, and wait until it is done."""
        now = datetime.now(UTC).isoformat()
        patch = {"spec": {"template": {"metadata": {"annotations": {RESTARTED: now}}}}}
        for name in self.uids():
            self.cluster.patch(f"{APPS}/{name}", patch)
        self.settled()

    def settled(self) -> None:
        """Every pod runs, Deployments are rolled out, and spot has as many nodes as it should."""

        def look() -> bool:
            pods = self.cluster.items("/api/v1/pods")
            nodes = [one for one in self.spot_nodes() if _takes_pods(one)]
            return (
                all(is_true(pod, "Ready") for pod in pods)
                and not any("deletionTimestamp" in pod["metadata"] for pod in pods)
                and all(map(_rolled_out, self.cluster.items(APPS)))
                and len(nodes) == self.group()["DesiredCapacity"] == len(self.instances())
            )

        _wait(look, "the stack has not settled")

    def instances(self) -> list[str]:
        return [
            one["InstanceId"]
            for one in self.group()["Instances"]
            if one["LifecycleState"] == "InService"
        ]

    def rolled(self, before: set[str]) -> int:
        """Wait until a refresh is over; how many ready spot nodes there were at worst."""
        autoscaling = self.stage.aws("autoscaling")
        fewest: list[int] = []

        def look() -> bool:
            nodes = self.spot_nodes()
            fewest.append(sum(is_true(one, "Ready") for one in nodes))
            found = autoscaling.describe_instance_refreshes(AutoScalingGroupName="spot-ng-spot")
            going = {"Pending", "InProgress"} & {r["Status"] for r in found["InstanceRefreshes"]}
            return not going and not before & {one["metadata"]["name"] for one in nodes}

        _wait(look, "the refresh is not over")
        self.settled()
        return min(fewest)


def _wait(look: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + ROLL_SECONDS
    while not look():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} after {ROLL_SECONDS:.0f} s")
        time.sleep(0.3)


def _takes_pods(node: Object) -> bool:
    """Ready, and the taint of nodes that are not has gone, which is a controller's later step."""
    taints = node["spec"].get("taints", [])
    return is_true(node, "Ready") and all(one["effect"] == "PreferNoSchedule" for one in taints)


def _rolled_out(deployment: Object) -> bool:
    status, wanted = deployment.get("status", {}), deployment["spec"]["replicas"]
    return (
        status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
        and status.get("updatedReplicas", 0) == status.get("replicas", 0) == wanted
    )


def _group(config: Config) -> Config:
    return config[f"frugal-eks:{GROUPS}"]["ng-spot"]


def _samples(config: Config) -> Config:
    return config[f"frugal-eks:{SAMPLES}"]["ecsdemo"]


def _in_mode_imds(config: Config) -> None:
    config[f"frugal-eks:{ADDONS}"]["nodeTerminationHandler"] = {
        "mode": "imds",
        "nodeSelector": SPOT,
    }


def _in_mode_queue(config: Config) -> None:
    config[f"frugal-eks:{ADDONS}"]["nodeTerminationHandler"] = {
        "mode": "queue",
        "nodeSelector": {"lifecycle": "OnDemand"},
    }


def _without(section: str, key: str) -> Callable[[Config], object]:
    path = section if section.startswith("frugal-eks:") else f"frugal-eks:{section}"
    return lambda config: config[path].pop(key)
