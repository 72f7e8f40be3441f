"""Workloads of a cluster besides add-ons: samples, headroom and the user's own releases."""
