"""Codex. What it hears and answers is in `host`; its places alone cost nothing else."""
