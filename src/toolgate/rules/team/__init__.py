"""Governance of a team of agents: who may write, read and edit what. Off except in the profile for teams."""
