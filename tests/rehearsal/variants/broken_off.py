"""An `up` whose engine is killed while AWS makes things, the sweep of those, and the end."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from rehearsal.account_things import Thing
from rehearsal.engine import Engine, EngineError, Outcome
from rehearsal.engine_process import end_orphans, environment
from rehearsal.errors import RehearsalError
from rehearsal.state import ROOT
from tests.rehearsal.nodeless.stage import wait
from tests.rehearsal.variants import unanswered
from tests.rehearsal.variants.stage import Stage
from tests.rehearsal.variants.theirs import CLUSTER, REGION, TENANT

CONFIG = TENANT | {
    "frugal-eks:cluster": CLUSTER | {"name": "broken"},
    "frugal-eks:network": {
        "cidr": "10.70.0.0/16",
        "availabilityZones": 3,
        "natGateways": "perZone",
    },
}
LAST = {"aws:eks/addon:Addon::coredns", "pulumi:providers:kubernetes::cluster-kubernetes"}
"""What the engine makes last of all that needs nothing of which it hears no answer."""


class Played(NamedTuple):
    """The record of the rehearsal."""

    known: set[str]
    """Ids of NAT gateways, addresses and OIDC providers in the state when the engine was killed."""
    before: set[str]
    """Those in AWS."""
    listed: subprocess.CompletedProcess[str]
    swept: subprocess.CompletedProcess[str]
    after: set[str]
    """Those in AWS when they were swept."""
    recovered: list[str]
    destroy: Outcome
    left: list[Thing]


def play(opened: Stage) -> Played:
    """From nothing to nothing."""
    engine = opened.stack("broken", CONFIG).engine()
    unanswered.lay(engine)
    _kill(engine)
    state = opened.folder / "state.json"
    state.write_text(json.dumps(engine.export()))
    before = _there(opened)
    listed, swept = _sweep(engine, state), _sweep(engine, state, "--yes")
    return Played(
        known=before & {resource.get("id") for resource in engine.resources()},
        before=before,
        listed=listed,
        swept=swept,
        after=_there(opened),
        recovered=engine.recover(),
        destroy=_destroyed(engine),
        left=opened.left(),
    )


def _kill(engine: Engine) -> None:
    """Begin an `up`, and kill the engine with all that it started when it only waits."""
    with engine.started("up", ["--yes", "--skip-preview"], subprocess.DEVNULL) as running:
        # Else it waits for somebody to read what it prints.
        assert running.stdout
        Thread(target=running.stdout.read, daemon=True).start()
        try:
            wait(lambda: _only_waits(engine), 180)
        finally:
            os.killpg(running.pid, signal.SIGKILL)
    end_orphans(engine.state)


def _only_waits(engine: Engine) -> bool:
    """Whether all is made that can be, and the engine waits for the answers that never come."""
    try:
        deployment = engine.export()["deployment"]
    except RehearsalError:  # the engine writes it just now
        return False
    made = {unanswered.type_and_name(one["urn"]) for one in deployment.get("resources", [])}
    operations = deployment.get("pending_operations", [])
    begun = {unanswered.type_and_name(one["resource"]["urn"]) for one in operations}
    return made >= LAST and begun == unanswered.UNANSWERED


def _there(opened: Stage) -> set[str]:
    """Ids of the account's NAT gateways, addresses and OIDC providers."""
    ec2, iam = opened.aws("ec2"), opened.aws("iam")
    gateways = ec2.describe_nat_gateways()["NatGateways"]
    providers = iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    return {
        *(one["NatGatewayId"] for one in gateways if one["State"] != "deleted"),
        *(one["AllocationId"] for one in ec2.describe_addresses()["Addresses"]),
        *(one["Arn"] for one in providers),
    }


def _sweep(engine: Engine, state: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run the command with the deployer's credentials."""
    name, folder = "broken", ["--state", str(state), "--wait", "60"]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "frugal_eks",
            "sweep",
            "--cluster",
            name,
            "--region",
            REGION,
            *folder,
            *more,
        ],
        cwd=ROOT,
        env=environment(engine.state, dict(engine.setup.environment)),
        text=True,
        capture_output=True,
        check=False,
    )


def _destroyed(engine: Engine) -> Outcome:
    """How a destroy ended, well or not: the other life in this account has its own tests."""
    try:
        return engine.destroy()
    except EngineError as error:
        return error.outcome
