"""The commands, one module per command."""
