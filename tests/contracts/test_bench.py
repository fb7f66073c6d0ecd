"""The benchmarks import: neither make check nor CI runs them, and a rename once broke two of them unseen."""

from importlib import import_module
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.py")))
def test_a_benchmark_imports(name: str) -> None:
    import_module(f"bench.{name}")
