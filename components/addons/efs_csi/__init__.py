"""EFS CSI driver: volumes that many pods share, in every zone."""
