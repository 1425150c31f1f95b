"""Programs that show the names and the attributes of files, and programs that compare or describe the files that they name.

GROWS: a name in one of the two lists.
"""

from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program

_OF_NAMES = "eza exa lsd namei getfacl getfattr lsattr pathchk ncdu dust broot vdir dir"
"""They read no content: `eza -la ~/.ssh`."""
_OF_CONTENT = (
    "cmp diff3 colordiff wdiff difft icdiff ldd dwarfdump fmt pr tsort expand unexpand zless zmore"
    " zipinfo lsar pdfinfo pdfgrep mediainfo soxi hexyl sum"
)
"""They read the files that they name, and write nothing: `cmp -s a.txt ~/.bashrc`."""

ROWS: dict[str, Program] = {
    "tree": Program(
        Flags(
            "-a -d -f -i -l -x -L= -P= -I= -o=write -H= -T= -h -s -p -u -g -D -F -C -n -J -X -r -t --filelimit= --fromfile --prune --gitignore"
        )
    ),
    **{name: Program(Flags("")) for name in _OF_NAMES.split()},
    **{name: Program(Flags(""), "read*") for name in _OF_CONTENT.split()},
}
