"""Calls Postgres. Only this folder imports psycopg."""
