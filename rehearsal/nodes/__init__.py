"""Plays the data plane: a node for each pod on Fargate, and the real Karpenter for its pods."""
