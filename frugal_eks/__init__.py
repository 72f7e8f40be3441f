"""The commands for people, beside `pulumi up`."""
