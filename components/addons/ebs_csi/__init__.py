"""EBS CSI driver: volumes that one pod mounts, installed by EKS as an add-on."""
