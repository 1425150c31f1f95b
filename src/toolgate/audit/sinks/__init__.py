"""Where records go: a module each, with `append(folder, record) -> problem`."""
