"""Choose what to mutate in C sources, and rewrite them.

A site is an expression or a statement inside a function. It is rewritten so that the
program chooses at run time between the text and its mutation: `a < b` becomes
`mutant_is(7) ? (a <= b) : (a < b)`. So one build has all mutants.
"""

import hashlib
import re
from bisect import bisect
from collections import Counter, namedtuple

TOKEN = re.compile(
    r"""
    (?P<blank>  \s+ | //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:\\\n|[^\n])* )
  | (?P<text>   "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' )
  | (?P<word>   [A-Za-z_]\w* )
  | (?P<number> \d[\w.]* )
  | (?P<mark>   -> | \+\+ | -- | <<=? | >>=? | [-+*/%&|^<>=!]= | && | \|\| | \.\.\. | . )
    """,
    re.X | re.S | re.M,
)
SWAPPED = {"==": "!=", "<": "<=", ">": ">=", "&&": "||", "true": "false", "+": "-"}
SWAPPED |= {to: at for at, to in SWAPPED.items()}
ASSIGNS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
# Loops of json.h and block.h as well.
LOOPS = {f"{of}{way}" for of in ("JSON_EACH", "JSON_EACH_MEMBER", "BLOCK_EACH") for way in ("", "_WHILE")}
CONTROLS = {"if", "while", "for", "switch"} | LOOPS
KEYWORDS = CONTROLS | {"return", "case", "default", "else", "do", "goto", "break", "continue"}

Token = namedtuple("Token", "kind text start end")
# What is replaced, from start to end; its mutation; and how the source chooses.
Site = namedtuple("Site", "file line last_line function start end old new choice")


def key(site):
    """What names a mutant as long as its expression stays the same."""
    return f"{site.file} {site.function}(): {site.old} -> {site.new}"


