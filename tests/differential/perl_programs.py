"""Generates Perl programs around calls that are stubbed."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from differential.script_programs import Forms, ScriptPrograms


class PerlPrograms(ScriptPrograms):
    markers = MappingProxyType(
        {"unlink": "delete", "rmdir": "delete", "rmtree": "delete", "system": "shell", "readpipe": "shell"}
    )

    def name(self) -> str:
        return "n" + super().name()[1:]  # `v65` is a text of one character

    def quote(self, text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def texts(self, text: str, inner: Callable[[str], str], v: str) -> Forms:
        left, right = self.split(text)
        under = text.startswith("/zz/")
        return [
            lambda: f"({inner(left)} . {inner(right)})",
            lambda: f"join('', {inner(left)}, {inner(right)})",
            lambda: f"sprintf('%s%s', {inner(left)}, {inner(right)})",
            lambda: f'"@{{[{self.quote(text)}]}}"',
            lambda: f"q{{{text}}}",
            lambda: f"qq({text})",
            lambda: f"({inner(text)}, 'no')[0]",
            lambda: f"('no', {inner(text)})[1]",
            lambda: f"[{inner(text)}, 'no']->[0]",
            lambda: f"['no', {inner(text)}]->[-1]",
            lambda: f"+{{k => {inner(text)}}}->{{k}}",
            lambda: f"+{{a => {{b => [{inner(text)}]}}}}->{{a}}{{b}}[0]",
            lambda: f"({inner(text)} || 'no')",
            lambda: f"(undef // {inner(text)})",
            lambda: f"('yes' && {inner(text)})",
            lambda: f"('0' || {inner(text)})",
            lambda: f"(1 < 2 ? {inner(text)} : 'no')",
            lambda: f"(chance() ? {inner(text)} : {inner(text)})",
            lambda: f"substr({inner('x' + text)}, 1)",
            lambda: f"substr({inner(text + 'xy')}, 0, -2)",
            lambda: f"lc({inner(text.upper())})",
            lambda: f"lc {self.quote(text.upper())}",
            lambda: f"scalar(reverse({inner(text[::-1])}))",
            lambda: f"do {{ (my ${v} = {inner(text.replace('z', 'Q'))}) =~ s/Q/z/g; ${v} }}",
            lambda: f"do {{ my ${v} = {inner(text.replace('z', 'Q'))}; ${v} =~ tr/Q/z/; ${v} }}",
            lambda: f"({inner(text.replace('z', 'Q'))} =~ s/Q/z/gr)",
            lambda: f"(split(/\\|/, {inner(text + '|no')}))[0]",
            lambda: f"(split(',', {inner(text + ',no')}))[0]",
            lambda: f"(map {{ $_ }} {inner(text)})[0]",
            lambda: f"(map {{ $_ . {inner(right)} }} {inner(left)})[0]",
            lambda: f"(grep {{ $_ ne 'no' }} 'no', {inner(text)})[0]",
            lambda: f"(sort @{{[{inner(text)}]}})[0]",
            lambda: f"(reverse('no', {inner(text)}))[0]",
            lambda: f"(values %{{{{k => {inner(text)}}}}})[0]",
            lambda: f"sub {{ my ${v} = shift; ${v} }}->({inner(text)})",
            lambda: f"sub {{ my (${v}) = @_; return ${v} }}->({inner(text)})",
            lambda: f"sub {{ $_[0] }}->({inner(text)})",
            lambda: f"do {{ {inner(text)} }}",
            lambda: f"eval {{ {inner(text)} }}",
            lambda: f"eval {self.quote(inner(text))}",
            lambda: f"(my ${v} = {inner(text)})",
            lambda: f"do {{ my @{v} = ('no', {inner(text)}); ${v}[1] }}",
            lambda: f"do {{ my @{v} = ('no', {inner(text)}); pop @{v} }}",
            lambda: f"do {{ my %{v} = (k => {inner(text)}); ${v}{{k}} }}",
            lambda: f'do {{ my ${v} = {inner(text)}; "${v}" }}',
            lambda: f'do {{ my ${v} = {inner(left)}; "${{{v}}}{right}" }}',
            lambda: f'do {{ my ${v} = {{k => {inner(text)}}}; "${v}->{{k}}" }}',
            lambda: f"do {{ my ${v} = {inner(left)}; ${v} .= {inner(right)}; ${v} }}",
            lambda: f"chr({ord(text[0])}) . {inner(text[1:])}",
            lambda: f"('/zz' . {inner(text[3:])})" if under else self.quote(text),
            lambda: f'"\\x{ord(text[0]):02x}\\x{{{ord(text[1]):x}}}{text[2:]}"',
        ]

    def functions(self, name: str) -> list[str]:
        return [
            f"{name}(@)",
            f"{name}(@)",
            f"{name}((@))" if name != "readpipe" else "readpipe(@)",
            f"sub {{ {name}($_[0]) }}->(@)",
            f"do {{ my $w = sub {{ {name}(shift) }}; $w->(@) }}",
            f"do {{ my $w = sub {{ {name}(shift) }}; &$w(@) }}",
            f"do {{ my %w = (f => sub {{ {name}(shift) }}); $w{{f}}->(@) }}",
            f"do {{ for my $w (@) {{ {name}($w) }} }}",
            f"do {{ {name}($_) for @ }}",
            f"(map {{ {name}($_) }} @)",
            f"eval {{ {name}(@) }}",
            f"do {{ local $_ = @; {name}($_) }}",
        ]

    def list_statements(self, call: Callable[[str], str], e: str, x: str, y: str, z: str) -> Forms:
        return [
            lambda: f"{call(e)};",
            lambda: f"my ${x} = {e}; {call(f'${x}')};",
            lambda: f"our ${x} = {e}; {call(f'${x}')};",
            lambda: f"${x} = {e}; {call(f'${x}')};",
            lambda: f"my (${x}, ${y}) = ('no', {e}); {call(f'${y}')};",
            lambda: f"my (${x}, @{y}) = ('no', {e}); {call(f'${y}[0]')};",
            lambda: f"my (${x}, ${y}) = ({e}, 'no'); (${x}, ${y}) = (${y}, ${x}); {call(f'${y}')};",
            lambda: f"my ${x} = 'no'; if (chance()) {{ ${x} = {e}; {call(f'${x}')} }}",
            lambda: f"my ${x} = 'no'; ${x} = {e} if chance(); {call(f'${x}')};",
            lambda: f"my ${x} = {e}; {{ my ${x} = 'no' }} {call(f'${x}')};",
            lambda: f"my @{x} = ('no', {e}); {call(f'${x}[1]')};",
            lambda: (
                f"my ${x} = sub {{ my ${y} = shift; sub {{ {call(f'${y}')} }} }}; my ${z} = chance() ? ${x}->('/zz/no') : ${x}->({e}); ${z}->();"
            ),
            lambda: f"my @{x} = ('no', {e}); splice(@{x}, 0, 1); {call(f'${x}[0]')};",
            lambda: (
                f"my @{x} = (1); {self.random.choice((f'undef @{x}', f'@{x} = ()', f'$#{x} = -1'))}; if (!@{x}) {{ {call(e)} }}"
            ),
            lambda: f"my %{x} = (k => 1); delete ${x}{{k}}; if (!exists ${x}{{k}}) {{ {call(e)} }}",
            lambda: f"my %{x} = (k => 1, j => 2); delete @{x}{{'k', 'j'}}; if (!%{x}) {{ {call(e)} }}",
            lambda: (
                f"my %{x} = (k => 1); {self.random.choice((f'undef %{x}', f'%{x} = ()'))}; unless (${x}{{k}}) {{ {call(e)} }}"
            ),
            lambda: f"my ${x} = {{k => 1}}; delete ${x}->{{k}}; if (!${x}->{{k}}) {{ {call(e)} }}",
            lambda: f"my @{x} = ('no', {e}); {call(f'${x}[-1]')};",
            lambda: f"my @{x} = ('no', {e}); {call(f'${x}[$#{x}]')};",
            lambda: f"my @{x}; push @{x}, 'no', {e}; {call('$_')} for @{x};",
            lambda: f"my @{x} = ({e}); my @{y} = @{x}; $_ = 'no' for @{y}; {call(f'${x}[0]')};",
            lambda: f"my @{x} = ('no'); ${x}[1] = {e}; {call(f'pop @{x}')};",
            lambda: f"my @{x} = ({e}, 'no'); {call(f'shift(@{x})')};",
            lambda: f"my @{x} = ('no'); unshift @{x}, {e}; {call(f'${x}[0]')};",
            lambda: f"my @{x} = ('a', {e}, 'b'); my (${y}) = splice(@{x}, 1, 1); {call(f'${y}')};",
            lambda: f"my @{x} = ('a', {e}); my @{y} = @{x}[1]; {call(f'${y}[0]')};",
            lambda: f"my %{x} = (k => {e}); {call(f'${x}{{k}}')};",
            lambda: f"my %{x}; ${x}{{k}} = {e}; {call(f'${x}{{k}}')};",
            lambda: f"my %{x}; ${x}{{a}}{{b}} = {e}; {call(f'${x}{{a}}{{b}}')};",
            lambda: f"my %{x}; push @{{${x}{{a}}}}, {e}; {call(f'${x}{{a}}[0]')};",
            lambda: f"my %{x} = (k => {e}); {call('$_')} for values %{x};",
            lambda: f"my %{x} = (k => {e}); while (my (${y}, ${z}) = each %{x}) {{ {call(f'${z}')} }}",
            lambda: f"my %{x} = ({e} => 1); {call('$_')} foreach keys %{x};",
            lambda: f"my %{x} = (a => {e}, b => 'no'); my (${y}) = @{x}{{qw(a)}}; {call(f'${y}')};",
            lambda: f"my ${x} = [{e}]; {call(f'${x}->[0]')};",
            lambda: f"my ${x} = [{e}]; {call('$$' + x + '[0]')};",
            lambda: f"my ${x} = [{e}]; {call('$_')} for @${x};",
            lambda: f"my ${x} = {{k => {e}}}; {call(f'${x}->{{k}}')};",
            lambda: f"my ${x} = {{k => [{e}]}}; {call('$_')} for @{{${x}->{{k}}}};",
            lambda: f"my @{x} = ('no'); my ${y} = \\@{x}; push @${y}, {e}; {call(f'${x}[1]')};",
            lambda: f"my %{x}; my ${y} = \\%{x}; ${y}->{{k}} = {e}; {call(f'${x}{{k}}')};",
            lambda: f"sub {x} {{ my (${y}) = @_; {call(f'${y}')} }} {x}({e});",
            lambda: f"sub {x} {{ my ${y} = shift; {call(f'${y}')} }} &{x}({e});",
            lambda: f"sub {x} {{ {call('$_[1]')} }} {x}('no', {e});",
            lambda: f"sub {x} {{ my %o = @_; {call('$o{k}')} }} {x}(k => {e});",
            lambda: f"sub {x} {{ my (${y}, %o) = @_; {call('$o{k}')} }} {x}(1, k => {e});",
            lambda: f"sub {x} {{ return {e} if chance(); {e} }} {call(f'{x}()')};",
            lambda: f"sub {x} {{ return ('no', {e}) }} my (undef, ${y}) = {x}(); {call(f'${y}')};",
            lambda: f"sub {x} {{ my @r = ('no', {e}); return @r }} my @{y} = {x}(); {call(f'${y}[1]')};",
            lambda: f"sub {x} {{ my @r = ({e}); return \\@r }} {call(f'{x}()->[0]')};",
            lambda: f"my ${x} = sub {{ my ${y} = shift; {call(f'${y}')} }}; ${x}->({e});",
            lambda: f"my ${x} = \\&{y}; sub {y} {{ {call('$_[0]')} }} ${x}->({e});",
            lambda: f"*{x} = sub {{ {call('$_[0]')} }}; {x}({e});",
            lambda: f"my ${x} = '{y}'; sub {y} {{ {call('$_[0]')} }} &$" + x + f"({e});",
            lambda: f"my ${x} = 'no'; my ${y} = sub {{ ${x} = {e} }}; ${y}->(); {call(f'${x}')};",
            lambda: (
                f"{{ package {x.upper()}; sub new {{ my ($c, %o) = @_; bless {{%o}}, $c }} sub go {{ my $self = shift; main::{x}($self->{{p}}) }} }} sub {x} {{ {call('$_[0]')} }} {x.upper()}->new(p => {e})->go;"
            ),
            lambda: (
                f"package {x.upper()}; sub new {{ bless {{p => $_[1]}}, $_[0] }} sub p {{ $_[0]{{p}} }} package main; my ${y} = {x.upper()}->new({e}); {call(f'${y}->p')};"
            ),
            lambda: (
                f"package {x.upper()}; sub go {{ $_[1] }} package {y.upper()}; our @ISA = ('{x.upper()}'); package main; {call(f'{y.upper()}->go({e})')};"
            ),
            lambda: (
                f"package {x.upper()}; sub go {{ $_[1] }} package main; my ${y} = 'go'; {call(f'{x.upper()}->$' + y + f'({e})')};"
            ),
            lambda: f"for my ${x} ('no', {e}) {{ {call(f'${x}')} }}",
            lambda: f"foreach ('no', {e}) {{ {call('$_')} }}",
            lambda: f"for (my ${x} = 0; ${x} < 2; ${x}++) {{ {call(f'(qw(no), {e})[$' + x + ']')} }}",
            lambda: f"my @{x} = ('no', {e}); for my ${y} (0 .. $#{x}) {{ {call(f'${x}[${y}]')} }}",
            lambda: f"my @{x} = ('no', {e}); while (my ${y} = shift @{x}) {{ {call(f'${y}')} }}",
            lambda: f"map {{ {call('$_')} }} grep {{ $_ ne 'no' }} ('no', {e});",
            lambda: f'{call("$_")} for map {{ "$_" }} {e};',
            lambda: f"my ${x} = 'no'; while (chance()) {{ {call(f'${x}')}; ${x} = {e} }}",
            lambda: f"my ${x} = 'no'; do {{ {call(f'${x}')}; ${x} = {e} }} until chance();",
            lambda: f"my ${x}; ${x} ||= {e}; {call(f'${x}')};",
            lambda: f"my ${x}; ${x} //= {e}; {call(f'${x}')};",
            lambda: f"my ${x} = ''; ${x} .= {e}; {call(f'${x}')};",
            lambda: f"eval {self.quote(call(e))};",
            lambda: f"my ${x} = {e}; eval {self.quote(call(f'${x}'))};",
            lambda: f"chance() and {call(e)};",
            lambda: f"chance() or {call(e)};",
            lambda: f"chance() && {call(e)};",
            lambda: f"{call(e)} unless 1 > 2;",
            lambda: f"if ('0') {{ }} else {{ {call(e)} }}",
            lambda: f"unless ('') {{ {call(e)} }}",
            lambda: f"sub {x} {{ my $n = shift; return $n ? {x}($n - 1) : {e} }} {call(f'{x}(2)')};",
            lambda: f"$_ = {e}; s/^/x/; s/^x//; {call(e)};",
            lambda: (
                f"my ${x} = 'x'; ${x} =~ s/x/{call(e)}/e;"
                if "/" not in call(e)
                else f"my ${x} = 'x'; ${x} =~ s{{x}}{{ {call(e)} }}e;"
            ),
            lambda: f"my $h_{x} = {{go => sub {{ {call('$_[0]')} }}}}; $h_{x}->{{go}}->({e});",
            lambda: f"local $ENV{{{x.upper()}}} = {e}; {call(e)};",
            lambda: f"use constant {x.upper()} => {self.quote('/zz/k')}; {call(x.upper())};",
            lambda: f'my ${x} = <<"END";\n@{{[{e}]}}\nEND\nchomp ${x}; {call(f"${x}")};',
            lambda: f"print {call(e)} ? '' : '';",
        ]

    def wrappers(self, body: str, x: str, y: str) -> list[str]:
        forms = [
            f"if (chance()) {{ {body} }}",
            f"if (chance()) {{ }} elsif (chance()) {{ {body} }} else {{ }}",
            f"unless (chance()) {{ {body} }}",
            f"for my ${x} (1, 2) {{ {body} }}",
            f"for (1 .. 2) {{ {body} }}",
            f"for (my ${x} = 0; ${x} < 2; ${x}++) {{ {body} }}",
            f"my ${x} = 0; while (${x} < 2) {{ ${x}++; next if ${x} == 1; {body} }}",
            f"while (1) {{ {body} last }}",
            f"until (chance()) {{ {body} }}",
            f"{x.upper()}: for my ${y} (1, 2) {{ for (1) {{ next {x.upper()} if ${y} == 1; {body} }} }}",
            f"{{ {body} }}",
            f"do {{ {body} }} while (chance());",
            f"eval {{ {body} }};",
            f"eval {{ {body} die 'x' }};",
            f"eval {{ die 'x' }}; if ($@) {{ {body} }}",
            f"sub {{ {body} }}->();",
            f"my ${x} = sub {{ {body} }}; ${x}->();",
            f"my @{x} = (sub {{ {body} }}); $_->() for @{x};",
            f"BEGIN {{ {body} }}" if "chance" not in body and "$n" not in body else f"{{ {body} }}",
        ]
        if "package" not in body and "sub n" not in body and "<<" not in body:
            forms += [
                f"sub {x} {{ {body} }} {x}();",
                f"sub {x} {{ {body} }} &{x};",
                f"sub {x} {{ return if chance(); {body} }} {x}();",
                f"sub {x} {{ my $n = shift; if ($n == 0) {{ {body} }} else {{ {x}($n - 1) }} }} {x}(2);",
            ]
        return forms if "<<" not in body else [f"{{ {body}\n}}"]
