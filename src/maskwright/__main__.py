"""``python -m maskwright``: the command line."""

from __future__ import annotations

import sys

from maskwright.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
