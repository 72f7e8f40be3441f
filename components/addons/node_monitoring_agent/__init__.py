"""EKS node monitoring agent: conditions of nodes that kubelet does not see."""
