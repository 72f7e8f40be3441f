"""Replays a day's load with the real Karpenter, and reckons what that cost."""
