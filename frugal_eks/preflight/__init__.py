"""What would stop a stack file on this account, told before `pulumi up` makes anything."""
