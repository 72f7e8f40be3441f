"""What `pulumi up` runs: the stack file in, the platform out."""

# ruff: noqa: E402
import gc

# Looking for garbage among 1,400 modules that all stay takes a tenth of each preview's start.
gc.disable()

import pulumi

import stack_config
from eks_platform import Platform, PlatformArgs

gc.freeze()
gc.enable()

platform = Platform("platform", PlatformArgs(config=stack_config.load()))
for output, value in platform.outputs.items():
    pulumi.export(output, value)
