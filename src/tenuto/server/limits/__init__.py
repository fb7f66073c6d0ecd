"""Limits on requests, connections and memory."""
