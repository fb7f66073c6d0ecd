"""What an endpoint works with: one class per kind of principal."""
