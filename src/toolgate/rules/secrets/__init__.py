"""What is secret is neither written down nor read into a model's context."""
