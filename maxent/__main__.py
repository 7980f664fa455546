"""The command line, for ``python -m maxent``."""

import sys

from maxent.cli import main

if __name__ == "__main__":
    sys.exit(main())
