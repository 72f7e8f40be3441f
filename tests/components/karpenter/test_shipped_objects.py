"""Every node pool and node class of every shipped stack, against Karpenter's own CRDs."""

import runpy
from pathlib import Path

import pytest
import yaml

from components.karpenter.crd_rules import violations

ROOT = Path(__file__).parents[3]
STACK_FILES = sorted(ROOT.glob("stacks/Pulumi.*.yaml"))
KINDS = {
    "kubernetes:karpenter.sh/v1:NodePool": "NodePool",
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": "EC2NodeClass",
}


@pytest.mark.parametrize("file", STACK_FILES, ids=lambda file: file.name)
def test_the_api_server_takes_every_node_pool_and_node_class(deploy, account, file):
    settings = yaml.safe_load(file.read_text())["config"]

    def program() -> None:
        runpy.run_path(str(ROOT / "__main__.py"))

    deployment = deploy(program, account, settings=settings)
    declared = [one for one in deployment.declared if one.request.type in KINDS]

    karpenter = settings.get("frugal-eks:karpenter") or {"nodePools": {}, "nodeClasses": {}}
    assert len(declared) == len(karpenter["nodePools"]) + len(karpenter["nodeClasses"])
    for urn, inputs, request in declared:
        assert violations(KINDS[request.type], inputs) == [], urn
