"""What a person allowed, and what was counted: pure functions over documents of state. Whoever keeps them is `stores`."""
