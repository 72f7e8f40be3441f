"""Converts Karpenter's objects, old and new, to `karpenter.nodePools` and
`karpenter.nodeClasses`.
"""
