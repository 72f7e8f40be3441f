"""The EKS control plane, its Fargate profiles, and the add-ons that EKS installs."""
