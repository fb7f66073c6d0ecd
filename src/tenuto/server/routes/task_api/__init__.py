"""The routes that running tasks call (`/v1/task/*`)."""
