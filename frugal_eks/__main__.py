"""Runs `frugal-eks` as `python -m frugal_eks`."""

import sys

from frugal_eks.cli import main

sys.exit(main())
