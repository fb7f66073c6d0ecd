"""An orchestrator that is just Postgres: the names a user imports, and only those."""

__all__: list[str] = []
