"""Programs that run other commands: wrappers, schedulers, terminals, agents."""
