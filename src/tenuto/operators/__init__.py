"""Built-in operators, one file each: what the jobs of DAGs run. `app.py` turns them into task types."""
