"""Plays two controllers of AWS: the load balancers of a cluster, and the names in DNS."""
