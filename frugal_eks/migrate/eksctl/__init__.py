"""Converts eksctl's ClusterConfig: cluster, network, node groups, profiles and rights."""
