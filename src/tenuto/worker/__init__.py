"""The process that claims and runs tasks: a supervisor that beats, and children that hold user code."""
