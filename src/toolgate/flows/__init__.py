"""Sources of confidential text, sinks that text goes to, and which of them belong together.

A source gives a label: `key` (a credential place and everything that contains one), `token` (a secret by its value or its
variable's name, or what a credential printer prints), `environment`, `personal`, `bulk` (a tree, an archive or a dump of the
project), `recording` (the clipboard, the screen, a camera, a microphone). A sink is a network destination, a message
that a third party reads, a commit, an image, or the model. The rules decide which combinations are bad.
"""
