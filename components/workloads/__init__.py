"""What runs in the cluster beside add-ons: samples, headroom and releases of the user's own."""
