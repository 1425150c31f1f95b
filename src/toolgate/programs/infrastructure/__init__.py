"""Programs that change what runs elsewhere: cloud providers, clusters, containers, forges, platforms, vaults."""
