"""Pools that keep a number of nodes, whatever pods there are."""

import pytest

from tests.components.karpenter.node_pools.node_pool import config, spec, told


@pytest.mark.parametrize("replicas", [0, 3])
def test_a_static_pool_keeps_a_number_of_nodes(replicas):
    found = spec(replicas=replicas, limits={"nodes": 4})

    assert found["replicas"] == replicas
    assert found["limits"] == {"nodes": "4"}
    assert config(replicas=replicas).is_static
    assert not config().is_static


def test_a_static_pool_has_only_what_it_reads():
    assert told(replicas=3, weight=10, limits={"cpu": 8, "memory": "1Gi", "nodes": 2}) == [
        "weight: a pool with replicas has none, as it waits for no pods: drop one of both (got 10)",
        "limits.cpu: a pool with replicas is limited by nodes only: drop it, or write limits.nodes "
        '(got "8")',
        "limits.memory: a pool with replicas is limited by nodes only: drop it, or write "
        'limits.nodes (got "1Gi")',
        'limits.nodes: lies below replicas, 3: raise it, or drop it (got "2")',
    ]


def test_a_pool_does_not_shrink_below_nothing():
    assert told(replicas=-1) == [
        "replicas: Input should be greater than or equal to 0: raise it (got -1)"
    ]
