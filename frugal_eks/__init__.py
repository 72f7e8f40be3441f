"""Commands for people, beside `pulumi up`."""
