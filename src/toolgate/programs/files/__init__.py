"""Programs that read, write, search, convert and pack files."""
