"""The gate behind the callbacks of agents' SDKs: the same flow as behind a host's hooks, in the program's own process. GROWS."""

ADAPTERS: dict[str, str] = {
    "claude": "claude-agent-sdk",
    "copilot": "github-copilot-sdk",
}
"""Module -> the package on PyPI that it adapts, which is imported by the program alone. A test holds it against the modules."""
