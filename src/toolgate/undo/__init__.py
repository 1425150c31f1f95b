"""Copies of what a call deletes or overwrites, and giving them back.

`losses`, `repositories`: which paths a call would lose. `survey`: what lies at them, within a budget. `vault`: where copies are.
`comparing`, `restoring`: how they are given back. What stands in the store is the one exception to law 11.
"""
