"""The command line: connects the other packages. Only it and sdk/connect.py read the environment."""
