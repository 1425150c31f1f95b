"""The guardrail hooks: severe operations are blocked, moderate ones confirmed, and paths decide."""
