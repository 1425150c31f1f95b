"""Renders the audit log as one HTML file: figures at the top, each call on demand.

The page fetches nothing and executes nothing that was recorded.
"""
