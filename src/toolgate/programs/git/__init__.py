"""git and other version control: what each subcommand reads, discards, publishes and runs."""
