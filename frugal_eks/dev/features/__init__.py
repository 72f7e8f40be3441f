"""Maps features to the tests that prove them: `python -m frugal_eks.dev.features`."""
