"""The tools of a rehearsal: found on this machine, or built from Go modules and cached."""

from rehearsal.toolchain.builder import ensure
from rehearsal.toolchain.families import CLUSTER, ENGINE, REHEARSAL

__all__ = ["CLUSTER", "ENGINE", "REHEARSAL", "ensure"]
