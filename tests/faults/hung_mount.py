"""A file system that never answers: `hung_mount.py FOLDER` mounts it (FUSE) until standard input ends."""

import ctypes
import os
import sys


def main(folder: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
    if library.mount(b"hung", folder.encode(), b"fuse", 0, options):
        sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
    print("mounted", flush=True)
    sys.stdin.read()
    os.close(device)  # whoever waits for it goes on
    library.umount2(folder.encode(), 2)


if __name__ == "__main__":
    main(sys.argv[1])
