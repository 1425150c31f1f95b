"""Putting the gate in place before an agent starts, starting it so that the gate stays, and looking whether it still is."""
