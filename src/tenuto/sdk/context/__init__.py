"""What a running task can do: `ctx`."""
