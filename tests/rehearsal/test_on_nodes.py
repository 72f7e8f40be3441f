"""Karpenter and CoreDNS on a managed node group instead of Fargate, from nothing to nothing."""

import io

import pytest
import yaml
from rich.console import Console

from rehearsal import account, leftovers, report
from rehearsal.clients import Cluster
from rehearsal.commands import Options, Rehearsal
from rehearsal.state import ROOT

pytestmark = pytest.mark.engine

BASE = {
    "instanceTypes": ["m6i.large", "m5.large"],
    "releaseVersion": "1.35.0-20261101",
    "size": {"min": 2, "max": 3},
    "labels": {"lifecycle": "OnDemand"},
}


@pytest.mark.feature("B-13", "B-35", "B-42")
def test_karpenter_gets_its_rights_by_pod_identity_and_leaves_nothing(tmp_path):
    shipped = yaml.safe_load((ROOT / "stacks" / "Pulumi.nodeless.yaml").read_text())
    config = {k: v for k, v in shipped["config"].items() if k != "frugal-eks:fargate"}
    file = tmp_path / "Pulumi.based.yaml"
    file.write_text(
        yaml.safe_dump({"config": config | {"frugal-eks:managedNodeGroups": {"base": BASE}}})
    )
    options = Options(state=tmp_path / "state", stack="based", stack_file=file)
    rehearsal = Rehearsal(options, Console(file=io.StringIO(), width=200))
    rehearsal.start()
    try:
        # Helm waits for the controller's pods, and they for the real controller's health.
        rehearsal.engine().up()
        again = rehearsal.engine().preview()
        pools_ready = report.pools_table(Cluster(rehearsal.state))[1]
        rehearsal.engine().destroy()
        known = account.preexisting(rehearsal.stack_file, rehearsal.state.endpoints)
        left = leftovers.settle(rehearsal.state, known, patience=30, tell=lambda _: None)
    finally:
        rehearsal.stop()

    assert again.is_empty
    assert pools_ready
    assert left == []
