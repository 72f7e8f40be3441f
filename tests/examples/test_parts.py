"""Every component can be the first that a program imports."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.engine

COMPONENTS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "components").rglob("*.py")
    if "pulumi.ComponentResource)" in path.read_text()
)

# One child a module, each of which begins with nothing of ours imported.
FORK = """
import os, sys
import pulumi, pulumi_aws, pulumi_aws.ec2, pulumi_aws.eks, pulumi_kubernetes, pydantic
for module in sys.argv[1:]:
    if not os.fork():
        try:
            __import__(module)
        except BaseException as error:
            print(f"{module}: {error}", flush=True)
        os._exit(0)
    os.wait()
"""


def test_every_component_can_be_imported_first():
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK, *COMPONENTS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "components.karpenter.karpenter" in COMPONENTS
    assert ended.stdout == ""
