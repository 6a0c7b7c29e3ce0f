"""Generate sessions of Pi to measure with, the same for the same shape and size.

usage: sessions.py SHAPE FILE

The shapes are those of SHAPES; BENCH_SMALL=1 makes all of them small. What a row
has to know of a session, such as which of its entries are deep, goes to FILE.json.
"""

import base64
import bisect
import itertools
import json
import os
import random
import sys

SMALL = bool(os.environ.get("BENCH_SMALL"))
DEEP = 100 if SMALL else 1000

WORDS = ("buffer cursor entry offset length node parent child token parse emit branch label index table range state "
         "error value name path line count limit first last next open close read write flush lock size head tail").split()
CODE = [
    "static int {0}_{1}(struct {2} *{0}, size_t {3})",
    "{{",
    "\tif ({0}->{1} == NULL || {2} < {3})",
    "\t\treturn -EINVAL;",
    '\tprintf("%s: {0} {1} of \\"%s\\"\\n", {2}, {3});',
    "\tfor (size_t i = 0; i < {0}->{1}; i++)",
    "\t\t{0}[i].{1} = {2}_{3}({0}, i, '\\\\');",
    "\t/* The {0} of a {1} is its {2}, not the {3}'s. */",
    "}}",
    "",
    "    const {{ {0}, {1} }} = await {2}.{3}(`${{{0}}}/{1}`);",
    '    assert.equal({0}.{1}, "C:\\\\{2}\\\\{3}");',
    "./src/{0}/{1}.c:{2}:{3}: warning: unused variable ‘{1}’ [-Wunused-variable]",
    "-rw-r--r-- 1 dev dev 4096 Mar  1 10:00 {0}_{1}.{2}",
    "\x1b[32m✓\x1b[0m {0} {1} → {2} {3}",
]
PROSE = [
    "The {0} keeps a {1} for each {2}, so the {3} is found in one step.",
    "I'll look at how `{0}_{1}` treats a {2} without a {3}.",
    "That is not it: the {0} is “{1}”, naïvely cut at the {2}.",
    "Next: change {0}, run the tests, and compare the {1} with the {2} — then the {3}.",
]


class Text:
    """JSON strings, cut from one text that is generated once."""

    def __init__(self, rng, templates, lines):
        self.rng = rng
        made = (rng.choice(templates).format(*rng.choices(WORDS, k=4)) for _ in range(lines))
        # Pi writes with JSON.stringify: non-ASCII characters are not escaped.
        escaped = [json.dumps(line + "\n", ensure_ascii=False)[1:-1] for line in made]
        self.starts = [0, *itertools.accumulate(map(len, escaped))]
        self.text = "".join(escaped)

    def some(self, length):
        """Whole lines, of about that total length."""
        first = self.rng.randrange(len(self.starts) - 1)
        start = self.starts[first]
        end = self.starts[min(bisect.bisect(self.starts, start + length), len(self.starts) - 1)]
        return self.text[start : end - len("\\n")]


def stamps(seconds):
    """A time in the form of an entry, and of its message."""
    day, rest = divmod(seconds, 86400)
    hour, rest = divmod(rest, 3600)
    month, day = divmod(day, 28)
    text = f"2026-{month % 12 + 1:02}-{day + 1:02}T{hour:02}:{rest // 60:02}:{rest % 60:02}.000Z"
    return text, (1772359200 + seconds) * 1000


class Log:
    """A session file being written: its entries and its leaf."""

    def __init__(self, file, rng):
        self.file = file
        self.rng = rng
        self.used = set()
        self.ids = []
        self.parents = []
        self.depths = []
        self.bytes = 0
        self.leaf = None
        self.write('{"type":"session","version":3,"id":"0198f000-0000-7000-8000-00000000000b",'
                   '"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work/demo"}\n')

    def write(self, line):
        self.file.write(line)
        self.bytes += len(line)

    def new_id(self):
        while True:
            made = f"{self.rng.getrandbits(32):08x}"
            if made not in self.used:
                self.used.add(made)
                return made

    def entry(self, kind, members):
        """Append an entry below the leaf, as the new leaf. Returns its number."""
        number = len(self.ids)
        made = self.new_id()
        parent = "null" if self.leaf is None else f'"{self.ids[self.leaf]}"'
        stamp = stamps(number)[0]
        self.write(f'{{"type":"{kind}","id":"{made}","parentId":{parent},"timestamp":"{stamp}",{members}}}\n')
        self.ids.append(made)
        self.parents.append(self.leaf)
        self.depths.append(1 if self.leaf is None else self.depths[self.leaf] + 1)
        self.leaf = number
        return number

    def message(self, role, members):
        return self.entry("message", f'"message":{{"role":"{role}",{members},"timestamp":{stamps(len(self.ids))[1]}}}')


