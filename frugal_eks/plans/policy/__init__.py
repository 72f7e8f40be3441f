"""Rules that a pull request must keep: as a policy pack of Pulumi's, and over a preview's file."""
