"""Each construct of the language, and its tree.

A tree is written in brackets: a word as it stands with what is quoted in «», an expansion as its parts in brackets.
"""

import pytest

from toolgate.shell.syntax import tree as syntax
from toolgate.shell.syntax.parser import parse


def render_tree(value: object) -> str:  # noqa: C901, one case for each node
    match value:
        case syntax.Program(body, None):
            return " ".join(map(render_tree, body.items))
        case syntax.Program(body, syntax.ParseError(why)):
            return f"{render_tree(syntax.Program(body))} !{why}".strip()
        case syntax.Sequence(items):
            return " ; ".join(map(render_tree, items))
        case syntax.Text(text, quoted):
            return f"«{text}»" if quoted else text
        case syntax.Parameter(name, quoted, _, prefix, subscript, operator, argument, replacement):
            parts = [f"{prefix}{name}" + (f"[{render_tree(subscript)}]" if subscript else ""), operator]
            parts += [render_tree(part) for part in (argument, replacement) if part is not None]
            return ("«${%s}»" if quoted else "${%s}") % " ".join(part for part in parts if part)
        case syntax.Substitution(body, quoted):
            return ("«$(%s)»" if quoted else "$(%s)") % render_tree(body)
        case syntax.Process(direction, body):
            return f"{direction}({render_tree(body)})"
        case syntax.Arithmetic(pieces):
            return f"$(({''.join(map(render_tree, pieces))}))"
        case syntax.ShellWord(pieces):
            return "".join(map(render_tree, pieces))
        case syntax.Element(key, word, append):
            return (f"[{render_tree(key)}]{'+' * append}=" if key else "") + render_tree(word)
        case syntax.Assignment(name, word, _, append, subscript, elements):
            target = name + (f"[{render_tree(subscript)}]" if subscript else "") + "+" * append
            return f"{target}:={render_tree(word) if elements is None else '(' + ' '.join(map(render_tree, elements)) + ')'}"
        case syntax.Redirect(descriptor, operator, target):
            if operator in ("<<", "<<-"):
                return f"{descriptor}{operator}'{render_tree(target)}'".replace("\n", "\\n")
            return f"{descriptor}{operator}{render_tree(target)}"
        case syntax.Simple(assignments, words, redirects):
            return "[" + " ".join(map(render_tree, (*assignments, *words, *redirects))) + "]"
        case syntax.Pipeline(commands, _, both):
            return "(pipe " + " ".join(render_tree(node) + "&" * (index in both) for index, node in enumerate(commands)) + ")"
        case syntax.AndOr(first, rest):
            return "(" + render_tree(first) + "".join(f" {operator} {render_tree(node)}" for operator, node in rest) + ")"
        case syntax.Not(node) | syntax.TimedPipeline(node) | syntax.Background(node):
            return f"({type(value).__name__.lower()} {render_tree(node)})"
        case syntax.Group(body) | syntax.Subshell(body):
            return f"({type(value).__name__.lower()} {render_tree(body)})"
        case syntax.If(branches, otherwise):
            text = " ".join(f"{render_tree(condition)} then {render_tree(body)}" for condition, body in branches)
            return f"(if {text}" + (f" else {render_tree(otherwise)})" if otherwise else ")")
        case syntax.While(condition, body, _, _):
            return f"(while {render_tree(condition)} do {render_tree(body)})"
        case syntax.For(name, words, body):
            listed = "" if words is None else " in" + "".join(f" {render_tree(word)}" for word in words)
            return f"(for {name}{listed} do {render_tree(body)})"
        case syntax.ArithmeticFor(expressions, body):
            return f"(for {' '.join(map(render_tree, expressions))} do {render_tree(body)})"
        case syntax.Case(subject, arms):
            return f"(case {render_tree(subject)}" + "".join(map(render_tree, arms)) + ")"
        case syntax.Arm(patterns, body, end):
            return f" {'|'.join(map(render_tree, patterns))}) {render_tree(body)}{end}"
        case syntax.Function(name, body):
            return f"(function {name} {render_tree(body)})"
        case syntax.Condition(words):
            return f"(test {' '.join(map(render_tree, words))})"
        case syntax.ArithmeticCommand(expression):
            return f"(arithmetic {render_tree(expression)})"
        case syntax.Coprocess(name, node):
            return f"(coproc {name} {render_tree(node)})"
        case syntax.RedirectedCommand(node, redirects):
            return f"(to {render_tree(node)} {' '.join(map(render_tree, redirects))})"
        case _:
            raise AssertionError(value)


