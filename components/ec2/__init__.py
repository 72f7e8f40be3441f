"""EC2's instance types, the places that offer them, and images."""
