"""The contract of a mount as a model, against a real one, with random steps.

usage: model.py FOLDER [FILE]

A sequence of steps begins with a session of a few lines that is mounted twice. Each step is
something that an agent, a program or a user does: lines come, are torn, repeated and
rewritten; the file is replaced, truncated, removed, renamed; HEAD, labels, the name and new
lines are written through either mount, also by many at once, without space, and while the
daemon is killed. After each step the errno of each call is as expected, the file has the
bytes of before and the lines that the step asks for, and some of what the mounts show,
also to those who hold files open, is compared with expected.py, which knows nothing but the
bytes of the file. At the end of a sequence all of it is.

STEPS=N in the environment (1500) says how many steps are made in all, or MINUTES=N for how
long; SEED=N repeats them. A sequence that fails is shrunk: steps are left out while it
still fails. What is left is printed with the command that runs it again, from FILE.

A step is a list of JSON: its name, which is a method of steps.Steps, and its arguments,
which are drawn without a look at the session. An entry is meant by a number, which counts
around, so that a sequence has a meaning with any steps left out.
"""

import json
import os
import random
import sys
import tempfile
import time
import traceback

import steps as made_of
from steps import Steps

LENGTH = 40
SHRINKING = 60  # seconds
HERE = os.path.dirname(os.path.abspath(__file__))

TEXTS = ("one", "two words", "Größe, 3 ✓", "a\nb c", "ends\n", "<b>&amp;</b> \"q\" \\ /", "-", "x" * 70, "1.5: yes (no)")
LABELS = ("good", "best", "poor", "dead end", "a/b", ".dot", "größe ✓ \"x\" \\", "content", "l" * 60, "%41", "x" * 1024)
BAD_LINES = ("two\nlines", "of two\nlines", "a line, and\tmore", "\n\n", "tab\there", "nul\0", "\x7f", "\udcff", "\udcc3", "\x85", "x" * 1025, "\x1b[2J")
ODD_IDS = ("content", "../../etc/passwd", ".", "a b", "%41", "1.png", "agent-2", "é✓", "HEAD", "-rf", "a\nb", "%-", "aaaaaaaa1", "aaaaaaaa2", "aaaaaaab")
KINDS = ("user", "user", "assistant", "assistant", "label", "name", "head", "custom", "custom")
JUNK = ("junk", "[1]", '{"type":"message"}', "", "  ", '{"type":"session","id":"other"}', "null", '{"id":"x"', "\udcff")
HOWS = ("ln", "ln", "in folder", "rm", "give up")
SPELLINGS = ("by-id", "by-id", "content", "slash", "tree", "path", "label", "branches", "absolute", "prefix", "bare", "parent", "here", "none", "reset")
REFUSED = ("no json", "[]", '{"a":1}', '{"type":"session","id":"x"}', '{"role":"user"}', 
           '{"role":"user","content":"x","parentId":"nowhere"}', '{"type":"label","targetId":"nowhere","label":"x"}',
           '{"type":""}', '{"type":"custom","customType":"x","id":""}', '{"type":"message","message":{}}')


