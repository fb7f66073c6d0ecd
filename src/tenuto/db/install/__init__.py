"""Creates and migrates the schema."""
