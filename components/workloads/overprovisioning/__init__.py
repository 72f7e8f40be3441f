"""Headroom: capacity kept free by pods that others may replace, or by Karpenter itself."""
