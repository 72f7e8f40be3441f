"""The rehearsal of a shipped stack with Karpenter that the tests of a folder share."""

import copy
import io
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import yaml
from rich.console import Console

from rehearsal import leftovers, toolchain
from rehearsal.account_things import Thing
from rehearsal.at_rest import CLAIMS
from rehearsal.clients import Cluster, aws_client
from rehearsal.commands import Options, Rehearsal
from rehearsal.engine import Engine, Outcome
from rehearsal.engine_events import EngineStep
from rehearsal.nodes_now import NODE_POOL, is_true
from rehearsal.scenario import Workload
from rehearsal.state import ROOT

TROUBLESHOOTING = ROOT / "docs" / "troubleshooting.md"
INFLATE = Workload("default", "inflate")
PAUSE = Workload("pause", "pause-pods")
KARPENTER = Workload("karpenter", "karpenter")
COREDNS = Workload("kube-system", "coredns")

Config = dict[str, Any]
Seen = TypeVar("Seen")


class Stage:
    """One played account with one API server, and a stack file that tests change."""

    def __init__(self, folder: Path, stack: str = "nodeless") -> None:
        shipped = ROOT / "stacks" / f"Pulumi.{stack}.yaml"
        self.file = folder / shipped.name
        self.document: dict[str, Config] = yaml.safe_load(shipped.read_text())
        # The scaling is the same with a shorter wait, only sooner over.
        pool(self.document["config"])["disruption"]["consolidateAfter"] = "10s"
        self.settings()
        self.rehearsal = Rehearsal(
            Options(state=folder / "state", stack=stack, stack_file=self.file),
            Console(file=io.StringIO(), width=200),
        )

    def settings(self, *changes: Callable[[Config], object], file: Path | None = None) -> None:
        """Write the stack file as it is shipped, with these changes."""
        changed = copy.deepcopy(self.document)
        for change in changes:
            change(changed["config"])
        (file or self.file).write_text(yaml.safe_dump(changed))

    def keep(self, *changes: Callable[[Config], object]) -> None:
        """The same, and all later settings have these changes too."""
        for change in changes:
            change(self.document["config"])
        self.settings()

    @property
    def engine(self) -> Engine:
        """Ready to work with the stack file as it is now."""
        return self.rehearsal.engine()

    @cached_property
    def cluster(self) -> Cluster:
        """The API server."""
        return Cluster(self.rehearsal.state)

    def aws(self, service: str) -> Any:
        """A new client of the played account: each thread needs its own."""
        return aws_client(service, self.rehearsal.state.endpoints)

    def left(self) -> list[Thing]:
        """What the stack left behind."""
        known = self.rehearsal.known()
        return leftovers.settle(self.rehearsal.state, known, patience=30, tell=lambda _: None)

    @cached_property
    def _environment(self) -> Mapping[str, str]:
        kubectl = toolchain.ensure(["kubectl"])["kubectl"]
        state = self.rehearsal.state
        path = os.pathsep.join([str(kubectl.parent), str(state.bin), os.environ["PATH"]])
        return {**os.environ, "PATH": path, "KUBECONFIG": str(state.kubeconfig)}

    def kubectl(self, *arguments: str, given: Any = None) -> str:
        """What kubectl prints on `given`, an object. Raises CalledProcessError where it fails."""
        return subprocess.run(
            ["kubectl", *arguments],
            input=yaml.safe_dump_all(given) if given else None,
            env=self._environment,
            text=True,
            capture_output=True,
            check=True,
            timeout=120,
        ).stdout

    def documented(self, block: str) -> str:
        """Run the commands under this marker of the documentation; return all that they print."""
        text = TROUBLESHOOTING.read_text()
        found = re.search(rf"<!-- {block} -->\n```sh\n(.*?)```", text, re.DOTALL)
        assert found, block
        return subprocess.run(
            ["bash", "-uc", found[1]],
            env=self._environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        ).stdout

    def scale(self, workload: Workload, replicas: int) -> None:
        self.cluster.patch(f"{workload.path}/scale", {"spec": {"replicas": replicas}})

    def pods(self, workload: Workload) -> list[dict[str, Any]]:
        """Its pods that stay; each is labelled as its Deployment selects."""
        found = self.cluster.get(workload.path)["spec"]["selector"]["matchLabels"].items()
        listed = self.cluster.items(f"/api/v1/namespaces/{workload.namespace}/pods")
        stay = [one for one in listed if "deletionTimestamp" not in one["metadata"]]
        return [one for one in stay if found <= one["metadata"]["labels"].items()]

    def nodes(self) -> dict[str, dict[str, Any]]:
        """Karpenter's nodes that are there, by name."""
        listed = self.cluster.items("/api/v1/nodes")
        named = {one["metadata"]["name"]: one for one in listed}
        return {k: one for k, one in named.items() if NODE_POOL in one["metadata"]["labels"]}

    def claims(self) -> dict[str, dict[str, Any]]:
        """Karpenter's claims by name: a status, then a node, come to each some time after it."""
        return {one["metadata"]["name"]: {"status": {}} | one for one in self.cluster.items(CLAIMS)}

    def is_settled(self) -> bool:
        """Every pod runs, and no node comes or goes."""
        pods, nodes = self.cluster.items("/api/v1/pods"), self.nodes().values()
        return (
            all(is_true(pod, "Ready") for pod in pods)
            and all(is_true(claim, "Initialized") for claim in self.claims().values())
            and not any("deletionTimestamp" in one["metadata"] for one in nodes)
            and not any(one["spec"].get("unschedulable") for one in nodes)
        )


def wait(look: Callable[[], Seen], seconds: float = 90.0) -> Seen:
    """Look until it is true, and return it. Raises TimeoutError with what was looked for."""
    end = time.monotonic() + seconds
    while not (seen := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"not so after {seconds:.0f} s: {look.__qualname__}")
        time.sleep(0.2)
    return seen


@contextmanager
def watching(look: Callable[[], Seen], every: float = 0.2) -> Iterator[list[Seen]]:
    """Look again and again in the background, so many seconds apart, and keep all that was seen."""
    seen: list[Seen] = [look()]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(every):
            seen.append(look())

    with ThreadPoolExecutor(1) as thread:
        watcher = thread.submit(watch)
        try:
            yield seen
        finally:
            done.set()
            # Its own error is told, rather than that nothing was seen.
            watcher.result()


def pool(config: Config) -> Config:
    """The stack file's one node pool."""
    return config["frugal-eks:karpenter"]["nodePools"]["default"]


def changed(outcome: Outcome) -> set[tuple[str, str]]:
    """Pairs of operation and name of all that did not stay the same."""
    return {(step.op, step.name) for step in outcome.steps if step.custom and step.op != "same"}


def of_type(outcome: Outcome, type_end: str, name_part: str = "") -> list[EngineStep]:
    """The steps of resources whose type ends so, in the order in which they began."""
    ends = [step for step in outcome.steps if step.custom and step.type.endswith(f":{type_end}")]
    found = [step for step in ends if name_part in step.name]
    return sorted((s for s in found if s.op != "same"), key=lambda step: step.started)


def one(outcome: Outcome, type_end: str, name_part: str = "") -> EngineStep:
    """The only such step."""
    found = of_type(outcome, type_end, name_part)
    assert len(found) == 1, [(s.op, s.type, s.name) for s in found or outcome.steps]
    return found[0]


def follow(*steps: EngineStep) -> bool:
    """Whether each was begun only after the one before it had been finished."""
    return all(a.finished is not None and a.finished <= b.started for a, b in pairwise(steps))
