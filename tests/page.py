#!/usr/bin/env python3
"""Read the man pages, and compare them with a mount, for tests/man.bats.

    page.py FOLDER files MOUNT    check that the files of a mounted folder of sessions
                                are those in the page's lists
    page.py FOLDER refused MOUNT [USER]
                                check that operations in a mounted session are refused
                                with the errnos of the pages
    page.py FOLDER command NAME
                                check that a command's page has the options of its -h, which
                                is read from standard input, and no others
    page.py FOLDER options|keys SECTION
    page.py FOLDER errors|environment|rules
                                print the items of a list, one per line

The first three print differences and fail, or print nothing.
"""
import ctypes
import errno
import os
import re
import sys


class Page:
    """All pages, one after the other. No two have a section of one name, but for those
    that every page has."""

    def __init__(self, folder):
        self.folder, self.lines = folder, []
        for name in sorted(os.listdir(folder), key=lambda name: name.replace(".1", "")):
            with open(os.path.join(folder, name)) as f:
                self.lines += f.read().splitlines()

    def section(self, name):
        """The lines below the .Sh or .Ss of that name, up to the next."""
        start = [f".Sh {name}", f".Ss {name}", f".Sh \\&{name}"]
        at = next(i for i, line in enumerate(self.lines) if line in start) + 1
        for i in range(at, len(self.lines)):
            if self.lines[i].startswith((".Sh ", ".Ss ")):
                return self.lines[at:i]
        return self.lines[at:]

    def items(self, name):
        """For each .It of a section: the rest of its line, its text, and the number
        of its list in the section."""
        found, nth = [], 0
        for line in self.section(name):
            if line.startswith(".Bl"):
                nth += 1
                open_item = False
            elif line.startswith(".El"):
                open_item = False
            elif line.startswith(".It"):
                found.append([line[4:], "", nth])
                open_item = True
            elif nth and open_item:
                found[-1][1] += line + "\n"
        return found


MACROS = {"Pa", "Ns", "Fl", "Cm", "Xr", "Ev", "Er", "Bq", "No", "with"}


def names(head):
    """"Pa by-label/ Ns Ar LABEL , x" is "by-label/<LABEL>" and "x"."""
    out, placeholder = [""], False
    for word in head.split():
        if word == ",":
            out.append("")
        elif word == "Ar":
            placeholder = True
        elif word not in MACROS:
            out[-1] += f"<{word}>" if placeholder else word
            placeholder = False
    return out


class Files:
    """The documented names of one level, and those found in a mount."""

    def __init__(self, page, section):
        self.section = section
        self.listed, self.unlisted, self.met = [], [], set()
        for head, text, nth in page.items(section):
            hidden = nth > 1 or "(not listed)" in text
            (self.unlisted if hidden else self.listed).extend(names(head))

    @staticmethod
    def regex(name, ids):
        any_id = "(?:" + "|".join(map(re.escape, ids)) + ")" if ids else "(?!)"
        r = re.escape(name.rstrip("/"))
        for placeholder, meaning in [
            ("<ID>", any_id), ("<N>", "[1-9][0-9]*"), ("<EXT>", "[a-z0-9]+"),
            ("<NAME>", f"(?!{any_id}$)[^/]+"), ("<LABEL>", "[^/]+"),
            ("<NNNN>", "[0-9]{4,}"), ("-<WORDS>", "(?:-[^/]+)?"), ("<KIND>", r"\w+"), ("<PATH>", ".+"),
            ("<WHAT>", "(?:touch|read|write|edit|delete|move)(?:-failed)?"),
        ]:
            r = r.replace(re.escape(placeholder), meaning)
        return r.replace(re.escape("tree/.../"), f"tree/(?:{any_id}/)*")

    def meet(self, rel, path, ids):
        found = [n for n in self.listed if re.fullmatch(self.regex(n, ids), rel)]
        if not found:
            return f"{path} is not in the page, below {self.section}"
        self.met.update(found)
        folder = os.path.isdir(path) and not os.path.islink(path)
        if not any(n.endswith("/") == folder or n == "<ID>" for n in found):
            return f"{path}: the page has another type for {found}"
        return None

    def look_up(self, folder):
        listed = os.listdir(folder)
        for name in self.unlisted:
            if not os.path.lexists(os.path.join(folder, name)):
                return f"{folder} has no {name}, which the page has"
            if name.rstrip("/") in listed:
                return f"{folder} lists {name}, which the page says it does not"
            self.met.add(name)
        return None

    def missed(self):
        return [f"no mount has {n}, which the page has below {self.section}"
                for n in self.listed + self.unlisted if n not in self.met]


