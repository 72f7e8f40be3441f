"""What a cluster left in the account after its destroy: lists it, and removes it on request."""
