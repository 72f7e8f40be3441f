"""Which feature is proved by which test: `python -m features`."""