COMMANDS = [
    ("rm -rf build", "[rm -rf build]"),
    ("a;b", "[a] [b]"),
    ("a\nb\n\nc", "[a] [b] [c]"),
    ("a & b &", "(background [a]) (background [b])"),
    ("a && b || c &", "(background ([a] && [b] || [c]))"),
    ("a &&\n\nb", "([a] && [b])"),
    ("a | b |& c", "(pipe [a] [b]& [c])"),
    ("! a | b", "(not (pipe [a] [b]))"),
    ("! ! a", "(not (not [a]))"),
    ("! ; a", "(not []) [a]"),
    ("!a", "[!a]"),
    ("!(a)", "(not (subshell [a]))"),
    ("time -p -- a | b", "(timedpipeline (pipe [a] [b]))"),
    ("time", "(timedpipeline [])"),
    ("time ! a", "(timedpipeline (not [a]))"),
    ("! time a", "(not (timedpipeline [a]))"),
    ("! if a; then b; fi", "(not (if [a] then [b]))"),
    ("a | time b", "(pipe [a] [time b])"),
    ("{ a; b; }", "(group [a] ; [b])"),
    ("(a; b) &", "(background (subshell [a] ; [b]))"),
    ("{ a; } >f 2>&1 | b", "(pipe (to (group [a]) >f 2>&1) [b])"),
    ("if a; then b; elif c; then d; else e; fi", "(if [a] then [b] [c] then [d] else [e])"),
    ("if(a)then b\nfi", "(if (subshell [a]) then [b])"),
    ("while a; do b; done <f", "(to (while [a] do [b]) <f)"),
    ("until a\ndo b\ndone", "(while [a] do [b])"),
    ("for x in a $b; do c; done", "(for x in a ${b} do [c])"),
    ("for x in; do c; done", "(for x in do [c])"),
    ("for x do c; done", "(for x do [c])"),
    ("for x; { c; }", "(for x do [c])"),
    ("for x\nin a\n\ndo c; done", "(for x in a do [c])"),
    ("select x in a; do b; done", "(for x in a do [b])"),
    ("for ((i=0; i<$n; i++)); do a; done", "(for $((«i=0»)) $((« i<»«${n}»)) $((« i++»)) do [a])"),
    ("for ((i=$(a);i<1;i++)) { b; }", "(for $((«i=»«$([a])»)) $((«i<1»)) $((«i++»)) do [b])"),
    ("for ((;;)) { a; }", "(for $(()) $(()) $(()) do [a])"),
    ("case $x in a|'b') c;; (*) d;& e) esac", "(case ${x} a|«b») [c];; *) [d];& e) )"),
    ("case a in $(b)) ;; esac", "(case a $([b])) ;;)"),
    ("case x in esac", "(case x)"),
    ("case x in if) a ;;& (esac) b; esac", "(case x if) [a];;& esac) [b])"),
    ("f() { a; }", "(function f (group [a]))"),
    ("f () ( a ) >g", "(function f (to (subshell [a]) >g))"),
    ("function f-g { a; }; f-g", "(function f-g (group [a])) [f-g]"),
    ("function f() if a; then b; fi", "(function f (if [a] then [b]))"),
    ("coproc a b", "(coproc COPROC [a b])"),
    ("coproc X { a; }", "(coproc X (group [a]))"),
    ("coproc X (a)", "(coproc X (subshell [a]))"),
    ("[[ -f $x && ! ( a < b || c ) ]]", "(test -f ${x} && ! ( a < b || c ))"),
    ("[[ $x =~ ^(a|b c)$ ]]", "(test ${x} =~ ^(a|b c)$)"),
    ("[[ a =~ $(b)(c) ]]", "(test a =~ $([b])(c))"),
    ("[[ a != @(b|$(c)) ]]", "(test a != @(b|$([c])))"),
    ("[[ a ]] && b", "((test a) && [b])"),
    ("((a + $(b)))", "(arithmetic $((«a + »«$([b])»)))"),
    ("((a) ; b)", "(subshell (subshell [a]) ; [b])"),
    ("(( 1 $(a) ))", "(arithmetic $((« 1 »«$([a])»« »)))"),
    ("a # b", "[a]"),
    ("a # \\\nb", "[a] [b]"),
    ("a#b", "[a#b]"),
    ("# a\nb", "[b]"),
    ("", ""),
    ("\n \n", ""),
    ("if then else", "!`then` is not expected here"),
    ("echo if then fi { }", "[echo if then fi { }]"),
    ("'if' a", "[«if» a]"),
    ("i\\\nf a; then b; fi", "(if [a] then [b])"),
    ("a &\\\n& b", "([a] && [b])"),
    ("a \\\n  b", "[a b]"),
    ("a \\\n# b", "[a]"),
    ("a x\\\n#b", "[a x#b]"),
    ("a\r\nb", "[a\r] [b]"),
    ("a\x0bb\x0cc\u00a0d", "[a\x0bb\x0cc\u00a0d]"),
    ('[[" " == x', "[[[« » == x]"),
    ("a =(b)", "[a =([b])]"),
]

