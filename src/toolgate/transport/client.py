"""`python3 -I -S /abs/client.py HOST EVENT`: the client without a native one. Its code is in twin.py.

A program given by its path is compiled at every start, a module once, so this one is short.
"""

import sys

sys.path.insert(0, __file__.rpartition("/")[0])
import twin  # type: ignore[import-not-found]

del sys.path[0]
if __name__ == "__main__":
    twin.main(sys.argv[1:])
