"""The command line: one command per file, read by :mod:`maskwright.cli.main`."""
