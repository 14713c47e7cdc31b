"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# The same examples in each run, and no clock: a red run can be repeated, a slow machine is not a failure.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real documents, beside the checkout or at PAPERROUND_SHARED; skips without it."""
    folder = Path(os.environ.get("PAPERROUND_SHARED") or ROOT.parent / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(f"no shared data at {folder}; set PAPERROUND_SHARED to the folder that holds data/")
    return folder
