"""The VPC: subnets over several zones, a way out to the internet, endpoints; or one that exists."""
