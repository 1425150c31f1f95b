"""Rules about the origin of values and files."""
