"""Reads argv: options, operands, subcommands, names of programs, and what programs without a row are likely to do."""
