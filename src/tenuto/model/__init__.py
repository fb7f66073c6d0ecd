"""What things are: values and errors, no I/O."""