WORDS = [
    ("'a b'\"c d\"e\\ f", "«a bc d»e« »f"),
    ("''", "«»"),
    ('""$x', "«»${x}"),
    ("\\a", "«a»"),
    ("\\", "«\\»"),
    ("a\\\nb", "ab"),
    ("'a\\\nb'", "«a\\\nb»"),
    ('"a\\\nb\\"\\$\\`\\\\\\c"', '«ab"$`\\\\c»'),
    ("$'a\\n\\x41\\101\\u00e9\\'\\q\\cA'", "«a\nAAé'\\q\x01»"),
    ("$'\\xc3\\xa9\\xff'", "«é\udcff»"),
    ("$'a\\0b'c", "«a»c"),
    ("$'a\\\nb'", "«a\\\nb»"),
    ('$"a $x"', "«a »«${x}»"),
    ("\"$'x'\"", "«$'x'»"),
    ("*.[ch]{a,b}~", "*.[ch]{a,b}~"),
    ("'*'*", "«*»*"),
    ("a$", "a$"),
    ("$x$1$@$?$$$!$-$#", "${x}${1}${@}${?}${$}${!}${-}${#}"),
    ("$10", "${1}0"),
    ("$x\\\ny", "${xy}"),
    ("$\\\n{x}", "${x}"),
    ("${x}y", "${x}y"),
    ("${10}", "${10}"),
    ("${#x}", "${#x}"),
    ("${#}${##}${#-x}${#:-x}", "${#}${##}${# - x}${# :- x}"),
    ("${#x[@]}", "${#x[«@»]}"),
    ("${!x}${!x@}${!x[@]}${!x:-y}", "${!x}${!x @}${!x[«@»]}${!x :- y}"),
    ("${x[$(a)]}", "${x[«$([a])»]}"),
    ("${x:-a b}", "${x :- a b}"),
    ("${x:-'$(a)' \"$(b)\"}", "${x :- «$(a)» «$([b])»}"),
    ("\"${x:-'$(a)'}\"", "«${x :- «'»«$([a])»«'»}»"),
    ('"${x:-\'$(a "b")\'}"', "«${x :- «'»«$([a «b»])»«'»}»"),
    ('"${x:-"$(a)" *}"', "«${x :- «$([a])»« *»}»"),
    ('"${x:-a\\}b}"', "«${x :- «a}b»}»"),
    ('"${x:-`a`}"', "«${x :- «$([a])»}»"),
    ("\"${x#'$(a)'*}\"", "«${x # «$(a)»*}»"),
    ("${x#'}'}", "${x # «}»}"),
    ("${x:=a}${x?}${x+b}", "${x := a}${x ?}${x + b}"),
    ("${x##*/}${x%%.*}", "${x ## */}${x %% .*}"),
    ("${x/a/b}${x//'/'/$c}${x/#a}", "${x / a b}${x // «/» ${c}}${x /# a}"),
    ("${x^^}${x,[a]}${x@Q}", "${x ^^}${x , [a]}${x @Q}"),
    ("${x:1:$(a)}", "${x : «1» «$([a])»}"),
    ("${x:-$(a ${y:-`b`})}", "${x :- $([a ${y :- $([b])}])}"),
    ("${x:-<(a)}", "${x :- <([a])}"),
    ("$(a; b)", "$([a] ; [b])"),
    ("$()", "$()"),
    ("$(a # )\n)", "$([a])"),
    ("$(case a in b) c;; esac)", "$((case a b) [c];;))"),
    ('"$(a "b")"', "«$([a «b»])»"),
    ('`a \\`b\\` \\"c\\" \\$d`', '$([a $([b]) «"»c«"» ${d}])'),
    ('"`a \\"b c\\"`"', "«$([a «b c»])»"),
    ("`a 'b\\\nc'`", "$([a «bc»])"),
    ("` a # b`", "$([a])"),
    ("$((1 + $(a)))", "$((«1 + »«$([a])»))"),
    ("$(((1)+(2)))", "$((«(1)+(2)»))"),
    ("$((a) )", "$((subshell [a]))"),
    ("$((a) | (b))", "$((pipe (subshell [a]) (subshell [b])))"),
    ("$(((1+1)) )", "$((arithmetic $((«1+1»))))"),
    ("$[1+$x]", "$((«1+»«${x}»))"),
    ("$(( '$(a)' ))", "$((« '»«$([a])»«' »))"),
    ("x<(a)y>(b)", "x<([a])y>([b])"),
    ("@(a|$(b) c)d", "@(a|$([b]) c)d"),
]

