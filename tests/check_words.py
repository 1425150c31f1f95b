"""Checks texts for people for forms that they must not use: riddles, inversions and private metaphors.

`make lint` runs it. It checks the reasons of rules, the help of the command line, the README and the pages of the documentation.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    r"counts? for nothing": "have no effect",
    r"\bis no (UTF-8|JSON|TOML)\b": "is not valid ...",
    r"your word (that|on)": "records that ...",
    r"stands? in (the|its) place of": "replaces",
    r"sends, unseen": "without review",
    r"whoever is there": "name who",
    r"what others pushed": "commits that others pushed",
    r"a plan that nobody has seen": "an unreviewed plan",
    r"as closed as its host": "how strictly the gate fails depends on the host",
    r"\"This (deletes|runs|writes|reads|changes|sends|sets) ": "lead with the verb: Deletes ...",
    r"\bsays no more\b": "say it",
}
FILES = ("README.md", "SECURITY.md", "docs/*.md", "docs/hosts/*.md", "src/toolgate/cli/*.py", "src/toolgate/rules/**/*.py")


def main() -> int:
    found = 0
    for path in sorted(path for pattern in FILES for path in ROOT.glob(pattern)):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for form, better in FORBIDDEN.items():
                if re.search(form, line):
                    print(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]!r}: write: {better}")
                    found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
