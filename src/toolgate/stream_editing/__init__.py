"""Scripts of sed and patterns of POSIX, applied to texts that are known."""
