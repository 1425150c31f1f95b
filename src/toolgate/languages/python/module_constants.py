"""Constants of Python's own modules."""

TEXT_CONSTANTS = {
    "os.sep": "/",
    "os.path.sep": "/",
    "os.curdir": ".",
    "os.pardir": "..",
    "os.linesep": "\n",
    "sys.executable": "/usr/bin/python3",
    "os.devnull": "/dev/null",
}
NUMBER_CONSTANTS = {
    "os.O_WRONLY": 1,
    "os.O_RDWR": 2,
    "os.O_CREAT": 64,
    "os.O_TRUNC": 512,
    "os.O_APPEND": 1024,
    "os.O_RDONLY": 0,
    "signal.SIGKILL": 9,
    "signal.SIGTERM": 15,
    "signal.SIGINT": 2,
    "stat.S_ISUID": 0o4000,
    "stat.S_ISGID": 0o2000,
    "stat.S_IRWXU": 0o700,
    "stat.S_IRWXO": 7,
    "stat.S_IWOTH": 2,
}
