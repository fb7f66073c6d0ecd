"""The built-in operators, which jobs of DAGs run; one file per operator. `app.py` turns them into task types."""
