"""DAG documents: from YAML to checked definitions, hashes and differences. Pure: no database, no files, no clock."""
