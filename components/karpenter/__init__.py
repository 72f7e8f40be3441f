"""Karpenter with its node pools and node classes; `karpenter.py` has the component."""
