"""What the workflows in .github do with pull requests: stacks, comments, approvals."""
