"""Runs SELECTs over datasets: resolves the datasets that a SELECT reads, then runs it in a sandboxed process of its
own."""
