"""Code shared by the languages Ruby, PHP, Lua, Perl and Go.

Each language is a lowered grammar, a table of calls and a few words of its own. A text is analysed as a whole: its tree is
lowered to the evaluator's nodes.
"""
