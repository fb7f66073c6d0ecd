"""The exponent that bench/growth.py computes."""

import pytest

from bench.growth import exponent


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_the_exponent_of_a_power_of_n_is_that_power(power):
    assert exponent({n: 0.001 * n**power for n in (100, 400, 1600)}) == pytest.approx(power)
