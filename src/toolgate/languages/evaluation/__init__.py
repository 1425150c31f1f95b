"""One abstract evaluator for every language of code: a language lowers its text to `nodes`, and says what its libraries do.

A text is read once, over values that are known, half known or unknown. Branches are joined where they meet, loops are read until
nothing changes, and every function that nothing called is read too. Effects are reported as they are met.
"""
