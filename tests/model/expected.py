"""What a mount shows of a session of Pi or oh-my-pi: a function of the bytes of its file.

This is sessfs-mount(7) once more, for entries of the types that the model draws, and in
the simplest way: everything is computed from the start, and nothing is remembered.

    expected = Expected(data)
    for kind, path, want in expected.looks():
        ...

A look is what one system call answers: LIST the names of a folder in their order, LINK the
target of a symlink, FILE the bytes of a file, JSON its value, ROWS the "key: value" lines
that it has among others, MEMBERS those that the lines of a file of JSON have among others
below its header, CUT lines that may be cut at an ellipsis, TIME the seconds of an mtime. `want` is a function without
arguments, since few looks are made after each step.
"""

import json
import re
import uuid
from datetime import datetime

LIST, LINK, FILE, JSON, ROWS, MEMBERS, CUT, TIME = "list", "link", "file", "json", "rows", "members", "cut", "time"
ENTRY_FILES = ("content", "label", "meta", "parent", "context.txt", "context.json", "branch.jsonl", "raw.json", "words", "as")
ROOT = ["HEAD", "context.txt", "tree.txt", "info", "name", "path", "tree", "by-id", "by-label", "by-file", "files", "branches"]


BAD = object()


def value_of(line):
    """The value of a line of JSON, or BAD."""
    try:
        return json.loads(line)
    except ValueError:
        return BAD


def file_name(text, in_entry=True):
    """An id or a label as a file name (E4)."""
    def escape(at):
        return "".join(f"%{byte:02X}" for byte in at[0].encode())

    name = re.sub(r"[\x00-\x1f\x7f/]|%(?=-|[0-9A-Fa-f]{2})|^\.", escape, text, flags=re.S)
    taken = name in ENTRY_FILES or re.fullmatch(r"[1-9][0-9]*\.[^.]+|agent(-[0-9]*)?", name)
    name = f"%{ord(name[0]):02X}{name[1:]}" if in_entry and taken else name or "%-"
    if len(name.encode()) <= 255:
        return name
    return name.encode()[:221].decode(errors="ignore") + f"%-{uuid.uuid5(uuid.UUID(int=0), text).hex}"


def letters(text):
    """Words as they are in the names of path/ (R1)."""
    return re.sub(r"[\W_]+", "-", text).strip("-")[:40].strip("-")


class Entry:
    def __init__(self, number, ident):
        self.number, self.id, self.name = number, ident, file_name(ident)
        self.children = []

    def read(self, line, raw, value):
        """The last line with its id is what it says."""
        self.line, self.raw, self.value, self.type = line, raw, value, value["type"]
        self.time = datetime.fromisoformat(value["timestamp"].replace("Z", "+00:00")).timestamp()
        message = value.get("message") or {}
        self.role = message.get("role")
        self.kind = self.role or self.type
        self.book = self.type in ("label", "session_info") or value.get("customType") == "sessfs.head"
        self.said = self.type != "custom"
        content = message.get("content")
        if isinstance(content, list):
            content = "\n\n".join(block["text"] for block in content)
        self.text = content
        if content is None:
            shown = {k: v for k, v in value.items() if k not in ("id", "parentId", "type", "timestamp")}
            content = json.dumps(shown, ensure_ascii=False, indent=2)
        self.content = content if content.endswith("\n") or not content else content + "\n"
        preview = [str(value[k]) for k in ("label", "name", "customType", "targetId") if value.get(k)]
        self.words = " ".join((self.text if self.text is not None else preview[0] if preview else "").split())