def check_files(page, mount):
    root = Files(page, "THE ROOT")
    entry = Files(page, "AN ENTRY'S FOLDER")
    folders = Files(page, "FOLDERS OF SESSIONS")
    forms = {name for head, _, _ in page.items("THE CONTEXT IN OTHER FORMS") for name in names(head)}
    wrong = []

    def check_forms(at):
        found = set(os.listdir(f"{at}/as"))
        if found != forms:
            wrong.append(f"{at}/as has {found}, the page {forms}")

    def check_session(top):
        ids = os.listdir(f"{top}/by-id")
        entry_folder = re.compile(Files.regex("by-id/<ID>", ids) + "|" +
                                  Files.regex("tree/.../<ID>", ids))
        wrong.append(root.look_up(top))
        check_forms(top)
        for at, below, files in os.walk(top):
            rel = os.path.relpath(at, top)
            in_entry = entry_folder.fullmatch(rel)
            if in_entry:
                wrong.append(entry.look_up(at))
                check_forms(at)
            for name in below + files:
                path = os.path.join(at, name)
                inside = os.path.normpath(os.path.join(rel, name))
                if in_entry:
                    wrong.append(entry.meet(name, path, ids))
                if not in_entry or entry_folder.fullmatch(inside):
                    wrong.append(root.meet(inside, path, ids))
            # A folder of sessions in a session.
            if rel == "." and "subagents" in below:
                below.remove("subagents")
                waiting.append(os.path.join(at, "subagents"))

    waiting = [mount]
    while waiting:
        at = waiting.pop()
        wrong.append(folders.look_up(at))
        for name in os.listdir(at):
            path = os.path.join(at, name)
            wrong.append(folders.meet(name, path, []))
            if os.path.lexists(f"{path}/HEAD"):
                check_session(path)
            else:
                waiting.append(path)
    for level in root, entry, folders:
        wrong += level.missed()
    return [w for w in wrong if w]


def outcome(operation):
    try:
        operation()
    except OSError as e:
        # ENOTSUP is the same number.
        return "EOPNOTSUPP" if e.errno == errno.EOPNOTSUPP else errno.errorcode[e.errno]
    return "0"


def write(path, data, at=0):
    fd = os.open(path, os.O_WRONLY)
    try:
        os.pwrite(fd, data, at)
    finally:
        os.close(fd)


def create(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT))


def allocate(path):
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open(path, os.O_WRONLY)
    try:
        if libc.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(10)) != 0:
            raise OSError(ctypes.get_errno(), "")
    finally:
        os.close(fd)


class Refused:
    """Each operation on each kind of file and folder, except those that the page
    allows."""

    def __init__(self, mount):
        self.mount = mount
        head = os.readlink(f"{mount}/HEAD")
        root = "tree/" + os.listdir(f"{mount}/tree")[0]
        other = next(e for e in sorted("by-id/" + i for i in os.listdir(f"{mount}/by-id"))
                     if e != head and os.path.lexists(f"{mount}/{e}/parent"))
        self.folders = self.at("", head, other, root, "tree", "path", "by-id", "by-label", "branches",
                               "as", f"{head}/as")
        self.files = self.at("context.txt", "context.json", "tree.txt", "info", "as/openai.json",
                             f"{other}/content", f"{other}/meta", f"{other}/context.txt",
                             f"{other}/context.json", f"{other}/branch.jsonl", f"{other}/as/openai.json",
                             f"{other}/raw.json", f"{head}/meta", f"{root}/content")
        self.labels = self.at(f"{head}/label", f"{root}/label", "name")
        self.append = self.at("append")
        self.links = self.at(f"{other}/parent",
                             *("path/" + n for n in os.listdir(f"{mount}/path")),
                             *("branches/" + n for n in os.listdir(f"{mount}/branches")),
                             *("by-label/" + n for n in os.listdir(f"{mount}/by-label")))
        self.head = self.at("HEAD")
        self.kept = self.folders[1:] + self.files + self.links
        self.all = self.kept + self.labels + self.append + self.head

    def at(self, *paths):
        return [os.path.join(self.mount, p) for p in paths]

    def new(self):
        return [f"{d}/new" for d in self.folders]

    def tries(self):
        """For each operation: functions, and the files to call them with."""
        inside = self.folders[1:]
        owner = os.lstat(self.mount)
        return {
            "write": [(lambda p: write(p, b"x"), self.files),
                      (lambda p: write(p, b"a\nb"), self.labels),
                      (lambda p: write(p, b"\xff"), self.labels),
                      (lambda p: write(p, b"x", 500), self.labels),
                      (lambda p: write(p, b"{}\n"), self.append)],
            "truncate": [(lambda p: os.truncate(p, 0), self.files),
                         (lambda p: os.truncate(p, 500), self.labels + self.append)],
            "mknod": [(lambda p: os.mknod(p), self.new()),
                      (lambda p: os.mkfifo(p), self.new())],
            "mkdir": [(os.mkdir, self.new())],
            "rmdir": [(os.rmdir, inside)],
            "link": [(lambda p: os.link(f"{self.mount}/info", p), self.new())],
            "open": [(create, self.new())],
            "symlink": [(lambda p: os.symlink("nothing-of-that-name", p), self.new())],
            "unlink": [(os.unlink, self.files + self.labels + self.append + self.links)],
            "rename": [(lambda p: os.rename(p, p + "2"), self.all),
                       (lambda p: os.rename(p, f"{self.mount}/new"), self.all),
                       (lambda p: os.rename(p, "/new"), self.files + self.append)],
            "chmod": [(lambda p: os.chmod(p, 0o600), self.all),
                      (lambda p: os.chmod(p, os.stat(p).st_mode & 0o777), self.kept)],
            "chown": [(lambda p: os.chown(p, 1, 1, follow_symlinks=False), self.all),
                      (lambda p: os.chown(p, owner.st_uid, owner.st_gid, follow_symlinks=False),
                       self.folders + self.files + self.links)],
            "utimensat": [(lambda p: os.utime(p, (1, 1), follow_symlinks=False),
                           self.folders + self.files + self.links)],
            "setxattr": [(lambda p: os.setxattr(p, "user.x", b"x"),
                          self.folders + self.files + self.labels + self.append)],
            "fallocate": [(allocate, self.files + self.labels + self.append)],
        }


