"""Policy rules for pull requests: as a Pulumi policy pack, and over a preview file."""
