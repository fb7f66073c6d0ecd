"""Connections to Postgres: pools, statements, listening, and errors turned into exceptions."""
