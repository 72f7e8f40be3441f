"""Room that is kept free, by pods that any other pod may push aside, or by Karpenter itself."""