def check_refused(page, mount, user):
    refused = Refused(mount)
    before = os.readlink(f"{mount}/HEAD")
    wrong, said = [], {}
    for head, text, _ in page.items("WHAT IS REFUSED"):
        errors = set(re.findall(r"^\.Er (\w+)", text, re.M))
        for operation in re.findall(r"Xr (\w+) 2", head):
            said[operation] = errors
    if user and user != os.getuid():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    tries = refused.tries()
    for operation in sorted(said.keys() ^ tries.keys()):
        wrong.append(f"{operation} is only in the page, or only tried")
    for operation in sorted(said.keys() & tries.keys()):
        got = {}
        for do, paths in tries[operation]:
            for path in paths:
                got.setdefault(outcome(lambda: do(path)), path)
        if user:
            got.pop("EACCES", None)
        for error in sorted(got.keys() - said[operation]):
            wrong.append(f"{operation} of {got[error]}: {error} is not in the page")
        if not user:
            for error in sorted(said[operation] - got.keys()):
                wrong.append(f"{operation}: never {error}, which the page has")
    if os.readlink(f"{mount}/HEAD") != before:
        wrong.append("HEAD was moved")
    return wrong


def flags(lines):
    """The options that lines name: "Op Fl np" is -n and -p, "Fl -said , -all" --said and --all."""
    found = set()
    for line in lines:
        inside = False
        for word in line.split() if line.startswith(".") else []:
            if re.fullmatch(r"\.?[A-Z][a-z]", word):
                inside = word.endswith("Fl")
            elif inside and re.fullmatch(r"-[a-z-]+", word):
                found.add("-" + word)
            elif inside and re.fullmatch(r"[A-Za-z]+", word):
                found |= {"-" + letter for letter in word}
    return found


def check_command(page, name, usage):
    with open(os.path.join(page.folder, f"sessfs-{name}.1")) as f:
        lines = f.read().splitlines()
    said = flags(lines)
    # What the page lists itself, and not in a sentence.
    own = flags(lines[:lines.index(".Sh DESCRIPTION")] + [line for line in lines if line.startswith(".It")])
    shared = flags(page.section("SELECTION")) | {"-h", "-o"}
    rows = [re.findall(r"(?:^|, )(--?[A-Za-z-]*)", re.split(r"  +| [A-Z]", row[2:])[0])
            for row in usage if row.startswith("  -")]
    wrong = [f"the page of {name} has no {row[0]}" for row in rows
             if not (said | shared).intersection(row)]
    taken = {option for row in rows for option in row} | {"--"}
    wrong += [f"{name} has no {option}, which its page has" for option in sorted(own - taken)]
    if not rows:
        wrong.append(f"{name} -h has no options")
    return wrong


def listed(page, what, *section):
    if what == "options":
        return [head for head, _, _ in page.items(*section) if head.startswith("Fl ")]
    if what == "errors":
        return [re.sub(r"Bq Er ", "", head) for head, _, _ in page.items("ERROR NUMBERS")]
    if what == "environment":
        return re.findall(r"Ev ([A-Z_]+)", " ".join(
            line.replace(" , ", " Ev ") for line in page.section("ENVIRONMENT")))
    if what == "rules":
        return [line.split()[-1] for line in page.lines if re.fullmatch(r'\.(Sy|\\" Rule) [A-Z][0-9]+', line)]
    if what == "keys":
        return [key.strip(" ,") for line in page.section(section[0]) if line.startswith(".Cm ")
                for key in line[4:].replace(" .", "").split(" , ")]
    raise SystemExit(f"{what}?")


def main(path, what, *rest):
    page = Page(path)
    if what == "files":
        wrong = check_files(page, *rest)
    elif what == "refused":
        wrong = check_refused(page, rest[0], int(rest[1]) if rest[1:] else os.getuid())
    elif what == "command":
        wrong = check_command(page, rest[0], sys.stdin.read().splitlines())
    else:
        print("\n".join(listed(page, what, *rest)))
        return
    for complaint in wrong[:100]:
        print(complaint)
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
