"""Groups of EC2 nodes: those that EKS manages, and Auto Scaling groups of the stack's own."""
