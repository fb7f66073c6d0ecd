"""The command line: connects the other packages. Only this package and sdk/connect.py read the environment."""
