"""IAM roles of AWS services and of pods."""
