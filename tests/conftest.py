"""What every test stands on: hypothesis profiles, and which kernel runs."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from maskwright.kernel import walk

# The cores are shared, so no example has a deadline; too slow is told by the duration of the whole run.
_CALM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("here", max_examples=50, **_CALM)  # type: ignore[arg-type]
settings.register_profile("ci", max_examples=50, derandomize=True, print_blob=True, **_CALM)  # type: ignore[arg-type]
settings.register_profile("long", max_examples=2_000, print_blob=True, **_CALM)  # type: ignore[arg-type]
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "here"))


def pytest_report_header() -> str:
    """Say which kernel is tested: ``.ci/run`` runs the unit tests with both."""
    return f"maskwright kernel: {'uncompiled' if walk.__file__.endswith('.py') else 'compiled'}, {walk.__file__}"
