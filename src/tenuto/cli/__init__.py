"""The command line: wires everything, and reads the environment."""