ASSIGNMENTS = [
    ("a=1 b= c+=x d", "[a:=1 b:= c+:=x d]"),
    ("a=$x'y'", "[a:=${x}«y»]"),
    ("a\\\n=1", "[a:=1]"),
    ("a[i]=1 a[x y]+=2", "[a[«i»]:=1 a[«x y»]+:=2]"),
    ("a[$(b)]=c", "[a[«$([b])»]:=c]"),
    ("a['$(b)']=c", "[a[«'»«$([b])»«'»]:=c]"),
    ("a['b c']=d", "[a[«b c»]:=d]"),
    ("a[x y]z", "[a[«x y»]z]"),
    ("a=(x 'y' [k]=v [l]+=w # c\n[a-z]*)", "[a:=(x «y» [«k»]=v [«l»]+=w [a-z]*)]"),
    ("a=([$(b)]=c\n$(d))", "[a:=([«$([b])»]=c $([d]))]"),
    ("a=\\\n(x)", "[a:=(x)]"),
    ("declare -a a=(x) b=1", "[declare -a a:=(x) b:=1]"),
    ("export A=$x B a[1]=2", "[export A:=${x} B a[«1»]:=2]"),
    ('"export" A=$x', "[«export» A=${x}]"),
    ("env A=1 B=$x", "[env A=1 B=${x}]"),
    ("alias a='b c' d=(e)", "[alias a=«b c» d:=(e)]"),
    ("1a=2", "[1a=2]"),
    ("'a'=2", "[«a»=2]"),
    ("a=b if", "[a:=b if]"),
]

