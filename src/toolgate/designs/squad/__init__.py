"""Policies for a team of agents: ownership of files, reviews, a blocklist for the shell, redaction."""
