"""Rules that keep secrets out of files, messages and the model's context."""
