"""Agent hooks of VS Code. `host` reads and answers their payloads; `places` can be imported without it."""
