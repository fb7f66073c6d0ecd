"""Calls Postgres: the only folder that imports psycopg."""
