"""Steps of a rehearsal, each of which is also a command."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from rehearsal import (
    account,
    charts,
    health,
    karpenter_commands,
    leftovers,
    lifecycle,
    plugins,
    previews,
    recorded_state,
    report,
    toolchain,
)
from rehearsal.charts.placeholders import placeholders
from rehearsal.clients import Cluster
from rehearsal.consolidation.trace import Trace
from rehearsal.engine import Engine, EngineSetup, Outcome
from rehearsal.errors import RehearsalError
from rehearsal.group_members import Members
from rehearsal.interruptions.spot_commands import SpotCommands
from rehearsal.karpenter_commands import KarpenterCommands
from rehearsal.nodes_now import nodes_now
from rehearsal.price_list import PriceList
from rehearsal.scenario import REPLICAS
from rehearsal.stack_file import PROJECT, StackFile
from rehearsal.state import ROOT, Endpoints, State

CHOSEN = "stack.json"
"""File with the stack that this state folder was started for."""
PREPARED = "prepared.json"
"""File with ids of what is nobody's leftover, for every stack worked on in this state folder."""
LEFTOVERS_SECONDS = 30.0
"""Seconds that the garbage collector and the nodes' player need after the engine has finished."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of the command line. Stack None means: as it was started, else nodeless."""

    state: Path
    stack: str | None = None
    stack_file: Path | None = None
    eks: str = "auto"
    charts: str = "auto"


