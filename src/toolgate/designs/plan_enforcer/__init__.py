"""The plan enforcer: an experiment runs what its plan names, from settings that replace skipped permissions."""
