"""Code shared by the script languages Ruby, PHP, Lua and Perl.

Each language is a lowered grammar, a table of calls and a few words of its own. A text is analysed as a whole: its tree is
lowered to the evaluator's nodes.
"""
