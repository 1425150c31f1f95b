"""What is known of a shell at one point of a text: values, alternatives, state, and how states are joined."""
