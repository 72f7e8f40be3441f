"""The policy pack: `pulumi preview --policy-pack` runs this folder in its own `.venv`."""

import io
import os
import sys
from pathlib import Path

# Pulumi runs the folder, not the package: its neighbours are found from the checkout.
sys.path[0] = str(Path(__file__).resolve().parents[3])

from pulumi_policy import PolicyPack  # noqa: E402

from frugal_eks.plans.policy.pack import NAME, policies  # noqa: E402

# The engine waits for the port, and PolicyPack writes it without a flush: where the language host
# has not switched buffering off it would wait for ever.
sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", 0), write_through=True)
PolicyPack(NAME, policies=policies())
