"""Evaluates the tree of shell text and yields the commands that it may run, with the state that each of them sees."""
