"""eksctl's ClusterConfig: the cluster, its network, node groups, profiles and rights."""
