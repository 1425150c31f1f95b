"""Package managers, registries and the environments that they create."""
