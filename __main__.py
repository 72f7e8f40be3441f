"""What `pulumi up` runs: the stack file in, the platform out."""

# ruff: noqa: E402
import gc

# Looking for garbage among 1,400 modules that all stay takes a tenth of each preview's start.
gc.disable()

import pulumi

from eks_platform import Platform, PlatformArgs
from stack_config.load import load

gc.freeze()
gc.enable()

platform = Platform("platform", PlatformArgs(config=load()))
for output, value in platform.outputs.items():
    pulumi.export(output, value)
