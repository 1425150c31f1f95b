"""What every test shares: how hard properties are tried, and that a missing program is a failure where it was promised."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "fuzz",
    deadline=None,
    print_blob=True,
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "2000")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")

PROMISED = {"REQUIRE_SHELLS": ("bash", "dash", "zsh"), "REQUIRE_CLIENTS": ("node", "npm", "tmux"), "REQUIRE_NATIVE": ("gcc",)}


def pytest_configure(config: pytest.Config) -> None:
    """`.ci/run` sets the REQUIRE variables: without the programs, tests would be skipped in silence."""
    for variable, programs in PROMISED.items():
        missing = [program for program in programs if os.environ.get(variable) == "1" and shutil.which(program) is None]
        if missing:
            raise pytest.UsageError(f"{variable}=1, but {', '.join(missing)} cannot be found")
