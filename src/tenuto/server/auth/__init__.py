"""Authenticates users, API keys, workers and tasks."""
