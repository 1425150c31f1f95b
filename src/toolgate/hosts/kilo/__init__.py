"""Kilo CLI. `host` reads and answers its payloads; `places` can be imported without it."""
