"""Copies of what a call deletes or overwrites, and giving them back.

`losses`: which paths a call would lose. `survey`: what lies at them, within a budget. `vault`: where copies are kept.
`restoring`: how they are given back. What stands in the store is the one exception to law 11.
"""