class Draw:
    """Steps, from a generator of random numbers alone."""

    def __init__(self, choices):
        self.choices = choices
        self.any, self.one_of = choices.random, choices.choice

    def number(self):
        return self.choices.randrange(1000)

    def near(self):
        """Some are meant again and again."""
        return self.choices.randrange(3) if self.any() < 0.5 else self.number()

    def mount(self):
        return self.choices.randrange(2)

    def line(self):
        """[kind, id, parent, text, target, seconds]; an id that is a number is one again."""
        ident = f"{self.choices.getrandbits(32):08x}"
        if self.any() < 0.15:
            ident = self.one_of(ODD_IDS)
        elif self.any() < 0.08:
            ident = self.number()
        elif self.any() < 0.06:
            ident = "late"
        parent = "leaf" if self.any() < 0.7 else self.one_of((None, "late", self.number(), self.number(), self.number()))
        kind = self.one_of(KINDS)
        text = self.one_of(LABELS if kind in ("label", "name") else TEXTS)
        return [kind, ident, parent, "" if kind == "label" and self.any() < 0.3 else text, self.near(), self.choices.randrange(12)]

    def lines(self, most=3):
        return [self.line() for _ in range(self.choices.randint(1, most))]

    def pieces(self, text):
        """A text in pieces, as programs write it."""
        text += self.one_of(("\n", ""))
        if self.any() < 0.5 or len(text) > 200:
            return [text]
        cuts = sorted({0, len(text), *(self.choices.randrange(len(text) + 1) for _ in range(2))})
        return [text[a:b] for a, b in zip(cuts, cuts[1:])] or [text]

    def put(self):
        text = self.one_of(BAD_LINES if self.any() < 0.3 else (*LABELS, self.one_of(TEXTS), f"l{self.number()}"))
        how = self.one_of(("trunc", "trunc", "trunc", "over", "append"))
        pieces = [] if how == "trunc" and self.any() < 0.25 else self.pieces(text) if how == "trunc" else [text]
        return [self.mount(), self.one_of(("by-id", "tree", "HEAD", "name")), self.near(), how, pieces]

    def said(self):
        """A line for append: [what, number, text]."""
        what = self.one_of(("user", "user", "assistant", "typed", "below", "label", "copy", "refused"))
        return [what, self.number(), self.one_of(REFUSED if what == "refused" else TEXTS)]

    def appended(self):
        return [self.mount(), [self.said() for _ in range(self.choices.randint(1, 3))], self.one_of((1, 7, 100, 4096, 1 << 17)), self.one_of(("\n", "\n", "\n\n", ""))]

    def move(self):
        return [self.mount(), self.one_of(HOWS), self.one_of(SPELLINGS), self.number()]

    def step(self):
        draw = self.choices.choices(list(self.STEPS), self.STEPS.values())[0]
        return [draw, *getattr(self, f"of_{draw}")()]

    STEPS = {"say": 28, "put": 22, "append": 12, "head": 18, "begin": 4, "finish": 4, "junk": 3, "rewrite": 5, "cut": 2, "empty": 1,
             "away": 2, "back": 3, "refuse": 5, "hold": 7, "open": 6, "room": 4, "remount": 2, "kill": 1, "together": 4}

    def of_say(self):
        return [self.lines()]

    of_put, of_append, of_head = put, appended, move

    def of_begin(self):
        return [self.line(), self.one_of((self.any(), self.any(), self.any(), 1))]

    def of_finish(self):
        return []

    def of_junk(self):
        return [self.one_of(JUNK)]

    def of_rewrite(self):
        how = self.one_of(("rename", "in place", "emptied"))
        what = self.one_of(("same size", "fewer", "more", "other", "same"))
        return [how, what, self.number(), self.lines(6), self.any() < 0.5]

    def of_cut(self):
        return [self.any()]

    of_empty = of_back = of_finish

    def of_away(self):
        return [self.one_of(("rename", "remove", "folder", "link", "fifo"))]

    def of_refuse(self):
        return [self.mount(), self.number(), self.number()]

    def of_hold(self):
        return [self.mount(), self.one_of(("by-id", "tree", "label", "content", "lines")), self.number()]

    def of_open(self):
        """Pieces of lines of several programs that have append open."""
        return [self.mount(), self.choices.randrange(3), self.one_of(TEXTS), self.one_of(("begin", "go on", "end", "end", "leave"))]

    def of_room(self):
        return [self.choices.randrange(420), self.one_of((["put", *self.put()], ["head", *self.move()], ["append", *self.appended()]))]

    def of_remount(self):
        return [self.mount()]

    of_kill = of_remount

    def of_together(self):
        return [self.choices.getrandbits(30), self.choices.randint(2, 6), self.choices.randint(2, 12), self.one_of(("", "", "agent", "readers", "kill", "kill"))]


def sequence(seed, number):
    choices = random.Random(f"{seed} {number}")
    setting = {"format": choices.choice(("pi", "pi", "omp")), "in folder": choices.random() < 0.3, "second": choices.choice(("rw", "rw", "ro"))}
    setting["cycles"] = setting["format"] == "omp" and choices.random() < 0.3
    draw = Draw(choices)
    return [setting, ["say", draw.lines(5)], *(draw.step() for _ in range(LENGTH))]


def run(folder, steps):
    """None, or how it failed; and how many steps were made."""
    made = 0
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        world = None
        try:
            world = Steps(scratch, steps[0])
            for made, step in enumerate(steps[1:], 1):
                world.make(step)
            world.end()
        except Exception as e:
            at = "" if isinstance(e, AssertionError) else traceback.format_exc()[-1500:]
            return f"step {made}, {json.dumps(steps[made])[:300]}: {e}\n{at}", made
        finally:
            if world:
                world.stop()
    return None, made


def shrink(folder, steps, failure):
    """Leave out steps, many at first, while it still fails."""
    made_of.patience = 2
    size, end = max(1, len(steps) // 2), time.monotonic() + SHRINKING
    while time.monotonic() < end:
        at = len(steps)
        shorter = False
        while at > 1 and time.monotonic() < end:
            at = max(1, at - size)
            without = steps[:at] + steps[at + size:]
            if len(without) == len(steps):
                continue
            how, made = run(folder, without)
            if how:
                steps, failure, shorter = without[:made + 1], how, True
                at = min(at, len(steps))
        if size == 1 and not shorter:
            break
        size = max(1, size // 2)
    return steps, failure


def report(steps, failure, seed):
    print(f"failed (SEED={seed}): {failure}\nrun it again with")
    print(f"    {os.path.relpath(HERE)}/run - <<'END'")
    print("\n".join(json.dumps(step) for step in steps) + "\nEND", flush=True)


def main():
    folder = sys.argv[1]
    if len(sys.argv) > 2:
        with open(0 if sys.argv[2] == "-" else sys.argv[2]) as f:
            failure, _ = run(folder, [json.loads(line) for line in f])
        sys.exit(failure)
    seed = os.environ.get("SEED") or str(random.randrange(1 << 30))
    minutes = float(os.environ.get("MINUTES") or 0)
    budget = int(os.environ.get("STEPS") or 1500)
    end = time.monotonic() + 60 * minutes
    made = number = 0
    while time.monotonic() < end if minutes else made < budget:
        steps = sequence(seed, number)
        failure, steps_made = run(folder, steps)
        number += 1
        made += steps_made
        if failure:
            report(*shrink(folder, steps[:steps_made + 1], failure), seed)
            sys.exit(1)
    print(f"{made} steps in {number} sequences were as expected (SEED={seed})")


if __name__ == "__main__":
    main()
