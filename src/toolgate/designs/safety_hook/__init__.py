"""The safety hook: every project of a fleet gets its hook before a headless agent starts there."""
