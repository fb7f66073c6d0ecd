"""The command line: connects the other packages. Only this package, sdk/connect.py and sdk/secret_providers.py read the
environment."""
