"""`python -m policy FILE`, and what `pulumi preview --policy-pack policy` starts."""

import io
import os
import sys
from pathlib import Path

if __package__:
    from policy.command import main
else:

    def main() -> int:
        """The policy pack, by the Python of `policy/.venv`: answers until the engine ends it."""
        # Pulumi runs the folder, not the package: its neighbours are found one above.
        sys.path[0] = str(Path(__file__).resolve().parent.parent)

        from pulumi_policy import PolicyPack  # noqa: PLC0415

        from policy.pack import NAME, policies  # noqa: PLC0415

        # The engine waits for the port, and PolicyPack writes it without a flush: where the
        # language host has not switched buffering off it would wait for ever.
        sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", 0), write_through=True)
        PolicyPack(NAME, policies=policies())
        return 0


if __name__ == "__main__":
    sys.exit(main())
