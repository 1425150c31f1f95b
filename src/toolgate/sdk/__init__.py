"""The gate behind the callbacks of agents' SDKs: as behind a host's hooks, in the program's own process. GROWS."""

ADAPTERS: dict[str, str] = {
    "claude": "claude-agent-sdk",
    "copilot": "github-copilot-sdk",
}
"""Module -> the package on PyPI that it adapts, which only the program imports. A test compares it with the modules."""
