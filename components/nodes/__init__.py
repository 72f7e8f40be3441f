"""EC2 nodes of a cluster: EKS managed node groups, and Auto Scaling groups that the stack owns."""
