"""Lists what a destroyed cluster left in the account, and removes it on request."""