class Expected:
    def __init__(self, data):
        self.entries, self.by_id = [], {}
        self.header, self.leaf, self.name = None, None, ""
        self.stray = self.null = self.broken = False  # no entry at the end, any null, no JSON at the end
        self.labels = {}  # by id: the text, the last line, its time, and the line since which it has one
        self.faults = dict.fromkeys(("bad-lines", "lines-without-id", "extra-headers", "duplicate-ids", "missing-parents", "cycles"), 0)
        self.size, self.lines, self.torn = len(data), 0, False
        for number, line in enumerate(data.split(b"\n"), 1):
            self.read_line(number, line, number > data.count(b"\n"))
        self.link()

    def read_line(self, number, raw, is_last):
        value = value_of(raw)
        if is_last and value is BAD:
            self.torn = bool(raw)
            self.broken |= self.torn
            return
        self.lines = number
        if not raw.strip():
            return
        self.broken = value is BAD or not value
        if value is BAD:
            self.faults["bad-lines"] += 1
        elif not isinstance(value, dict) or not isinstance(value.get("id"), str) or not value["id"]:
            self.faults["lines-without-id"] += 1
            self.stray, self.null = bool(value) or self.stray, value is None or self.null
        elif value.get("type") == "session":
            self.faults["extra-headers"] += self.header is not None
            self.header, self.stray = self.header or value, False
        else:
            self.read_entry(number, raw, value)

    def read_entry(self, number, raw, value):
        entry = self.by_id.get(value["id"])
        self.faults["duplicate-ids"] += entry is not None
        if not entry:
            entry = self.by_id[value["id"]] = Entry(len(self.entries), value["id"])
            self.entries.append(entry)
        entry.read(number, raw, value)
        self.leaf, self.stray = entry, False
        if entry.type == "label":
            text, _, _, since = self.labels.get(value["targetId"], ("", 0, 0, 0))
            self.labels[value["targetId"]] = (value.get("label") or "", number, entry.time, since if text else number)
        if entry.type == "session_info":
            self.name = (value.get("name") or "").strip()

    def link(self):
        for e in self.entries:
            named = e.value.get("parentId")
            e.parent = self.by_id.get(named) if named else None
            e.cut = False
            self.faults["missing-parents"] += bool(named) and e.parent is None
        for e in self.entries:
            way = []
            while e and e not in way:
                way.append(e)
                e = e.parent
            if e:
                first = min(way[way.index(e):], key=lambda x: x.number)
                first.parent, first.cut = None, True
                self.faults["cycles"] += 1
        for e in self.entries:
            if e.parent:
                e.parent.children.append(e)
        self.roots = [e for e in self.entries if not e.parent]
        self.head = self.stands_for(self.leaf)
        said = self.head
        while said and not said.said:
            said = self.shown_parent(said)
        self.head = said or self.head
        self.tips = [e for e in self.entries if not e.book and not self.shown_below(e)]
        self.way = [e for e in self.above(self.head) if not e.book]

    def is_omp(self):
        return bool(self.header) and "titleSource" in self.header

    def is_opened(self):
        """By its agent, which else would lose what is written."""
        return bool(self.header) and not (self.stray and self.entries) and not (self.is_omp() and self.null)

    # The tree.

    def stands_for(self, e):
        while e and e.book:
            e = e.parent
        return e

    def shown_parent(self, e):
        return self.stands_for(e.parent)

    def shown_below(self, top):
        """The entries that are drawn below one, or the roots, in file order."""
        below = []
        for e in top.children if top else self.roots:
            below += self.shown_below(e) if e.book else [e]
        return sorted(below, key=lambda e: e.number)

    def above(self, e):
        """The way from the root to an entry."""
        way = []
        while e:
            way.append(e)
            e = e.parent
        return way[::-1]

    def is_below_cycle(self, e):
        return any(above.cut for above in self.above(e))

    def label(self, e):
        return self.labels.get(e.id, ("",))[0]

    def label_links(self):
        """Of several entries with one label the one labelled last."""
        last = {}
        for ident, (text, line, _, _) in self.labels.items():
            e = self.by_id.get(ident)
            if text and e and line > last.get(text, (None, 0))[1]:
                last[text] = (e, line)
        return sorted(((e, text) for text, (e, _) in last.items()), key=lambda x: x[0].number)

    def tree_path(self, e):
        return "/".join(["tree", *(above.name for above in self.above(e))])

    # Files.

    def messages(self, e):
        more = {"attribution": "user"} if self.is_omp() else {}
        return [above.value["message"] | (more if above.role == "user" else {}) for above in self.above(e) if above.role]

    def context(self, e):
        said = [above for above in self.above(e) if above.role and above.text]
        return "\n\n".join(f"[{above.role.capitalize()}]: {above.text}" for above in said) + ("\n" if said else "")

    def branch(self, e):
        """The lines of branch.jsonl, without the ids and the parents that are made for it."""
        way = [above for above in self.above(e) if above.type != "label"]
        lines = [{**above.value, "parentId": None} for above in way]
        for line, above in zip(lines[1:], way):
            line["parentId"] = above.id
        on = sorted((self.labels[x.id][3], x.id) for x in way if self.label(x))
        return lines + [{"targetId": ident, "label": self.labels[ident][0]} for _, ident in on]

    def meta(self, e):
        v = e.value
        rows = {"id": e.id, "parent": e.parent and e.parent.id, "type": e.type, "timestamp": v["timestamp"], "line": str(e.line),
                "bookkeeping": "yes" if e.book else None, "role": e.role, "custom-type": v.get("customType"), "target": v.get("targetId")}
        return {k: v if v is None else one_line(v) for k, v in rows.items()}

    def info(self):
        tips, depth = len(self.tips), max((len(self.above(e)) for e in self.entries), default=0)
        set_on = sum(1 for ident, label in self.labels.items() if label[0] and ident in self.by_id)
        rows = {"session": self.header and self.header["id"], "name": self.name or None, "head": self.head.id if self.head else "none",
                "leaf": self.leaf.id if self.leaf else "none", "entries": len(self.entries), "branches": tips, "roots": len(self.roots),
                "depth": depth, "labels": set_on, "bytes": self.size, "lines": self.lines, "torn-last-line": 1 if self.torn else None}
        rows |= {fault: n or None for fault, n in self.faults.items()}
        return {k: v if v is None else one_line(str(v)) for k, v in rows.items()}

    def lines_txt(self):
        return "".join(f"by-id/{e.name}/content:{n}:{text}\n" for e in self.entries
                       for n, text in enumerate(e.content.split("\n")[:-1], 1))

    def short(self, e):
        """The shortest start of a name that no other has, of eight bytes at least (K3)."""
        name, others = e.name.encode(), [x.name.encode() for x in self.entries if x is not e]
        n = 8
        while n < len(name) and (name[n] & 0xC0 == 0x80 or any(x[:n] == name[:n] for x in others)):
            n += 1
        return name[:n].decode()

    def steps(self):
        """The drawn tree: each entry, whether it has siblings and is their last, its level."""
        stack = [(e, False, False, 0, False) for e in self.in_time(None)]
        several = len(stack) > 1
        stack = [(e, False, False, int(several), several) for e, *_ in stack][::-1]
        while stack:
            e, branch, last, indent, branched = stack.pop()
            yield e, branch, last, indent - (several and indent > 0)
            below = self.in_time(e)
            deeper = indent + ((branched and indent > 0) or len(below) > 1)
            stack += [(x, len(below) > 1, x is below[-1], deeper, len(below) > 1) for x in below][::-1]

    def in_time(self, top):
        return sorted(self.shown_below(top), key=lambda e: (e.time, e.number))

    def rows(self):
        """The same with notes in a row, which are one row (K3)."""
        steps = list(self.steps())
        while steps:
            e, *drawn = steps.pop(0)
            run = [e]
            while self.folds(run[-1]) and steps and self.folds(steps[0][0]) and self.shown_parent(steps[0][0]) is run[-1]:
                run.append(steps.pop(0)[0])
            yield run, *drawn

    def folds(self, e):
        return e is not self.head and not self.label(e) and not e.said and len(self.shown_below(e)) <= 1

    def tree_txt(self):
        """The lines of tree.txt, as if there were columns enough."""
        bars, lines = {}, []
        for run, branch, last, depth in self.rows():
            e = run[-1]
            turn = "" if not branch else "└─ " if last else "├─ "
            drawn = depth - 1 if branch else depth
            bars = {level: bar for level, bar in bars.items() if level < drawn} if branch or not depth else bars
            prefix = "".join("│  " if bars.get(level) else "   " for level in range(drawn)) + turn
            if branch:
                bars[drawn] = not last
            prefix = f"⋯{depth} {turn}" if depth > 12 else prefix
            label = f" [{self.label(e)}]" if self.label(e) else ""
            mark = " ← HEAD" if e is self.head else ""
            words = f"  {e.words}" if e.words else ""
            start = f"{prefix}{one_line(self.short(e))} "
            lines.append(start + (f"{len(run)} notes" if len(run) > 1 else f"{e.kind}{words}{label}{mark}"))
        return lines

    # Looks.

    def looks(self):
        head = f"by-id/{self.head.name}" if self.head else "tree"
        yield LINK, "HEAD", lambda: head
        yield LIST, ".", lambda: ROOT
        yield LIST, "by-id", lambda: [e.name for e in self.entries]
        yield LIST, "tree", lambda: [e.name for e in self.roots]
        yield LIST, "branches", lambda: [e.name for e in self.tips]
        yield LIST, "by-label", lambda: [file_name(text, False) for _, text in self.label_links()]
        yield LIST, "path", lambda: [self.step_name(n, e) for n, e in enumerate(self.way, 1)]
        yield FILE, "name", lambda: self.name + "\n" if self.name else ""
        yield FILE, "lines.txt", self.lines_txt
        yield CUT, "tree.txt", self.tree_txt
        yield ROWS, "info", self.info
        if not self.is_below_cycle(self.leaf):
            yield FILE, "context.txt", lambda: self.context(self.leaf)
            yield JSON, "context.json", lambda: self.messages(self.leaf)
        for n, e in enumerate(self.way, 1):
            yield LINK, f"path/{self.step_name(n, e)}", lambda e=e: f"../by-id/{e.name}"
            yield LINK, f"path/{n:04}", lambda e=e: f"../by-id/{e.name}"
        for e, text in self.label_links():
            yield LINK, f"by-label/{file_name(text, False)}", lambda e=e: f"../by-id/{e.name}"
        for e in self.tips:
            yield LINK, f"branches/{e.name}", lambda e=e: f"../by-id/{e.name}"
        for e in self.entries:
            yield from self.looks_at(e)

    def looks_at(self, e):
        by_id, files = f"by-id/{e.name}", ["content", "label", "meta"]
        children = [c.name for c in e.children]
        yield LIST, by_id, lambda: (["parent"] if e.parent else []) + files + children
        yield LIST, self.tree_path(e), lambda: files + children
        if e.parent:
            yield LINK, f"{by_id}/parent", lambda: f"../{e.parent.name}"
        for c in e.children:
            yield LINK, f"{by_id}/{c.name}", lambda c=c: f"../{c.name}"
        yield TIME, f"{by_id}/content", lambda: int(e.time)
        label = self.labels.get(e.id)
        yield TIME, f"{by_id}/label", lambda: int(label[2] if label else e.time)
        for at in (by_id, self.tree_path(e)):
            yield FILE, f"{at}/content", lambda: e.content
            yield FILE, f"{at}/label", lambda: one_line(self.label(e)) + "\n" if self.label(e) else ""
            yield ROWS, f"{at}/meta", lambda: self.meta(e)
            yield FILE, f"{at}/raw.json", lambda: e.raw.decode() + "\n"
            yield CUT, f"{at}/words", lambda: [f"{e.kind}  {e.words}".rstrip()]
            if not self.is_below_cycle(e):
                yield FILE, f"{at}/context.txt", lambda: self.context(e)
                yield JSON, f"{at}/context.json", lambda: self.messages(e)
                yield MEMBERS, f"{at}/branch.jsonl", lambda: self.branch(e)

    def step_name(self, n, e):
        words = letters(e.words) if e.said else ""
        return f"{n:04}-{e.kind}" + (f"-{words}" if words else "")


def one_line(text):
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda at: f"\\u{ord(at[0]):04x}", text.replace("\t", "\\t").replace("\n", "\\n"))
