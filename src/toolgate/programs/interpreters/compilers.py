"""Programs that produce one file from another: compilers, bundlers, converters, recorders.

Only the files they write matter here. Their content does not come from this call, and is not followed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, PrintedOutput, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.conventions import build_write, find_outputs
from toolgate.programs.argv.program import Program, program_name

from .script_interpreters import run_script_file

_INFORMATION_OPTIONS = frozenset(("--help", "-help", "--version"))


@dataclass(frozen=True, slots=True)
class OutputRow:
    """`options`: those whose value is an output file, as in `convention.named`. `last`: the last operand is an output if there
    are so many; 0: never. `tells`: options with which it only informs. `language`: of the sources that it compiles to a
    program."""

    options: frozenset[str]
    last: int = 0
    tells: frozenset[str] = _INFORMATION_OPTIONS
    language: str = ""

    def report_effects(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if not any(word.text in self.tells for word in argv[1:]):
            operands = [word for word in argv[1:] if word.starts_with("-") is not True]
            outputs = list(find_outputs(argv, self.options))
            program = self._program_content(operands, context)
            for word, is_folder in outputs:
                effect = build_write(word, is_folder, context)
                yield effect if program is None or is_folder else effect._replace(content=program, append=False)
            if program is not None and not outputs:
                yield Write(context.resolve_place(self._default_output(operands)), program, False, context.origin)
            if self.last and len(operands) >= self.last and operands[-1] is argv[-1]:
                yield build_write(argv[-1], False, context)
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    def _program_content(self, operands: list[Word], context: ExecutionContext) -> Word | None:
        """Returns the program's behaviour as its source, if this call wrote the source: text whose first line names the
        language."""
        if not self.language:
            return None
        texts = [text for word in operands if word.tail.endswith(_SOURCES) for text in context.read_alternatives(word)]
        written_here = [text for text in texts if text.text is not None and text.src - {context.origin.command}]
        return join_words([known_word(f"#!{self.language}\n"), *written_here], "\n") if written_here else None

    def _default_output(self, operands: list[Word]) -> Word:
        """Returns the default output: most compilers name a program after its source, those of C do not."""
        source = next((word for word in operands if word.tail.endswith(_SOURCES)), known_word("a.out"))
        return (
            known_word((source.text or "a.out").rpartition("/")[2].rpartition(".")[0])
            if self.language != "c"
            else known_word("a.out")
        )


_SOURCES = (".ml", ".c", ".cc", ".cpp", ".cxx", ".rs", ".nim", ".zig", ".d", ".hs", ".swift")
_LANGUAGES = {
    "rustc": "rust",
    "nim": "nim",
    "zig": "zig",
    "dmd": "d",
    "ghc": "haskell",
    "swiftc": "swift",
    **dict.fromkeys(("ocamlfind", "ocamlopt", "ocamlc"), "ocaml"),
    **dict.fromkeys(("ldc2", "gdc"), "d"),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++", "tcc"), "c"),
}
"""Compilers whose output can be executed directly."""

# ---- the rows

_MAKERS: tuple[tuple[str, str, int], ...] = (
    (
        "gcc g++ cc c++ clang clang++ tcc gfortran gdc ldc2 nvcc emcc em++ mpicc mpicxx icx icpx ifx ifort mpifort cobc hipcc",
        "-o* -MF* -aux-info --output -dumpdir/ -save-temps --serialize-diagnostics",
        0,
    ),
    ("ld ld.bfd ld.gold ld.lld gold lld mold", "-o* --output -Map --dependency-file", 0),
    ("as nasm yasm", "-o* -l* -MD --MD", 0),
    ("strip dwp", "-o*", 0),
    ("objcopy cpp", "-o*", 2),
    ("rustc", "-o* --out-dir/ --emit", 0),
    ("nim", "-o* --out --outdir/", 0),
    ("zig", "-o* -femit-bin -femit-asm --prefix/", 0),
    ("javac scalac groovyc", "-d/ -s/ -h/", 0),
    ("tsc", "--outDir/ --outFile --out --declarationDir/ --tsBuildInfoFile --generateTrace/", 0),
    ("swiftc ghc ocamlfind ocamlopt ocamlc fpc dmd gnatmake valac mlton csc", "-o* -outputdir/ -odir/ -hidir/", 0),
    ("bison yacc flex lex", "-o* --output --defines --outfile", 0),
    ("esbuild", "--outfile --outdir/ --metafile", 0),
    ("rollup", "-o* --file --dir/ -d/", 0),
    ("webpack", "-o*/ --output-path/ --output-filename", 0),
    ("parcel", "--dist-dir/ --cache-dir/", 0),
    ("swc babel", "-o --out-file --out-dir/ -d/", 0),
    ("sass lessc stylus", "-o", 2),
    ("pandoc", "-o* --output --log --extract-media/ --data-dir/", 0),
    ("pdflatex xelatex lualatex latex latexmk", "-output-directory/ -outdir/ -auxdir/ --output-directory/", 0),
    ("dot neato fdp sfdp circo", "-o*", 0),
    ("mmdc", "-o --output", 0),
    ("inkscape rsvg-convert cairosvg", "-o* --output --export-filename", 0),
    ("convert magick gm ffmpeg sox wkhtmltopdf wkhtmltoimage qpdf pdftotext pdftoppm ps2pdf", "-o -write", 2),
    ("cwebp dwebp avifenc optipng pngquant", "-o --output -out", 0),
    ("gs", "-sOutputFile -o*", 0),
    ("soffice libreoffice", "--outdir/", 0),
    ("xmllint xsltproc", "-o --output", 0),
    ("protoc", "-o* --descriptor_set_out --python_out/ --cpp_out/ --java_out/ --go_out/ --js_out/ --ruby_out/ --csharp_out/", 0),
    ("tcpdump tshark dumpcap", "-w*", 0),
    ("mysqldump mariadb-dump", "-r* --result-file -T*/ --tab/ --log-error", 0),
    ("pyinstaller", "--distpath/ --workpath/ --specpath/", 0),
)


_PG_DUMP = OutputRow(frozenset(("-f*", "--file")))


def pg_dump(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """pg_dump: with `--clean` its statements drop the objects before they create them."""
    if any(word.text in ("--clean", "-c") for word in argv[1:]):
        yield PrintedOutput(known_word("DROP TABLE every_table_of_the_dump;\n", context.unknown_output("pg_dump").src))
    yield from _PG_DUMP.report_effects(argv, context)


def plantuml(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`-o FOLDER` is relative to the folder of each input, not to the one it is called in."""
    operands = [
        word for before, word in pairwise(argv) if word.starts_with("-") is not True and before.text not in ("-o", "-output")
    ]
    for option, folder in pairwise(argv):
        if option.text not in ("-o", "-output", "--output-dir"):
            continue
        for source in operands or [known_word(".")]:
            above = Word((*source.parts[:-1], source.tail.rpartition("/")[0] or "."), src=source.src)
            output_folder = folder if folder.starts_with("/") is True else above + known_word("/") + folder
            yield build_write(output_folder, True, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def tcc(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`tcc -run FILE` compiles and runs the program at once; `-` is standard input."""
    yield from OutputRow(frozenset(("-o*",)), language="c").report_effects(argv, context)
    for option, file in pairwise(argv):
        if option.text == "-run" and file.text == "-":
            yield Interpret("c", context.stdin, context.origin, via=Carrier("tcc", "-run"))
        elif option.text == "-run":
            yield from run_script_file("c", file, (), context)


_SSH_KEYGEN_READ_OPTIONS = _INFORMATION_OPTIONS | frozenset(
    ["-l", "-B", "-y", "-e", "-F", "-L", "-Q"]
)  # fingerprints, public keys, known hosts
ROWS: dict[str, Program] = {
    name: Program(does=OutputRow(frozenset(options.split()), last, language=_LANGUAGES.get(name, "")).report_effects)
    for names, options, last in _MAKERS
    for name in names.split()
} | {
    "pg_dump": Program(does=pg_dump),
    "pg_dumpall": Program(does=pg_dump),
    "plantuml": Program(does=plantuml),
    "tcc": Program(does=tcc),
    "ssh-keygen": Program(does=OutputRow(frozenset(("-f*",)), tells=_SSH_KEYGEN_READ_OPTIONS).report_effects),
}
