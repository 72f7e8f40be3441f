"""Steps of the workflows in .github for pull requests: stacks, comments, approvals."""
