"""The Python SDK: everything that users import from `tenuto`."""
