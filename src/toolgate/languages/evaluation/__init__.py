"""An abstract evaluator for all languages: a language lowers its text to `nodes`, and describes its libraries.

A text is read once, over values that are known, partly known or unknown. Branches are joined where they meet, loops are read
until a fixpoint, and functions that were not called are read, too. Effects are reported in the order they are found.
"""
