"""How Python asks Postgres: the only folder that imports psycopg."""
