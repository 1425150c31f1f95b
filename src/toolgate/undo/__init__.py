"""Keeps copies of what a call deletes or overwrites, and restores them.

`losses`, `repositories`: which paths a call would lose. `survey`: what is at these paths, within a budget. `vault`: the store of
copies. `comparing`, `restoring`: how they are restored. The contents of the store are the one exception to law 11.
"""
