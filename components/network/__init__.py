"""The VPC of the cluster: a new one with subnets, way out and endpoints, or an existing one."""
