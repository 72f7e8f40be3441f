import ast
import re
from pathlib import Path

import pytest

from components import versions

ROOT = Path(__file__).parents[2]
IMAGE = r"al2023-ami-\d+\.\d+\.\d{8}\.\d+-kernel-\d+\.\d+-arm64"
DIGEST = r"sha256:[0-9a-f]{64}"
EXACT = re.compile(rf"v?\d+\.\d+(\.\d+)?(-eksbuild\.\d+)?|{IMAGE}|{DIGEST}")
PINS = {
    name: pin for name, pin in vars(versions).items() if name.isupper() and isinstance(pin, str)
}


def texts(path):
    """Every text of a module that is code and not a docstring."""
    tree = ast.parse(path.read_text())
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
    ]


@pytest.mark.feature("B-18")
def test_every_pin_is_one_exact_number():
    assert {"KARPENTER", "VPC_CNI", "KUBE_PROXY_1_35", "COREDNS_1_35"} <= set(PINS)
    assert {name: pin for name, pin in PINS.items() if not EXACT.fullmatch(pin)} == {}


@pytest.mark.feature("B-18")
def test_no_component_has_a_version_of_its_own():
    found = {
        f"{path.relative_to(ROOT)}: {text}"
        for path in sorted((ROOT / "components").rglob("*.py"))
        if path.name != "versions.py"
        for text in texts(path)
        if re.fullmatch(r"v?\d+\.\d+\.\d+(-\S+)?", text)
    }

    assert found == set()


@pytest.mark.parametrize("kubernetes", versions.EKS_ADDONS)
def test_each_minor_has_all_its_add_ons_and_the_kube_proxy_of_that_minor(kubernetes):
    addons = versions.EKS_ADDONS[kubernetes]

    assert addons.keys() == versions.EKS_ADDONS["1.35"].keys()
    assert addons["kube-proxy"].startswith(f"v{kubernetes}.")


def test_the_newest_minor_has_not_an_older_coredns_than_the_one_before():
    builds = [addons["coredns"] for addons in versions.EKS_ADDONS.values()]

    numbers = [tuple(map(int, re.findall(r"\d+", build)))[:3] for build in builds]
    assert numbers == sorted(numbers)
