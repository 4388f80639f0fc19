"""Grammar files, packaged as ``maskwright.grammars``."""
