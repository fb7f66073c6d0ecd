"""Encodes and decodes the inputs and outputs of tasks."""
