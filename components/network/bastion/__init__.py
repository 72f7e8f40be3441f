"""A bastion host inside the VPC, for a Kubernetes API that the internet does not reach."""
