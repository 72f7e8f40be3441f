"""What EC2 offers: instance types, where they are offered, and images."""
