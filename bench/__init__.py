"""Benchmarks: ratios to the raw limit of Postgres, measured in one run on one server."""
