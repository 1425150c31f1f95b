"""Answers the host's own permission prompt for a call whose every effect is proven harmless (law 2).

Pure; loaded only where the policy sets `answer_prompts`. An unproven call is left to the host without a message.
"""
