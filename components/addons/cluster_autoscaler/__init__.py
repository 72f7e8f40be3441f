"""Cluster Autoscaler: gives Auto Scaling groups as many nodes as their pods need."""
