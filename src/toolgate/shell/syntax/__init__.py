"""Shell text as a tree: the lexers and parsers of bash, zsh and dash. Nothing is expanded or evaluated here."""
