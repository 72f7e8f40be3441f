"""`python -m frugal_eks` is `./frugal-eks`."""

import sys

from frugal_eks.cli import main

sys.exit(main())
