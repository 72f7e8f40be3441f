"""Karpenter's objects, old and new, as `karpenter.nodePools` and `karpenter.nodeClasses`."""
