"""Connections to Postgres: connection pools, statements, wake-ups, and the conversion of errors to Tenuto's
exceptions."""
