"""`ctx`: the calls that a running task can make."""
