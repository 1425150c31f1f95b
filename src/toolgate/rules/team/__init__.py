"""Governance of a team of agents: who may write, read and edit what. Off but in the profile `squad`."""