REDIRECTS = [
    ("a>b <c", "[a >b <c]"),
    (">f", "[>f]"),
    ("2>&1 a 3<&-", "[a 2>&1 3<&-]"),
    ("a 2\\\n>f", "[a 2>f]"),
    ("a2>f", "[a2 >f]"),
    ("a {fd}>f {b,c}>d", "[a {b,c} {fd}>f >d]"),
    ("a &>f &>>g >|h <>i", "[a &>f &>>g >|h <>i]"),
    ("a <<<$(b)", "[a <<<$([b])]"),
    ("a > >(b)", "[a >>([b])]"),
    ("a <<E\nx $y `z`\nE\nb", "[a <<'«x »«${y}»« »«$([z])»«\\n»'] [b]"),
    ("a <<E\n${x:-$(b)} $((1+$(c)))\nE", "[a <<'«${x :- «$([b])»}»« »$((«1+»«$([c])»))«\\n»']"),
    ("a <<'E'\nx $y\nE", "[a <<'«x $y\\n»']"),
    ("a <<\\E\nx $y\nE", "[a <<'«x $y\\n»']"),
    ("a <<-E\n\tx\n\t\ty $z\n\tE", "[a <<-'«x\\ny »«${z}»«\\n»']"),
    ("a <<-E\n\tx\\\n\ty\n\tE\nb", "[a <<-'«x\ty\\n»'] [b]"),
    ("{ a <<E; } && ! b <<F | c\n$(d)\nE\n2\nF", "((group [a <<'«$([d])»«\\n»']) && (not (pipe [b <<'«2\\n»'] [c])))"),
    ("a <<A; b <<B\n1\nA\n2\nB\nc", "[a <<'«1\\n»'] [b <<'«2\\n»'] [c]"),
    ("a <<E | b\nx\nE", "(pipe [a <<'«x\\n»'] [b])"),
    ("a <<E\nx\\\nE\nb\nE", "[a <<'«xE\\nb\\n»']"),
    ("a <<E\nx\\\\\nE\nb", "[a <<'«x\\\\n»'] [b]"),
    ('a <<E\n\\$(b) \\x "c"\nE', "[a <<'«$(b) \\x \"c\"\\n»']"),
    ("a <<E\nx", "[a <<'«x»']"),
    ("a <<E", "[a <<'']"),
    ("a <<E;b\n$(c <<F\nx\nF\n)\nE", "[a <<'«$([c <<'«x\\n»'])»«\\n»'] [b]"),
    ("$(a <<E\nx\nE)", "[$([a <<'«x\\n»'])]"),
    ("a <<E\n E\nE \nE", "[a <<'« E\\nE \\n»']"),
    ('a <<"x y"z\nb\nx yz', "[a <<'«b\\n»']"),
    ("a <<$x\nb\n$x", "[a <<'«b\\n»']"),
    ("a <<''\nb\n\nc", "[a <<'«b\\n»'] [c]"),
    ("a <<E $(b\nc)\nx\nE\nd", "[a $([b] ; [c]) <<'«x\\n»'] [d]"),
    ("if a <<E\nx\nE\nthen b; fi", "(if [a <<'«x\\n»'] then [b])"),
]