def digest(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()


class Source:
    def __init__(self, file, text):
        self.file, self.text = file, text
        self.all = [Token(m.lastgroup, m[0], m.start(), m.end()) for m in TOKEN.finditer(text)]
        self.tokens = [t for t in self.all if t.kind != "blank"]
        self.starts = [t.start for t in self.all]
        self.lines = [0] + [m.end() for m in re.finditer("\n", text)]
        self.pair_brackets()

    def pair_brackets(self):
        """Of each bracket the other one, and of each token the bracket around it."""
        self.other, self.around, opened = {}, [], []
        for i, t in enumerate(self.tokens):
            if t.text in (")", "]", "}") and opened:
                self.other[i] = opened.pop()
                self.other[self.other[i]] = i
            self.around.append(opened[-1] if opened else None)
            if t.text in ("(", "[", "{"):
                opened.append(i)

    def line(self, at):
        return bisect(self.lines, at)

    def plain(self, start, end):
        """The text without comments, on one line."""
        tokens = self.all[bisect(self.starts, start) - 1 : bisect(self.starts, end - 1)]
        return "".join(" " if t.kind == "blank" else t.text for t in tokens).strip()

    def is_control(self, bracket):
        """Whether this is the ( of an if, a loop or a switch."""
        return self.tokens[bracket].text == "(" and self.tokens[bracket - 1].text in CONTROLS

    def functions(self):
        """The name, and the first and last token, of each body."""
        for i, t in enumerate(self.tokens):
            if t.text == "{" and self.around[i] is None and self.tokens[i - 1].text == ")":
                yield self.tokens[self.other[i - 1] - 1].text, i, self.other[i]

    def expression(self, i):
        """The first and the last token of the whole expression around a token."""
        while (b := self.around[i]) is not None and self.tokens[b].text != "{":
            if self.is_control(b):
                break
            i = b
        first = last = i
        while True:
            at = first - 1
            text = self.tokens[at].text
            if text == ")" and self.is_control(self.other[at]):
                break
            if text in (")", "]") or text == "}" and self.around[self.other[at]] != b:
                first = self.other[at]
            elif text == "}" or at == b or text in ASSIGNS or text in {";", ",", "return", "else", "do"}:
                break
            else:
                first = at
        while self.tokens[last].text not in (";", ","):
            if last in self.other and last < self.other[last]:
                last = self.other[last]
            if last + 1 == self.other[b] or self.tokens[last + 1].text in (";", ","):
                break
            last += 1
        return first, last

    def end_of_statement(self, i):
        while self.tokens[i].text not in (";", "}"):
            i = self.other[i] + 1 if i in self.other and self.other[i] > i else i + 1
        return i

    def begins_statement(self, i):
        before = self.tokens[i - 1]
        return (
            before.text in (";", "{", "}", "else", "do")
            and not (self.around[i] is not None and self.tokens[self.around[i]].text == "(")
            or before.text == ")"
            and self.is_control(self.other[i - 1])
        )

    def is_expression(self, first, end):
        """Whether the statement is one: a call or an assignment, not a declaration."""
        a, b = self.tokens[first], self.tokens[first + 1]
        if a.kind != "word" and a.text not in ("*", "(", "++", "--"):
            return False
        if a.kind == "word" and (b.kind == "word" or b.text in ("*", ":")):
            return False
        return self.tokens[end - 1].text in (")", "++", "--") or any(
            t.text in ASSIGNS for t in self.tokens[first:end]
        )

    def is_touched(self, first, last, ranges):
        """Whether one of the ranges of lines has a line of the function."""
        lines = self.line(self.tokens[first].start), self.line(self.tokens[last].start)
        return any(start <= lines[1] and end >= lines[0] for start, end in ranges)

    def sites(self, touched=None):
        for function, first, last in self.functions():
            skip = 0
            if touched is not None and not self.is_touched(first, last, touched.get(self.file, ())):
                continue
            for i in range(first + 1, last):
                if self.tokens[i].text == "static":
                    skip = self.end_of_statement(i)
                if i > skip:
                    yield from self.sites_at(function, i)

    def sites_at(self, function, i):
        t, before = self.tokens[i], self.tokens[i - 1]
        after_value = before.kind in ("word", "number") or before.text in (")", "]")
        if t.text in SWAPPED and (t.text not in "+-" or after_value and before.text != "return"):
            yield self.changed(function, i, SWAPPED[t.text])
        elif t.text == "!":
            yield self.changed(function, i, "")
        elif t.kind == "number" and not self.is_size(i):
            yield self.changed(function, i, f"({t.text} + 1)")
            if t.text != "0":
                yield self.changed(function, i, f"({t.text} - 1)")
        elif t.text == "(" and before.text in ("if", "while"):
            start, end = t.end, self.tokens[self.other[i]].start
            yield self.site(function, start, end, f"!({self.plain(start, end)})")
        elif t.text == "return" and self.tokens[i + 1].text not in (";", "0", "NULL", "false"):
            start, end = self.tokens[i + 1].start, self.tokens[self.end_of_statement(i)].start
            yield self.site(function, start, end, "0")
        elif t.text in ("break", "continue"):
            yield self.site(function, t.start, self.tokens[i + 1].end, "", "{{ if (!mutant_is({id})) {old} }}")
        if t.text not in KEYWORDS and self.begins_statement(i):
            end = self.end_of_statement(i)
            if self.is_expression(i, end):
                yield self.site(
                    function, t.start, self.tokens[end].start, "", "mutant_is({id}) ? (void)0 : (void)({old})"
                )

    def is_size(self, i):
        """Whether the number is an array's size in a declaration."""
        before = self.tokens[i - 3]
        return (
            self.tokens[i - 1].text == "["
            and self.tokens[i + 1].text == "]"
            and (before.kind == "word" and before.text not in KEYWORDS or before.text == "*")
        )

    def changed(self, function, i, new):
        """A site whose mutation has another token."""
        first, last = self.expression(i)
        if self.tokens[first].text in ("case", "default"):
            return None
        start, end, t = self.tokens[first].start, self.tokens[last].end, self.tokens[i]
        before = self.plain(start, t.start) if t.start > start else ""
        after = self.plain(t.end, end) if t.end < end else ""
        gap = " " if self.text[t.start - 1].isspace() else ""
        behind = " " if self.text[t.end].isspace() else ""
        return self.site(function, start, end, f"{before}{gap}{new}{behind}{after}".strip())

    def site(self, function, start, end, new, choice="mutant_is({id}) ? ({new}) : ({old})"):
        lines = self.line(start), self.line(end)
        return Site(self.file, *lines, function, start, end, self.plain(start, end), new, choice)

    def rewritten(self, sites):
        """The text with each choice: sites are pairs of a number and a site."""
        text = self.text
        for number, s in sorted(sites, key=lambda pair: -pair[1].start):
            old = text[s.start : s.end]
            text = text[: s.start] + s.choice.format(id=number, new=s.new, old=old) + text[s.end :]
        return f'#include "tests/mutants/mutant.h"\n#line 1\n{text}'


def choose(sources, seed, n, dropped, touched=None):
    """N sites, at most one a line and a random one of it, each line as likely as any.

    They are drawn by hashes of the lines' text: a change of the sources leaves the
    choice as it is elsewhere. Sites with dropped keys are not chosen. With `touched`, only
    those in functions that have lines in its ranges, which are by file.
    """
    drawn = []
    for source in sources:
        by_line, seen = {}, Counter()
        for site in source.sites(touched):
            if site and key(site) not in dropped:
                by_line.setdefault(site.line, []).append(site)
        for line in sorted(by_line):
            text = source.plain(source.lines[line - 1], source.lines[line])
            seen[text] += 1
            at = (seed, source.file, text, seen[text])
            drawn.append((digest(*at), min(by_line[line], key=lambda s: digest(*at, key(s)))))
    chosen = []
    for _, site in sorted(drawn, key=lambda pair: pair[0]):
        if len(chosen) == n:
            break
        if all(site.file != s.file or site.end <= s.start or s.end <= site.start for s in chosen):
            chosen.append(site)
    return chosen
