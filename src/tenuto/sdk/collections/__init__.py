"""The collections of a client, such as `tn.tasks` and `tn.dags`: one module per kind, for async and sync code."""