TROUBLES = [
    ("a\n'b", "[a] !a quote is not closed"),
    ("a; b\nc; (", "[a] [b] !the text ends in the middle of a command"),
    ("a; ;;", "!`;;` is not expected here"),
    ("a <<E\n$(b)\nE\nc; fi", "[a <<'«$([b])»«\\n»'] !`fi` is not expected here"),
    ('a "', "!a quote is not closed"),
    ("a $'", "!a quote is not closed"),
    ("a `b", "!a backquote is not closed"),
    ("a ${b", "!a `${` is not closed"),
    ("a ${b:-c", "!a `${` is not closed"),
    ("a $((b", "!a bracket is not closed"),
    ("a[b", "!a bracket is not closed"),
    ("a @(b", "!a parenthesis is not closed"),
    ("a b (c)", "!`(` is not expected here"),
    ("a b=(c)", "!`(` is not expected here"),
    ("a >\nb", "!the end of a line is not expected here"),
    ("a & ; b", "!`;` is not expected here"),
    ("a | ! b", "!`!` is not expected here"),
    ("{ a }", "!the text ends in the middle of a command"),
    ("a\0b", "!there is a NUL character in it"),
    ("a ${ b; }", "!only newer shells run the commands in this"),
    ("a ${(e)b}", "!bash knows no such parameter expansion"),
    ("a $=b", "!zsh expands this, bash does not"),
    ("a ${b::=c}", "!zsh assigns here, bash does not"),
    ("a *(e:'b':)", "!zsh would run code to expand this pattern"),
    ("a >!b", "!zsh reads this redirect differently"),
    ("a $(b <<E)\nc\nE", "!a here-document's body lies outside its substitution"),
    ("a $(b <<E\nc\nE d)", "!shells disagree about the end of this here-document"),
    ("a \"${b:-'}'}\"", "!shells disagree about the quotes in this expansion"),
    ("a $((b) # )\n)", "!this may be arithmetic or commands"),
    ("((a <<'E'\n$(b)\nE\n) )", "!this may be arithmetic or commands"),
    ("shopt -s extglob; !(a)", "!this may be a pattern or a subshell"),
    ("a $(b=([\\$\\(c\\)]=x))", "!a backslash is in an array within a substitution"),
    ("a $(>b ! c)", "!a reserved word follows a redirect within a substitution"),
    (">a ! b", "[! b >a]"),
    ("a=([<(b)]=c)", "!a process substitution is in a subscript"),
    ("a=(b)c", "!text follows the parenthesis of an array"),
]


@pytest.mark.parametrize(("text", "tree"), [*COMMANDS, *ASSIGNMENTS, *REDIRECTS, *TROUBLES])
def test_a_program_becomes_this_tree(text: str, tree: str) -> None:
    assert render_tree(parse(text)) == tree


@pytest.mark.parametrize(("text", "word"), WORDS)
def test_a_word_becomes_these_pieces(text: str, word: str) -> None:
    assert render_tree(parse(f"m {text}")) == f"[m {word}]"


def test_a_tree_in_full() -> None:
    tree = parse('a=1 rm "$x"/* 2>&1 # gone\n')
    assert tree == syntax.Program(
        syntax.Sequence(
            (
                syntax.Simple(
                    (syntax.Assignment("a", syntax.ShellWord((syntax.Text("1", False),), (2, 3)), (0, 3)),),
                    (
                        syntax.ShellWord((syntax.Text("rm", False),), (4, 6)),
                        syntax.ShellWord((syntax.Parameter("x", True, "$x"), syntax.Text("/*", False)), (7, 13)),
                    ),
                    (syntax.Redirect("2", ">&", syntax.ShellWord((syntax.Text("1", False),), (17, 18)), (14, 18)),),
                    (0, 18),
                ),
            ),
            (0, 26),
        )
    )


@pytest.mark.parametrize("raw", ["${b:-c}", "$b", "$(b c)", "`b \\`c\\``", "$((b))", "$[b]", "<(b)", "$((b) )"])
def test_an_expansion_keeps_its_source(raw: str) -> None:
    (command,) = parse(f"a {raw} d").body.items
    assert isinstance(command, syntax.Simple)
    assert isinstance(command.words[1], syntax.ShellWord)
    (piece,) = command.words[1].pieces
    assert not isinstance(piece, syntax.Text)
    assert piece.raw == raw


@pytest.mark.parametrize(
    "source",
    [
        "a && b | c",
        "{ a; } >f",
        "if a; then b; fi",
        "f() { a; }",
        "! a",
        "[[ a ]]",
        "a=(1\n2)",
        "a 'b' \"$(c)\"",
        "((a))",
        "((a) ; (b))",
        "for x in a; do b; done",
        "case a in b) c;; esac",
    ],
)
def test_a_span_is_where_it_stands(source: str) -> None:
    text = f"x; {source} ; y"
    assert text[slice(*parse(text).body.items[1].span)] == source


def test_a_trouble_says_where() -> None:
    trouble = parse("a\nb 'c").trouble
    assert trouble is not None
    assert trouble.span[0] == 4


def test_the_same_text_is_read_once() -> None:
    assert parse("a once-read text") is parse("a once-read text")
