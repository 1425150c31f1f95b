"""Constants that are written out in the code of languages that are read by their literals."""

from toolgate.languages.literal.assigned_texts import substitute_constants


def test_a_word_longer_than_any_name_is_shortened() -> None:
    code = f'val blob = "{"a" * 39_000}"\nval dir = "/srv/data"\nFile(dir).deleteRecursively()\n'
    written = substitute_constants(code, "kotlin", "/home/u")
    assert len(written) < 2_000
    assert '"/srv/data".deleteRecursively()' in written
