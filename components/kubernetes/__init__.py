"""What Kubernetes itself says: its quantities, labels and objects, and how its API is reached."""
