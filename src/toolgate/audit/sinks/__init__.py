"""Sinks of records: a module each, with `append(folder, record) -> problem`."""
