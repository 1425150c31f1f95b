"""Values and files by where they come from."""
