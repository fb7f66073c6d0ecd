"""Runs untrusted code in Linux namespaces, with a system call filter and its own user."""
