"""Puts the gate in place before an agent starts, starts the agent with the gate locked on, and watches that it stays."""
