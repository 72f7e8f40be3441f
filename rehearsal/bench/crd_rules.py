"""Measures what the check of Karpenter's objects costs a program at its start.

python -m rehearsal.bench.crd_rules    once, in this interpreter: milliseconds on standard output
"""

import importlib
import json
import subprocess
import sys
import time
from statistics import median
from typing import Any

from rehearsal.errors import RehearsalError

POOLS, CLASSES = 20, 2
_WITHIN = 60
_POOL: dict[str, Any] = {
    "nodeClass": "class-0",
    "labels": {"intent": "apps", "team": "a"},
    "capacityTypes": ["spot", "on-demand"],
    "requirements": [
        {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gte", "values": ["4"]},
        {"key": "karpenter.k8s.aws/instance-size", "operator": "NotIn", "values": ["metal"]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eu-west-1a"]},
    ],
    "taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}],
    "startupTaints": [{"key": "example.com/agent", "effect": "NoExecute"}],
    "limits": {"cpu": 1000, "memory": "1000Gi"},
    "disruption": {
        "budgets": [
            {"nodes": "10%"},
            {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"},
            {"nodes": "1", "reasons": ["Drifted"]},
        ]
    },
}
_CLASS: dict[str, Any] = {"amiAlias": "al2023@v20260930", "tags": {"team": "a"}}
SETTINGS: dict[str, Any] = {
    "aws:region": "eu-west-1",
    "cluster": {"existing": "dev"},
    "karpenter": {
        "nodeClasses": {f"class-{number}": _CLASS for number in range(CLASSES)},
        "nodePools": {f"pool-{number}": _POOL | {"weight": number + 1} for number in range(POOLS)},
    },
}
"""A stack file with common settings of pools."""

# What the program loads whether it checks or not, and what it loads for the check alone.
_ALWAYS = ("pulumi", "components.karpenter.node_pools", "components.karpenter.node_classes")
_FOR_THE_CHECK = ("components.karpenter.crd_rules", "components.karpenter.manifest_paths")


def milliseconds(rounds: int) -> float:
    """Median of several fresh interpreters. Raises RehearsalError if one fails."""
    return median(_fresh() for _ in range(rounds))


def _fresh() -> float:
    command = [sys.executable, "-m", "rehearsal.bench.crd_rules"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_WITHIN)
    if ran.returncode:
        raise RehearsalError(f"The check of {POOLS} node pools failed.\n{ran.stderr}")
    return float(ran.stdout)


def _once() -> float:
    """Milliseconds from the first import that only the check needs until its verdict."""
    for name in _ALWAYS:
        importlib.import_module(name)
    began = time.perf_counter()
    for name in _FOR_THE_CHECK:
        importlib.import_module(name)
    loaded = time.perf_counter() - began

    model = importlib.import_module("stack_config.model").StackConfig
    check = importlib.import_module("stack_config.rules.karpenter_objects")
    config = model.model_validate_json(json.dumps(SETTINGS), by_alias=True, by_name=False)
    began = time.perf_counter()
    mistakes = list(check.karpenter_objects_are_valid(config))
    if mistakes:
        raise RehearsalError(f"What is measured is itself not valid: {mistakes[0]}")
    return 1000 * (loaded + time.perf_counter() - began)


if __name__ == "__main__":
    print(_once())
