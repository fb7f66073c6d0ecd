"""Measurements: ratios to the raw limit of Postgres, taken in one run on one server."""
