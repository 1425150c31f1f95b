"""Checks the relative links of the pages that are outside the site: README and its neighbours. Run by `make lint`.

The links of the site itself are checked when it is built (`properdocs build --strict`).
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "clients/*/README.md")
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def main() -> int:
    broken = [problem for pattern in PAGES for page in sorted(ROOT.glob(pattern)) for problem in find_broken_links(page)]
    print("\n".join(broken), end="\n" if broken else "")
    return 1 if broken else 0


def find_broken_links(page: Path) -> Iterator[str]:
    for target, anchor in LINK.findall(CODE.sub("", page.read_text())):
        path = page.parent / target if target else page
        if not path.exists():
            yield f"{page.relative_to(ROOT)}: {target} does not exist"
        elif anchor and path.suffix == ".md" and anchor not in list_anchors(path):
            yield f"{page.relative_to(ROOT)}: {target} has no heading #{anchor}"


def list_anchors(page: Path) -> list[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings]


if __name__ == "__main__":
    sys.exit(main())
