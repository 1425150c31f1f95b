"""What the languages of scripts share: Ruby, PHP, Lua and Perl are each a grammar that is lowered, a table of calls, and a few
words of their own. Trees are lowered to the evaluator's nodes, and a text is read as a whole.
"""
