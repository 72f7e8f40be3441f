"""The control plane, and what EKS runs in it and for it."""
