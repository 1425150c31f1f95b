"""The home folder and the folders that each account has there, written out where code asks the system for them."""

import re

_ASKS = r"(?:\w+(?:\.|::|:|/)){0,4}"
_NAME = r"[\"']HOME[\"']"
_HOME_CALLS = "|".join(
    (
        rf"\((?:{_ASKS}|posix-)getenv {_NAME}\)|\(System/getProperty \"user\.home\"\)",
        r"\(find-system-path (?:'home-dir|\(quote home-dir\))\)|\(user-homedir-pathname\)|\((?:babashka\.)?fs/home\)",
        rf"(?<![\w.]){_ASKS}(?:[gG]et_?[eE]nv|GetEnvironmentVariable|fetch_env!|lookupEnv|var(?:_os)?)(?:\({_NAME}\)|\s+{_NAME})",
        r"System\.getProperty\([\"']user\.home[\"']\)|(?:sys\.props|System\.getProperties\(\))\([\"']user\.home[\"']\)",
        rf"(?:System\.getenv(?:\(\))?|sys\.env|(?:Platform\.)?environment|ENV|ProcessInfo\.processInfo\.environment)[\[(]{_NAME}[\])]!?",
        rf"System\.getenv\(\)\.HOME\b|environment\.get\({_NAME}\)|providers\.systemProperty\([\"']user\.home[\"']\)\.get\(\)",
        r"(?<![\w.])(?:\w+::)*(?:home_dir|UserHomeDir|user_home!?)\(\)|\bos\.(?:home_dir\(\)|UserHomeDir\(\)|home\b)",
        r"System\.user_home!?(?:\(\))?|\bgetHomeDir\(\)|\bhomedir\(\)|\bgetHomeDirectory\b|\bPath\.home\b(?!\()",
        r"\bNSHomeDirectory\(\)|(?:\w+(?:\(\))?\.){0,2}homeDirectoryForCurrentUser(?:\.path)?|\bURL\.homeDirectory\b",
        r"\$ENV\{HOME\}|\$(?:::)?env\(HOME\)|\$\*HOME\b|%\*ENV<HOME>|(?:fs::)?path_home\(\)",
        r"(?:path\.expand|path_expand|expanduser|Path\.expand|fs::path_expand)\(\s*[\"']~[\"']\s*\)",
    )
)
_FOLDERS = (
    ("Documents", r"document|documents|mydocuments|personal"),
    ("Desktop", r"desktop|desktopdirectory"),
    ("Downloads", r"download|downloads"),
    ("Pictures", r"picture|pictures|mypictures"),
    ("Music", r"audio|music|mymusic"),
    ("Movies", r"movies|video|videos|myvideos"),
    ("Library", r"library"),
    (".config", r"config|applicationdata|xdgconfig"),
    (".local/share", r"data|datalocal|localapplicationdata|xdgdata"),
    ("", r"home|userprofile"),
)
_FOLDER_CALL = re.compile(
    r"(?:\w+(?:\(\))?\.){0,2}urls?\(\s*for:\s*\.(\w+?)Directory\s*,\s*in:\s*\.userDomainMask[^()]*\)(?:\[0\]|\.first[!?]?)?"
    r"|(?:System\.)?Environment\.GetFolderPath(?:\(\s*|\s+)(?:System\.)?(?:Environment\.)?SpecialFolder\.(\w+)(?:\s*\))?"
    r"|\bdirs(?:_next)?::(\w+?)_dir\(\)|\bget(Config|Data)Dir\(\)|\bos\.User(Config)Dir\(\)|\bgetXdgDirectory\s+(XdgConfig|XdgData)\b"
    r"|\bURL\.(documents|downloads|desktop|pictures|music|movies|library)Directory\b"
)
"""Calls for a folder that each account has, whose kind they name."""
_HOME = re.compile(_HOME_CALLS)
_HOME_IN_TEXT = re.compile(
    rf"(?:[$#]\{{|\\\(|(?<=[\"/])\{{)\s*(?:{_HOME_CALLS})\s*[}})]"
    r"|(?<=\")(?:\$ENV\{HOME\}|\$(?:::)?env\(HOME\)|\{?\$\*HOME\}?)(?=[^\"\n]*\")"
)


_NAMES_HOME = re.compile(r"[hH](?i:ome)|~")
_NAMES_FOLDER = re.compile(r"Directory|Folder|dirs|Config|DataDir")
"""What stands in any of these calls: code without it is not searched for them."""


def write_home_in_texts(text: str, home: str) -> str:
    """Returns the code with the home folder written out where texts interpolate it."""
    if _NAMES_HOME.search(text) is None:
        return text
    return _HOME_IN_TEXT.sub(lambda _: home, text)


def write_home_folders(text: str, home: str) -> str:
    """Returns the code with a literal text for each call that returns the home folder or a folder that each account has there."""

    def write_folder(call: re.Match[str]) -> str:
        kind = next(group for group in call.groups() if group).lower().replace("_", "")
        folder = next((folder for folder, kinds in _FOLDERS if re.fullmatch(kinds, kind)), None)
        return call[0] if folder is None else f'"{f"{home}/{folder}".rstrip("/")}"'

    if _NAMES_FOLDER.search(text) is not None:
        text = _FOLDER_CALL.sub(write_folder, text)
    return _HOME.sub(lambda _: f'"{home}"', text) if _NAMES_HOME.search(text) is not None else text