class Agent:
    """Writes turns, branches and compactions, as an agent and its user do."""

    COMPACT_AFTER = DEEP * 3 // 2

    def __init__(self, file, seed):
        self.rng = random.Random(seed)
        self.log = Log(file, self.rng)
        self.code = Text(self.rng, CODE, 40000)
        self.prose = Text(self.rng, PROSE, 10000)
        self.base64 = base64.b64encode(self.rng.randbytes(300000)).decode()
        self.users = set()  # the numbers of the user's messages
        self.compacted = {}  # a compaction's depth, by the number of every entry below it

    def length(self, median, spread, most):
        """Most are short; a few are very long."""
        return min(int(self.rng.lognormvariate(0, spread) * median), most)

    def follow(self, number):
        """Record the parent's properties for a new entry."""
        parent = self.log.parents[number]
        if parent in self.compacted:
            self.compacted[number] = self.compacted[parent]

    def say(self, role, members):
        number = self.log.message(role, members)
        self.follow(number)
        return number

    def note(self, kind, members):
        number = self.log.entry(kind, members)
        self.follow(number)
        return number

    def blob(self, length):
        start = self.rng.randrange(0, len(self.base64) - length - 4) // 4 * 4
        return self.base64[start : start + length // 4 * 4]

    def call(self):
        """A tool call's name and its arguments."""
        name = self.rng.choice(["bash", "bash", "read", "edit", "write"])
        path = f'"path":"src/{self.rng.choice(WORDS)}.c"'
        if name == "bash":
            return name, f'"command":"grep -n {self.rng.choice(WORDS)} src/*.c | head -50","timeout":120'
        if name == "edit":
            texts = [self.code.some(self.length(300, 1, 20000)) for _ in range(2)]
            return name, f'{path},"edits":[{{"oldText":"{texts[0]}","newText":"{texts[1]}"}}]'
        if name == "write":
            return name, f'{path},"content":"{self.code.some(self.length(1500, 1, 40000))}"'
        return name, f'{path},"offset":{self.rng.randrange(500)},"limit":200'

    def answer(self, call):
        """The assistant's message; `call` is an id, or None for the last of a turn."""
        rng = self.rng
        blocks = [f'{{"type":"thinking","thinking":"{self.prose.some(self.length(250, 1, 8000))}",'
                  f'"thinkingSignature":"{self.blob(280)}"}}'] if rng.random() < 0.6 else []
        if call is None or rng.random() < 0.5:
            blocks.append(f'{{"type":"text","text":"{self.prose.some(self.length(200, 1, 8000))}"}}')
        name = None
        if call:
            name, arguments = self.call()
            blocks.append(f'{{"type":"toolCall","id":"{call}","name":"{name}","arguments":{{{arguments}}}}}')
        read, written = rng.randrange(200000), rng.randrange(4000)
        self.say("assistant", f'"content":[{",".join(blocks)}],"api":"x-messages","provider":"acme","model":"acme-1",'
                 f'"usage":{{"input":12,"output":{written},"cacheRead":{read},"cacheWrite":{written},"totalTokens":{read + 2 * written},'
                 f'"cost":{{"input":0.00006,"output":{written / 1e6:.6f},"cacheRead":{read / 1e7:.7f},"cacheWrite":0.0125,"total":{read / 1e6:.6f}}}}},'
                 f'"stopReason":"{"toolUse" if call else "stop"}"')
        return name

    def result(self, call, name):
        block = f'{{"type":"text","text":"{self.code.some(self.length(1450, 1.25, 50000))}"}}'
        if self.rng.random() < 0.0005:
            block += f',{{"type":"image","data":"{self.blob(40000)}","mimeType":"image/png"}}'
        self.say("toolResult", f'"toolCallId":"{call}","toolName":"{name}","content":[{block}],"isError":false')

    def turn(self):
        self.users.add(self.say("user", f'"content":"{self.prose.some(self.length(150, 1.2, 20000))}"'))
        while self.rng.random() < 0.85:
            call = f"toolu_{self.rng.getrandbits(96):024x}"
            self.result(call, self.answer(call))
        self.answer(None)

    def aside(self):
        """The entries between turns."""
        rng, log = self.rng, self.log
        chance = rng.random()
        if chance < 0.15:
            output = self.code.some(self.length(800, 1, 30000))
            self.say("bashExecution", f'"command":"make test","output":"{output}","exitCode":{rng.choice([0, 0, 2])},'
                     '"cancelled":false,"truncated":false')
        elif chance < 0.3:
            self.note("custom", f'"customType":"todo","data":{{"open":{rng.randrange(9)},"next":"{self.prose.some(60)}"}}')
        elif chance < 0.38:
            self.note("label", f'"targetId":"{log.ids[log.leaf]}","label":"{rng.choice(WORDS)} {rng.randrange(1000)}"')
        elif chance < 0.43:
            self.note("model_change", f'"provider":"acme","modelId":"acme-{rng.randrange(1, 4)}"')

    def compact(self):
        """Compact all but the last turns of the path, and continue below that."""
        log = self.log
        since = log.depths[log.leaf] - self.compacted.get(log.leaf, 0)
        if since < self.COMPACT_AFTER:
            return
        kept = log.leaf
        for _ in range(40):
            kept = log.parents[kept]
        while kept not in self.users:
            kept = log.parents[kept]
        made = log.entry("compaction", f'"summary":"{self.prose.some(6000)}","firstKeptEntryId":"{log.ids[kept]}","tokensBefore":600000')
        self.compacted[made] = log.depths[made]

    def branch(self, least=1, most=5 * DEEP):
        """Go back to an entry of that depth, preferably a late one."""
        log = self.log
        left = log.leaf
        while True:
            to = int(self.rng.random() ** 0.5 * len(log.ids))
            if least <= log.depths[to] <= most:
                break
        log.leaf = to
        if self.rng.random() < 0.5:
            self.note("branch_summary", f'"fromId":"{log.ids[left]}","summary":"{self.prose.some(1500)}"')

    def work(self, enough):
        """Write until `enough`, which returns the fraction done, reaches 1."""
        log = self.log
        self.note("model_change", '"provider":"acme","modelId":"acme-1"')
        last_branch = False
        while enough(log) < 1:
            self.compact()
            self.turn()
            self.aside()
            if last_branch:
                continue
            # The first branch must be as deep as the others will be; the last
            # one is continued.
            if enough(log) > 0.985 and max(log.depths) >= DEEP:
                last_branch = True
                self.branch(DEEP, 2 * DEEP)
            elif log.depths[log.leaf] > 5 * DEEP or (len(log.ids) > 1.2 * DEEP and self.rng.random() < 0.09):
                self.branch()

    def about(self):
        log = self.log
        whole = (i for i in sorted(self.users) if i not in self.compacted)
        deep = sorted(whole, key=lambda i: abs(log.depths[i] - DEEP))
        return {"entries": len(log.ids), "deep": [log.ids[i] for i in deep[:8]]}


def realistic(file, enough):
    agent = Agent(file, 1)
    agent.work(enough)
    return agent.about()


def of_200_mb(file):
    size = 1_500_000 if SMALL else 200_000_000
    return realistic(file, lambda log: log.bytes / size)


def of_10_000(file):
    n = 300 if SMALL else 10_000
    return realistic(file, lambda log: len(log.ids) / n)


def short_text(i):
    return f'"content":"entry {i}"'


def of_a_million(file):
    log = Log(file, random.Random(2))
    for i in range(3000 if SMALL else 1_000_000):
        if log.rng.random() < 0.01:
            log.leaf = log.rng.randrange(i) if i else None
        log.message("user", short_text(i))
    return {"entries": len(log.ids)}


def chains(file, length):
    """The same entries for every length of chain, except for their parents."""
    log = Log(file, random.Random(3))
    for i in range(1000 if SMALL else 100_000):
        if i % length == 0:
            log.leaf = None
        log.message("user", short_text(i))
    return {"entries": len(log.ids)}


def one_chain(file):
    return chains(file, 1000 if SMALL else 100_000)


def short_chains(file):
    return chains(file, 100 if SMALL else 1000)


def of_ten(file):
    log = Log(file, random.Random(4))
    for i in range(10):
        log.message("user", short_text(i))
    return {"entries": len(log.ids)}


def one_large(file):
    """A tool result with a whole file: one entry is nearly all of the session."""
    size = 1_000_000 if SMALL else 100_000_000
    agent = Agent(file, 5)
    agent.turn()
    pieces = []
    while size > 0:
        pieces.append(agent.code.some(min(size, 100_000)))
        size -= len(pieces[-1].encode())
    name = agent.answer("toolu_large")
    before = agent.log.leaf
    text = "\\n".join(pieces)
    block = f'{{"type":"text","text":"{text}"}}'
    agent.say("toolResult", f'"toolCallId":"toolu_large","toolName":"{name}","content":[{block}],"isError":false')
    agent.answer(None)
    return {"entries": len(agent.log.ids), "large": agent.log.ids[before + 1], "line": len(text.encode())}


def of_files(file):
    """Files that are written, and edited again and again, between other turns."""
    files, edits, entries = (20, 80, 400) if SMALL else (500, 2000, 10000)
    agent = Agent(file, 11)
    log, rng = agent.log, agent.rng
    texts = {}

    def use(tool, arguments):
        call = f"call_{len(log.ids)}"
        log.message("assistant", f'"content":[{{"type":"toolCall","id":"{call}","name":"{tool}",'
                    f'"arguments":{json.dumps(arguments)}}}],"provider":"p","model":"m"')
        log.message("toolResult", f'"toolCallId":"{call}","toolName":"{tool}","isError":false,"content":[{{"type":"text","text":"done"}}]')

    def write(number):
        texts[number] = [f"{i} {line}" for i, line in enumerate(json.loads(f'"{agent.code.some(10000)}"').split("\n"))]
        use("write", {"path": f"src/{number % 40}/{number}.c", "content": "\n".join(texts[number])})

    def edit():
        number = rng.choice(list(texts))
        lines = texts[number]
        at = rng.randrange(len(lines))
        new = f"{at} {rng.getrandbits(64):x}"
        use("edit", {"path": f"src/{number % 40}/{number}.c", "edits": [{"oldText": lines[at] + "\n", "newText": new + "\n"}]}
            if at + 1 < len(lines) else {"path": f"src/{number % 40}/{number}.c", "edits": [{"oldText": "\n" + lines[at], "newText": "\n" + new}]})
        lines[at] = new

    todo = ["write"] * (files - 1) + ["edit"] * edits + ["talk"] * ((entries - 2 * (files + edits)) // 2)
    rng.shuffle(todo)
    write(0)
    for what in todo:
        if what == "write":
            write(len(texts))
        elif what == "edit":
            edit()
        else:
            log.message("user", f'"content":"{agent.prose.some(200)}"')
            log.message("assistant", f'"content":[{{"type":"text","text":"{agent.prose.some(800)}"}}],"provider":"p","model":"m"')
    return {"entries": len(log.ids), "files": files, "inner": log.ids[len(log.ids) * 3 // 4],
            "bytes": sum(len("\n".join(lines).encode()) for lines in texts.values())}


SHAPES = {
    "200mb": of_200_mb, "10000": of_10_000, "million": of_a_million, "chain": one_chain, "chains": short_chains,
    "ten": of_ten, "large": one_large, "files": of_files,
}


def make(shape, path):
    """Write a session, and return its properties."""
    with open(path, "w", encoding="utf-8", newline="\n", buffering=1 << 20) as f:
        return SHAPES[shape](f)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in SHAPES:
        sys.exit(__doc__ + "\n" + " ".join(SHAPES))
    with open(sys.argv[2] + ".json", "w", encoding="utf-8") as about:
        json.dump(make(sys.argv[1], sys.argv[2]), about)