class Rehearsal:
    """One state folder and one stack."""

    def __init__(self, options: Options, console: Console) -> None:
        self.options, self.console = options, console
        self.state = State(options.state)
        stack, path = self._chosen()
        self.stack = options.stack or stack
        self.stack_path = options.stack_file or path or _stack_path(self.stack)

    @property
    def stack_file(self) -> StackFile:
        """The stack file, read anew each time, so that the next `up` uses its current content."""
        return StackFile.read(self.stack_path, self.stack)

    def start(self) -> None:
        """Starts control plane, played AWS and nodes; does nothing if they run already."""
        file = self.stack_file
        # Before anything is started, so that a mistake costs no time.
        region, of_account = file.region, file.account
        toolchain.ensure(toolchain.REHEARSAL)
        with self.console.status("starting the control plane and the played AWS"):
            endpoints = lifecycle.start(self.state, region=region, account=of_account)
        chosen = {"stack": self.stack, "file": str(self.stack_path.absolute())}
        (self.state.path / CHOSEN).write_text(json.dumps(chosen) + "\n")
        self._prepare(file, endpoints)
        leftovers.remember(self.state)
        self._say(
            f"Account {endpoints['account']} and region {endpoints['region']} are played at "
            f"{endpoints['aws']}, the API server is {endpoints['apiServer']}\n"
            f"(KUBECONFIG={self.state.kubeconfig})."
        )

    def engine(self) -> Engine:
        """The engine, ready for the running rehearsal. Raises RehearsalError if none runs."""
        endpoints = lifecycle.require_running(self.state)
        file = self.stack_file
        tools = toolchain.ensure(toolchain.ENGINE)
        cli = plugins.lay_cli(
            self.state.path / "cli", tools["pulumi"], tools["pulumi-language-python"]
        )
        engine = Engine(
            self.state,
            EngineSetup(cli=cli, environment=self._prepare(file, endpoints)),
            file,
            self.console,
        )
        real_eks = plugins.choose_eks(self.options.eks)
        plugins.lay_plugins(engine.plugins, tools["pulumi-resource-kubernetes"], real_eks)
        self._lay_charts()
        engine.prepare(self._own_settings())
        for done in engine.recover():
            self._say(f"After an engine that was cut off: {done}.")
        return engine

    def up(self) -> Outcome:
        """Runs `pulumi up`, then all checks whether the platform works."""
        engine = self.engine()
        outcome = engine.up()
        self.show(engine)
        return outcome

    def apply(self, settings: Mapping[str, Any]) -> Outcome:
        """Runs `pulumi up` with settings that override the stack file's; shows nothing
        afterwards.
        """
        engine = self.engine()
        engine.prepare(self._own_settings() | dict(settings))
        return engine.up()

    def preview(
        self, *, expect_no_changes: bool = False, policy_pack: Path | None = None
    ) -> Outcome:
        """Runs `pulumi preview`. Raises RehearsalError if it fails, or has forbidden changes."""
        # The engine works in the program's folder, whatever this one is.
        rules = ["--policy-pack", str(policy_pack.absolute())] if policy_pack else []
        outcome = self.engine().preview(*rules)
        if not outcome.succeeded:
            raise RehearsalError(f"pulumi preview failed.\n{outcome.diagnostics()}")
        self._say("\n".join(previews.lines(outcome)))
        if expect_no_changes and not outcome.is_empty:
            raise RehearsalError("The preview after `up` must be empty, but changes resources.")
        return outcome

    def preview_json(self) -> str:
        """Output of `pulumi preview --json`. Raises RehearsalError if the preview fails."""
        return self.engine().preview_json()

    def show(self, engine: Engine) -> None:
        """Shows resources, system pods, pools and nodes. Raises RehearsalError if one is not
        healthy.
        """
        cluster = Cluster(self.state)
        self.console.print(report.resources_table(engine.resources()))
        health.pods(cluster, self.console)
        on_fargate = self.stack_file.system_pods_on_fargate
        health.system_pods(cluster, self.console, on_fargate=on_fargate)
        health.pools(cluster, self.console)
        health.load_balancers(cluster, self.state.endpoints, self.console)
        self.nodes()

    def pools(self) -> None:
        """Shows Karpenter's pools. Raises RehearsalError if a pool or node class is not Ready in
        time.
        """
        health.pools(self._cluster(), self.console)

    def nodes(self) -> None:
        """Shows all nodes with their prices."""
        cluster = self._cluster()
        endpoints = self.state.endpoints
        nodes = nodes_now(cluster, PriceList(endpoints), Members(endpoints))
        self.console.print(report.nodes_table(nodes))

    def scale(self, replicas: Sequence[int] = REPLICAS, workload: str | None = None) -> None:
        """Scales a workload of the stack to each number in turn."""
        chosen = karpenter_commands.workload(self.engine(), self.stack_path, workload)
        self.karpenter().scale(chosen, replicas)

    def replay(self, workload: str | None = None, picture: Path | None = None) -> Trace:
        """Replays the session of document 001: on-demand at first, then the stack file as it is."""
        chosen = karpenter_commands.workload(self.engine(), self.stack_path, workload)
        return self.karpenter().replay(chosen, self.apply, picture)

    def karpenter(self) -> KarpenterCommands:
        """Commands with Karpenter. Raises RehearsalError if nothing runs."""
        lifecycle.require_running(self.state)
        return KarpenterCommands(self.state, self.console, self.stack_file)

    def spot(self) -> SpotCommands:
        """Commands with groups of instances. Raises RehearsalError if nothing runs."""
        lifecycle.require_running(self.state)
        return SpotCommands(self.state, self.console)

    def groups(self) -> None:
        """Shows the Auto Scaling groups, and what the Cluster Autoscaler would see of them."""
        self.spot().groups(self.stack_file.cluster_name or "")

    def resize(self) -> None:
        """Resizes a spot group by hand. Raises RehearsalError if `pulumi up` would undo it."""
        self.spot().resize()
        self.preview(expect_no_changes=True)

    def destroy(self) -> Outcome:
        """Runs `pulumi destroy`, then shows what is left. Raises RehearsalError if anything is."""
        engine = self.engine()
        if (unprotected := self.stack_file.unprotected()) and engine.resources():
            self._say("Deletion protection is on: it is switched off first, by an `up`.")
            self.apply(unprotected)
        outcome = engine.destroy()
        self.leftovers()
        return outcome

    def leftovers(self) -> None:
        """Looks for leftovers. Raises RehearsalError if something is left that did not exist before
        `up`.
        """
        known = self.known()
        with self.console.status("looking for what is left") as status:
            left = leftovers.settle(
                self.state,
                known,
                patience=LEFTOVERS_SECONDS,
                tell=lambda count: status.update(f"{count} things are still there"),
            )
        if left:
            self.console.print(report.leftovers_table(left))
            raise RehearsalError(f"{len(left)} things are left behind.")
        self._say("Nothing is left: not in the played account, not in the API server.")

    def record(self, file: Path) -> None:
        """Writes the stack's state, for tests of later releases."""
        resources = self.engine().export(secrets=True)["deployment"]["resources"]
        file.write_text(recorded_state.recorded(resources, self.state))

    def known(self) -> list[str]:
        """Ids of what the account has beforehand, for all prepared stacks."""
        return json.loads((self.state.path / PREPARED).read_text())

    def stop(self) -> list[str]:
        """Stops all that was started in the state folder; logs stay."""
        return lifecycle.stop(self.state)

    def wipe(self) -> None:
        """Empties the state folder."""
        lifecycle.wipe(self.state)

    def _prepare(self, file: StackFile, endpoints: Endpoints) -> dict[str, str]:
        """Creates what the account has beforehand; returns the deployer's environment."""
        deployer = account.prepare(file, endpoints)
        written = self.state.path / PREPARED
        before = self.known() if written.exists() else []
        known = dict.fromkeys([*before, *account.preexisting(file, endpoints)])
        written.write_text(json.dumps(list(known)) + "\n")
        return deployer

    def _own_settings(self) -> dict[str, Any]:
        return {f"{PROJECT}:chartMirror": str(self.state.charts)} if self._stand_ins else {}

    @property
    def _stand_ins(self) -> bool:
        """True if the charts are played; does not test if upstream's can be reached."""
        return self.options.charts != "real"

    def _lay_charts(self) -> None:
        if self._stand_ins:
            releases = self.stack_file.config.get(f"{PROJECT}:extraReleases")
            for placeholder in charts.assemble(self.state.charts, placeholders(releases)):
                self._say(
                    f"extraReleases.{placeholder.release}: a placeholder stands in for its chart."
                )

    def _cluster(self) -> Cluster:
        lifecycle.require_running(self.state)
        return Cluster(self.state)

    def _chosen(self) -> tuple[str, Path | None]:
        try:
            chosen = json.loads((self.state.path / CHOSEN).read_text())
        except FileNotFoundError:
            return "nodeless", None
        same = self.options.stack in {None, chosen["stack"]}
        return chosen["stack"], Path(chosen["file"]) if same else None

    def _say(self, text: str) -> None:
        self.console.print(escape(text), highlight=False)


def _stack_path(stack: str) -> Path:
    return ROOT / "stacks" / f"Pulumi.{stack}.yaml"
