"""Answers the host's own question about a call where every effect of it is proven (law 2): pure, and loaded only where the policy
sets `answer_prompts`. What is not proven is left to the host, without a word."""
