"""The request objects that endpoints work with: one class per kind of principal."""
