"""EBS CSI driver: volumes of one pod each, as an add-on that EKS keeps."""
