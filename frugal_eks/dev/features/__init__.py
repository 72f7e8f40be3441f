"""Which feature is proved by which test: `python -m frugal_eks.dev.features`."""
