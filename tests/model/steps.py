"""The steps of the model: each does something, and compares what became of it.

A method of Steps that is named as a step does it. What a step writes through a mount is
checked at the file: it has the bytes of before, a newline if the last line had none, and
the lines that the step asks for, byte for byte but for new ids and times.
"""

import errno
import json
import os
import random
import re
import resource
import stat
import subprocess
import threading
import time

from expected import BAD, CUT, JSON, LINK, LIST, MEMBERS, ROWS, TIME, Expected, file_name, value_of
from mounted import Mounted

# What a daemon that was told of a change may take on a busy machine.
patience = 20  # seconds
LOOKS = 6
ROOT = os.geteuid() == 0
HEADER = {"type": "session", "version": 3, "id": "0198f000-0000-7000-8000-000000000001", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/work/demo"}
USAGE = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 3, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.5}}
STALE = (errno.ESTALE, errno.ENOENT)
ID = re.compile("[0-9a-f]{8}")
NOW = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def encoded(text):
    return text.encode(errors="surrogateescape")


def line_of(value):
    return encoded(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) + b"\n"


def assistant(text):
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "api": "x", "provider": "p", "model": "m", "usage": USAGE, "stopReason": "stop"}


def errno_of(call, *args):
    """0, or the errno of a call that fails."""
    try:
        call(*args)
        return 0
    except OSError as e:
        return e.errno


def same(what, got, want):
    assert got == want, f"{what} is\n{got!r}, not\n{want!r}"


def named(err):
    return errno.errorcode.get(err, err)


class Steps:
    def __init__(self, scratch, setting):
        self.scratch, self.setting = scratch, setting
        folder = os.path.join(scratch, "all")
        os.mkdir(folder)
        self.session = os.path.join(folder, "session.jsonl")
        self.source = folder if setting["in folder"] else self.session
        self.header = line_of({**HEADER, **({"titleSource": "auto"} if setting["format"] == "omp" else {})})
        self.choices = random.Random(json.dumps(setting))
        self.rest, self.holds, self.openings, self.seen = b"", [], {}, [{}, {}]
        self.emptied = {}
        self.before, self.also, self.broken = [], None, False  # of the epoch
        self.put_file(self.header)
        self.mounts = [None, None]
        for m in range(2):
            os.mkdir(os.path.join(scratch, f"mnt{m}"))
            self.mount(m)

    def mount(self, m):
        options = ["-o", "ro"] if m == 1 and self.setting["second"] == "ro" else []
        self.mounts[m] = Mounted(self.source, os.path.join(self.scratch, f"mnt{m}"), stderr=subprocess.DEVNULL, options=options)
        if self.setting["in folder"]:
            self.mounts[m].at = os.path.join(self.mounts[m].mount, "session")
        self.seen[m] = {}

    def unmount(self, m):
        self.drop_holds(m)
        for slot in [slot for slot in self.openings if slot[0] == m]:
            os.close(self.openings.pop(slot)[0])
        mounted, self.mounts[m] = self.mounts[m], None
        return mounted

    def stop(self):
        for m in range(2):
            if self.mounts[m]:
                mounted = self.unmount(m)
                mounted.process.kill()
                mounted.process.wait()
                mounted.clear_away()

    def end(self):
        """All that the mounts show; and then they end as they should."""
        self.check(everything=True)
        for m in range(2):
            mounted = self.unmount(m)
            mounted.unmount()
            same("the exit status", mounted.process.returncode, 0)

    # The file.

    def data(self):
        """Its bytes; none unless it is a regular file."""
        if not self.is_there():
            return b""
        with open(self.session, "rb") as f:
            return f.read()

    def is_there(self):
        try:
            return stat.S_ISREG(os.lstat(self.session).st_mode)
        except FileNotFoundError:
            return False

    def expected(self):
        return Expected(self.data())

    def put_file(self, data, flags=os.O_TRUNC):
        fd = os.open(self.session, os.O_WRONLY | os.O_CREAT | flags, 0o644)
        try:
            same("bytes that were written", os.write(fd, data), len(data))
        finally:
            os.close(fd)

    def entry(self, number, expected=None):
        entries = (expected or self.expected()).entries
        return entries[number % len(entries)] if entries else None

    def value(self, line, data):
        """A line that an agent would write behind this data."""
        kind, ident, parent, text, target, seconds = line
        expected = Expected(data)
        again, above, labelled = (self.entry(n, expected) if isinstance(n, int) else None for n in (ident, parent, target))
        ident = again.id if again else f"{ident:08x}" if isinstance(ident, int) else ident
        up = above.id if above else expected.leaf.id if parent == "leaf" and expected.leaf else parent if parent == "late" else None
        value = {"type": "message", "id": ident, "parentId": up, "timestamp": f"2026-03-01T10:00:{seconds:02}.000Z"}
        if kind in ("user", "assistant"):
            value["message"] = {**({"role": "user", "content": text} if kind == "user" else assistant(text)), "timestamp": 7}
        elif kind == "label":
            value |= {"type": "label", "targetId": labelled.id if labelled else "late", "label": text}
        elif kind == "name" and self.setting["format"] == "pi":
            value |= {"type": "session_info", "name": text.strip()}
        else:
            value |= {"type": "custom", "customType": "sessfs.head" if kind == "head" else "x.y", "data": {"text": text, "n": [1, {}]}}
        if not self.setting["cycles"] and Expected(data + line_of(value)).faults["cycles"]:
            value["parentId"] = None  # Pi hangs where there is a cycle
        return value

    def lines(self, lines, data=b""):
        """The data with these lines behind it."""
        for line in lines:
            data += line_of(self.value(line, data))
        return data

    # What an agent does, and what becomes of files.

    def say(self, lines):
        if self.rest or not self.is_there():
            return
        before = self.data() or self.header
        if not before.endswith(b"\n"):
            before += b"\n"
        self.put_file(self.lines(lines, before)[len(self.data()):], os.O_APPEND)

    def begin(self, line, share):
        """A line of which only a part comes."""
        before = self.data()
        if self.rest or not self.is_there() or not before.endswith(b"\n"):
            return
        new = line_of(self.value(line, before))
        cut = 1 + int(share * (len(new) - 2))
        self.rest = new[cut:]
        self.put_file(new[:cut], os.O_APPEND)

    def finish(self):
        if self.is_there():
            self.put_file(self.rest, os.O_APPEND)
        self.rest = b""

    def junk(self, text):
        before = self.data()
        # oh-my-pi takes the line behind an object that is not closed for a part of it, and
        # a second header for an entry.
        odd = text.startswith("{") and (value_of(text) is BAD or "session" in text)
        if before.endswith(b"\n") and not (self.setting["format"] == "omp" and odd):
            self.put_file(encoded(text) + b"\n", os.O_APPEND)

    def rewrite(self, how, what, number, lines, keep_time):
        if not self.is_there():
            return
        self.rest, self.broken = b"", True
        before, after = self.data(), b""
        old = before.splitlines(keepends=True)
        if what == "same size" and self.entry(number):
            word = re.search(rb'"(content|text)":"(\w)', self.entry(number).raw)
            at = before.index(self.entry(number).raw) + word.start(2) if word else len(before)
            after = before[:at] + (b"q" if word else b"") + before[at + bool(word):]
        elif what == "fewer":
            after = b"".join(old[:max(1, len(old) - 1 - number % 4)])
        elif what == "other" or not before:
            after = self.lines(lines, self.header)
        elif before.endswith(b"\n"):
            after = self.lines(lines if what == "more" else [], before)
        after = after or before
        times = os.stat(self.session)
        if how == "rename":
            real, self.session = self.session, self.session + ".new"
            self.put_file(after)
            if keep_time:
                os.utime(self.session, ns=(times.st_atime_ns, times.st_mtime_ns))
            os.rename(self.session, real)
            self.session = real
            return
        if how == "emptied":
            os.truncate(self.session, 0)
        self.put_file(after, 0)
        os.truncate(self.session, len(after))
        if keep_time:
            os.utime(self.session, ns=(times.st_atime_ns, times.st_mtime_ns))

    def cut(self, share):
        size = len(self.data())
        if self.is_there() and size > len(self.header):
            self.rest = b""
            os.truncate(self.session, len(self.header) + int(share * (size - len(self.header))))

    def empty(self):
        if self.is_there():
            self.rest = b""
            os.truncate(self.session, 0)

    def away(self, how):
        """The file is gone, or another thing is in its place."""
        if self.is_there():
            os.rename(self.session, self.session + ".away")
            if how == "remove":
                os.unlink(self.session + ".away")
            elif how == "folder":
                os.mkdir(self.session)
            elif how == "link":
                os.symlink("session.jsonl.away", self.session)
            elif how == "fifo":
                os.mkfifo(self.session)

    def back(self):
        if not self.is_there():
            if errno_of(os.unlink, self.session) not in (0, errno.ENOENT):
                os.rmdir(self.session)
            if errno_of(os.rename, self.session + ".away", self.session):
                self.rest = b""
                self.put_file(self.header)

    # What is written through a mount. `wanted` lines have None for a new id, Ellipsis for
    # a time, and "leaf" as a parent for the entry that was the leaf.

    def is_refused(self, m):
        """Do all writes fail?"""
        return not self.is_there() or (m == 1 and self.setting["second"] == "ro") or not self.expected().is_opened()

    def check_refused(self, what, err, before):
        errs = (errno.EROFS,) if self.is_there() else (errno.EROFS, errno.ENOENT, errno.EPERM, errno.EINVAL, errno.ESTALE)
        assert err in errs or (err == errno.EACCES and not ROOT), f"the errno of {what}, where nothing is written, is {named(err)}"
        self.has_come(before, [])

    def write_once(self, path, flags, data):
        """The errno of open, write or close."""
        try:
            fd = os.open(path, os.O_WRONLY | flags)
        except OSError as e:
            return e.errno
        err = errno_of(os.write, fd, data)
        os.close(fd)
        return err

    def has_come(self, before, wanted):
        now = self.data()
        gap = b"\n" if before and not before.endswith(b"\n") else b""
        if not wanted:
            return same("the file", now, before)
        assert now.startswith(before + gap), f"earlier bytes have changed: {now[:len(before) + 1]!r}"
        data, new = before + gap, now[len(before + gap):]
        old = Expected(before)
        after_mark = old.is_omp() and old.broken
        if after_mark:
            # Else the agent would take the line for a part of the broken one.
            parent = wanted[0]["parentId"] if wanted[0].get("customType") == "sessfs.head" else "leaf"
            wanted = [{"type": "custom", "customType": "sessfs.head", "data": {"from": old.leaf and old.leaf.id}, "id": None, "parentId": parent, "timestamp": ...}, *wanted]
        assert new.endswith(b"\n") and new.count(b"\n") == len(wanted), f"new lines are {new!r}, not {wanted}"
        for number, (line, want) in enumerate(zip(new.splitlines(keepends=True), wanted)):
            expected, got = Expected(data), value_of(line)
            leaf = old.leaf if after_mark and number == 1 else expected.leaf
            assert ID.fullmatch(got["id"]) and got["id"] not in expected.by_id, f"the id of {line!r} is not new"
            self.is_line(line, got, want, leaf and leaf.id)
            data += line

    def is_line(self, line, got, want, leaf):
        def filled(key, value, got):
            if value is None and key == "id":
                return got["id"]
            if value is ...:
                assert isinstance(got[key], int) or NOW.fullmatch(got[key]), f"the time of {line!r}"
                return got[key]
            if key == "message":
                return {k: filled(k, v, got[key]) for k, v in value.items()}
            return leaf if value == "leaf" and key == "parentId" else value

        if "copy" in want:
            copy = want["copy"]
            for key, value in (("id", got["id"]), ("parentId", leaf)):
                member = re.compile(rb'"%s": ?("([^"\\]|\\.)*"|null)' % key.encode())
                copy = member.sub(lambda at: at[0][:at.start(1) - at.start()] + encoded(json.dumps(value, ensure_ascii=False)), copy, count=1)
            return same("the copy", line, copy + b"\n")
        want = {key: filled(key, value, got) for key, value in want.items()}
        if list(want)[0] == "any order":
            del want["any order"]
            return same("the new line", got, want)
        same("the new line", line, line_of(want))

    def put(self, m, where, number, how, pieces):
        """A label, or the name, by open, write of each piece, and close."""
        expected, refused = self.expected(), self.is_refused(m)
        is_name = where == "name"
        e = None if is_name else expected.head if where == "HEAD" else self.entry(number, expected)
        if not (is_name or e) or (is_name and self.setting["format"] != "pi"):
            return
        path = "name" if is_name else f"{expected.tree_path(e) if where == 'tree' else where if where == 'HEAD' else f'by-id/{e.name}'}/label"
        before, old = self.data(), expected.name if is_name else expected.label(e)
        held, at, now, wanted, err = encoded(old + "\n" if old else ""), 0, old, [], 0

        def setting(text):
            middle = {"name": text} if is_name else {"targetId": e.id, **({"label": text} if text else {})}
            head = {"type": "session_info" if is_name else "label"}
            wanted.append({**head, "id": None, "parentId": "leaf", "timestamp": ..., **middle})

        flags = {"trunc": os.O_TRUNC, "over": 0, "append": os.O_APPEND}[how]
        if refused:
            return self.check_refused(path, self.write_once(self.mounts[m].path(path), flags, b"x"), before)
        fd = os.open(self.mounts[m].path(path), os.O_WRONLY | flags)
        begun = time.monotonic()
        truncated = how == "trunc"
        held = b"" if truncated else held
        at = len(held) if how == "append" else 0
        try:
            for piece in map(encoded, pieces):
                held = held[:at] + piece
                text = held[:-1] if held.endswith(b"\n") else held
                try:
                    done, err = os.write(fd, piece), 0
                except OSError as failed:
                    done, err = len(piece), failed.errno
                same("bytes that were taken", done, len(piece))
                if not is_line(text):
                    same(f"the errno of writing {piece!r}", named(err), "EINVAL")
                    break
                same(f"the errno of writing {piece!r}", named(err), 0)
                truncated = False
                at += len(piece)
                text = text.decode().strip() if is_name else text.decode()
                if text != now:
                    setting(text)
                    now = text
        finally:
            os.close(fd)
        if err and now != old:
            setting(old)
        # One who has only emptied the file may still be about to write (line_edits.h).
        emptied = self.emptied.pop((m, e and e.id), "")
        if err and emptied and not wanted and self.data() != before:
            setting(emptied)
        if truncated and not pieces:
            self.emptied[m, e and e.id] = old
        if truncated and old and not err:
            setting("")
        os.readlink(self.mounts[m].path("HEAD"))
        # A truncation waits for its text for a tenth of a second.
        if err and truncated and old and time.monotonic() - begun > 0.05 and self.data() != before:
            setting("")
            setting(old)
        self.has_come(before, wanted)

    def append(self, m, lines, size, end):
        expected, refused, before = self.expected(), self.is_refused(m), self.data()
        said, wanted, ends, err = b"", [], [0], 0
        path = self.mounts[m].path("append")
        if refused:
            return self.check_refused("append", self.write_once(path, 0, line_of({"role": "user", "content": "x"})), before)
        for what, number, text in lines:
            line, want = self.said(what, number, text, expected)
            said += line + b"\n"
            ends.append(len(said))
            if isinstance(want, int):
                err = want
                break
            wanted.append(want)
        # A last line without a newline ends with its object.
        said = said if err else said[:-1] + encoded(end)
        fd = os.open(path, os.O_WRONLY)
        try:
            taken = 0
            while taken < len(said):
                piece = said[taken:taken + size]
                try:
                    done = os.write(fd, piece)
                except OSError as failed:
                    bad_ends_here = err and taken + len(piece) >= len(said.rstrip(b"\n"))
                    assert bad_ends_here and taken >= ends[-2] - size, f"append fails at byte {taken} of {said!r}: {failed}"
                    same("the errno of append", named(failed.errno), named(err))
                    break
                assert done == len(piece) or (err and taken + done == ends[-2]), f"{done} bytes were taken at {taken} of {said!r}"
                taken += done
            assert not err or taken < len(said), f"{said!r} was not refused"
        finally:
            os.close(fd)
        self.has_come(before, wanted)
        if err == errno.EINVAL:
            assert b"\nlast-refused: " in self.mounts[m].read("info"), "info does not say why"

    def said(self, what, number, text, expected):
        """A line for append, and what it becomes, or its errno."""
        made = {"id": None, "parentId": "leaf", "timestamp": ...}
        e = self.entry(number, expected)
        if what == "refused":
            return encoded(text), errno.EINVAL
        above = e if what == "below" else expected.leaf
        if expected.is_below_cycle(above):
            return line_of({"role": "user", "content": text, **({"parentId": above.id} if what == "below" else {})})[:-1], errno.ELOOP
        if what == "typed" or not e:
            value = {"type": "custom", "customType": "x.said", "data": {"n": text}}
            return encoded(json.dumps(value)), {"any order": None, **value, **made}
        if what == "label":
            value = {"type": "label", "targetId": e.id, "label": f"l{number}"}
            return encoded(json.dumps(value)), {"any order": None, **value, **made}
        if what == "copy":
            if e.value.get("targetId", e.id) not in expected.by_id:
                return e.raw, errno.EINVAL
            return e.raw, {"copy": e.raw, "parentId": "leaf"}
        message = assistant(text) if what == "assistant" else {"role": "user", "content": text}
        given = {"parentId": e.id} if what == "below" else {}
        return encoded(json.dumps({**message, **given}, separators=(",", ":"), ensure_ascii=False)), {
            "type": "message", **made, **given, "message": {**message, "timestamp": ...}}

    def open(self, m, slot, text, what):
        """Lines in pieces, of several open files at once: they never mix."""
        if what == "begin" and (m, slot) not in self.openings and not self.is_refused(m):
            self.openings[m, slot] = [os.open(self.mounts[m].path("append"), os.O_WRONLY), "", False]
            said = '{"role":"user","content":"'
        elif (m, slot) in self.openings:
            said = "" if what == "leave" else json.dumps(text, ensure_ascii=False)[1:-1] + ('"}\n' if what == "end" else "")
        else:
            return
        opening, before = self.openings[m, slot], self.data()
        if what in ("begin", "go on", "end"):
            err = errno_of(os.write, opening[0], encoded(said))
            if err:
                assert self.is_refused(m) or (opening[2] and err in STALE), f"the errno of a piece is {named(err)}"
                what = "leave"
            opening[1] += said
        if what in ("leave", "end"):
            os.close(self.openings.pop((m, slot))[0])
        if what == "end":
            message = json.loads(opening[1])
            assert not self.is_refused(m), "a line was taken where nothing is written"
            return self.has_come(before, [{"type": "message", "id": None, "parentId": "leaf", "timestamp": ..., "message": {**message, "timestamp": ...}}])
        self.has_come(before, [])

    def spelled(self, m, spelling, e, expected):
        """The target of a link, and the entry that it names; an errno: none."""
        first = self.mounts[m].at if spelling == "absolute" else ""
        ways = {
            "path": [f"path/{n:04}-x" for n, x in enumerate(expected.way, 1) if x is e],
            "label": [f"by-label/{file_name(text, False)}" for x, text in expected.label_links() if x is e],
            "branches": [f"branches/{x.name}" for x in expected.tips if x is e],
            "tree": [expected.tree_path(e)] if e else [], "content": [f"by-id/{e.name}/content"] if e else [],
            "slash": [f"by-id/{e.name}/"] if e else [], "bare": [e.name] if e and e.name not in ("tree", "HEAD") else [],
            "parent": ["HEAD/parent"], "here": ["HEAD"], "none": ["by-id/none-such"], "reset": ["tree"],
        }
        way = ways.get(spelling) or [os.path.join(first, f"by-id/{e.name if e else 'none-such'}")]
        if spelling == "parent":
            # Before the first entry, unless it has lost its parent.
            head = expected.head
            lost = not head or (head.parent is None and head.value.get("parentId"))
            return way[0], errno.ENOENT if lost else head.parent
        if spelling == "here":
            return way[0], expected.head
        if spelling == "prefix" and e and e.name.isascii() and e.name.isalnum() and len(e.name) > 4:
            fits = [x for x in expected.entries if x.name.startswith(e.name[:4])]
            exact = [x for x in fits if x.name == e.name[:4]]
            return e.name[:4], exact[0] if exact else fits[0] if len(fits) == 1 else errno.EINVAL
        return way[0], None if spelling == "reset" else errno.ENOENT if spelling == "none" or not e else e

    def head(self, m, how, spelling, number):
        expected, before = self.expected(), self.data()
        target, e = self.spelled(m, spelling, self.entry(number, expected), expected)
        err, wanted = 0, []
        if self.is_refused(m):
            return self.check_refused("a move", self.link(m, how, target), before)
        leaf = expected.leaf.id if expected.leaf else None
        if isinstance(e, int):
            err = e
        elif e in (expected.leaf, expected.stands_for(expected.leaf)) or how == "give up":
            pass
        elif expected.is_below_cycle(e):
            err = errno.ELOOP
        else:
            wanted = [{"type": "custom", "customType": "sessfs.head", "data": {"from": leaf}, "id": None,
                       "parentId": e.id if e else None, "timestamp": ...}]
        same(f"the errno of a move to {target}", named(self.link(m, how, target)), named(err))
        self.has_come(before, wanted)

    def link(self, m, how, target):
        """As ln -sfn, ln -sf and busybox do: the errno."""
        path = self.mounts[m].path
        if how in ("ln", "give up"):
            err = errno_of(os.symlink, target, path("HEAD.new"))
            if err:
                return err
            same("a link that is staged", os.readlink(path("HEAD.new")), target)
            assert "HEAD.new" in os.listdir(path()), "a staged link is not listed"
            err = errno_of(os.rename, path("HEAD.new"), path("HEAD")) if how == "ln" else errno.ECANCELED
            if err:
                same("the removal of a staged link", errno_of(os.unlink, path("HEAD.new")), 0)
            assert "HEAD.new" not in os.listdir(path()), "a link that is gone is listed"
            return 0 if how == "give up" else err
        if how == "rm":
            err = errno_of(os.unlink, path("HEAD"))
            if not err:
                assert "HEAD" not in os.listdir(path()) and not os.path.lexists(path("HEAD")), "HEAD is there"
            return err or errno_of(os.symlink, target, path("HEAD"))
        name = os.path.basename(target.rstrip("/"))
        if os.path.isdir(path("HEAD", name)) and not os.path.islink(path("HEAD", name)):
            return self.link(m, "ln", target)  # no program replaces a folder
        err = errno_of(os.symlink, target, path("HEAD", name))
        if err == errno.EEXIST:
            err = errno_of(os.symlink, target, path("HEAD", "tmp.x"))
            if not err:
                err = errno_of(os.rename, path("HEAD", "tmp.x"), path("HEAD", name))
                errno_of(os.unlink, path("HEAD", "tmp.x"))
        return err

    def refuse(self, m, number, which):
        """What can't be done fails, and changes nothing."""
        e, before, path = self.entry(number), self.data(), self.mounts[m].path
        if self.is_refused(m) or not e:
            return
        at = f"by-id/{e.name}"
        a_root = errno.EPERM if ROOT else errno.EACCES
        calls = [
            (errno.EPERM, os.mkdir, path("x")), (errno.EPERM, os.unlink, path("info")), (errno.EPERM, os.rename, path("HEAD"), path("x")),
            (errno.EPERM, os.rename, path("context.txt"), path("x")), (errno.EPERM, os.link, path("info"), path("x")),
            (errno.EPERM, os.chmod, path("info"), 0o600), (errno.EPERM, os.unlink, path("name")), (errno.EPERM, os.rename, path("append"), path("x")),
            (errno.EEXIST, os.symlink, at, path("info")), (errno.EPERM, os.open, path("x"), os.O_WRONLY | os.O_CREAT, 0o644),
            (a_root, os.symlink, "x", path("by-id", "x")), (a_root, os.symlink, "x", path("branches", "x")), (a_root, os.mkdir, path("by-label", "x")),
            (a_root, os.rmdir, path(at)), (a_root, os.truncate, path("info"), 0), (a_root, os.rename, path(at), path("by-id", "x")),
            (a_root, os.symlink, "x", path("path", "x")), (a_root, os.mkdir, path("branches", "x")),
            (errno.ENOENT, os.stat, path("by-id", "none-such")), (errno.ENOENT, os.readlink, path("by-label", "none such")),
            (errno.ENOENT, os.stat, path(at, "none-such")), (errno.ENOENT, os.stat, path("path", "9999")),
            (errno.EPERM, os.chmod, path(at, "label"), 0o600), (errno.ENODATA, os.getxattr, path(at), "user.sessfs.none"),
        ]
        err, call, *args = calls[which % len(calls)]
        same(f"the errno of {call.__name__}{tuple(args)}", named(errno_of(call, *args)), named(err))
        self.has_come(before, [])

    # Who stays: files and folders that are open.

    def epoch(self, expected):
        """While these begin alike, what is open goes on."""
        return [(e.id, e.raw, e.parent and e.parent.id) for e in expected.entries]

    def hold(self, m, what, number):
        expected = self.expected()
        e = self.entry(number, expected)
        if not e or not self.is_there() or len(self.holds) > 5:
            return
        path = {"lines": "lines.txt", "tree": expected.tree_path(e)}.get(what, f"by-id/{e.name}")
        path += f"/{what}" if what in ("label", "content") else ""
        fd = os.open(self.mounts[m].path(path), os.O_RDONLY)
        self.holds.append([m, what, fd, e.id, self.epoch(expected), b""])
        self.look_held(self.holds[-1])

    def look_held(self, hold):
        m, what, fd, ident, *_ = hold
        if what in ("by-id", "tree"):
            return [name for name in os.listdir(fd) if name != "parent"]
        if what == "lines":
            while piece := os.read(fd, 1 << 16):
                hold[5] += piece
            return hold[5].decode()
        return os.pread(fd, 1 << 16, 0).decode()

    def check_holds(self, expected):
        now, also = self.epoch(expected), (expected.is_opened(), expected.faults["duplicate-ids"], expected.faults["cycles"])
        at = {e.id: i for i, e in enumerate(expected.entries)}
        # The mount may have looked before a parent came, which is below its child in the file.
        late = any(e.parent and at[e.parent.id] > at[e.id] for e in expected.entries[len(self.before):])
        is_other = now[:len(self.before)] != self.before or self.broken or self.also != also or late
        self.before, self.also, self.broken = now, also, not self.is_there()
        for opening in self.openings.values():
            opening[2] |= is_other  # it may be stale
        for hold in self.holds[:]:
            m, what, fd, ident, *_ = hold
            if is_other:
                self.drop_hold(hold)
                continue
            e = expected.by_id[ident]
            children = ["content", "label", "meta", *(c.name for c in e.children)]
            label = expected.label(e)
            want = {"by-id": children, "tree": children, "label": label + "\n" if label else "", "content": e.content, "lines": expected.lines_txt()}[what]
            end = time.monotonic() + patience
            while (got := self.look_held(hold)) != want and time.monotonic() < end:
                time.sleep(0.001)
            same(f"{what} of {ident} in mount {m}, which is held open,", got, want)

    def drop_hold(self, hold):
        """The session is another one: no old bytes, but what it is now or an error."""
        m, what, fd, ident, *_ = hold
        if what == "content":
            end, old = time.monotonic() + patience, dict((i, raw) for i, raw, _ in hold[4])[ident]
            e = self.expected().by_id.get(ident)
            while self.is_there() and e and e.raw != old and e.content not in self.told(hold) and time.monotonic() < end:
                time.sleep(0.001)
        os.close(fd)
        self.holds.remove(hold)

    def told(self, hold):
        try:
            return [self.look_held(hold)]
        except OSError as e:
            assert e.errno in STALE, e
            return [self.expected().by_id[hold[3]].content]

    def drop_holds(self, m):
        for hold in [hold for hold in self.holds if hold[0] == m]:
            os.close(hold[2])
            self.holds.remove(hold)

    # The daemon.

    def remount(self, m):
        mounted = self.unmount(m)
        mounted.unmount()
        same("the exit status", mounted.process.returncode, 0)
        self.mount_again(m)

    def mount_again(self, m):
        if self.is_there() or self.setting["in folder"]:
            return self.mount(m)
        self.back()
        self.mount(m)

    def kill(self, m):
        mounted = self.unmount(m)
        mounted.kill()
        mounted.clear_away()
        self.mount_again(m)

    def room(self, room, step):
        """No file may grow beyond so many bytes: the write fits, or nothing changes."""
        m, before = step[1], self.data()
        pid = self.mounts[m].process.pid
        if self.is_refused(m) or self.rest or self.openings or len(step[-1 if step[0] == "put" else 2]) != 1 and step[0] != "head":
            return
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (len(before) + room, resource.RLIM_INFINITY))
        try:
            self.make_alone(step)
        except AssertionError as e:
            assert "EFBIG" in str(e) or "Errno 27" in str(e), e
            os.readlink(self.mounts[m].path("HEAD"))
            after = self.data()
            assert after == before, f"a write that failed has left {after[len(before):]!r}"
        finally:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    # Many at once.

    def together(self, seed, writers, each, beside):
        """Every line is whole, every write that was reported is there once, in its order."""
        expected, before = self.expected(), self.data()
        if any(self.is_refused(m) for m in range(2)) or len(expected.entries) < 2 or not before.endswith(b"\n") or expected.faults["cycles"]:
            return
        choices = random.Random(seed)
        plans = [[(choices.randrange(2), choices.choice(("label", "append", "head")), choices.randrange(1000)) for _ in range(each)] for _ in range(writers)]
        reported, failures, over = [[] for _ in range(writers)], [], threading.Event()

        def write(w):
            for n, (m, what, number) in enumerate(plans[w]):
                tag, e = f"{w}-{n}", self.entry(number, expected)
                if what == "head" and expected.is_below_cycle(e):
                    continue
                try:
                    if what == "label":
                        self.mounts[m].set_label(self.entry(w, expected).name, f"{tag} " + "x" * (number % 300))
                    elif what == "append":
                        self.mounts[m].write(line_of({"role": "user", "content": tag}), "append")
                    else:
                        self.mounts[m].move_head(e.name)
                except OSError as e:
                    if not over.is_set():
                        failures.append(f"{what} by writer {w}: {e}")
                    return
                if what != "head":
                    reported[w].append(tag)

        def say():
            for n in range(each):
                self.put_file(line_of({"type": "message", "id": f"agent-{seed}-{n}", "parentId": expected.leaf.id, "timestamp": "2026-03-01T10:00:01.000Z",
                                       "message": {"role": "user", "content": "outside", "timestamp": 7}}), os.O_APPEND)

        def read():
            while not over.is_set():
                for path in ("tree.txt", "context.txt", "info", "lines.txt"):
                    errno_of(self.mounts[0].read, path)

        threads = [threading.Thread(target=write, args=(w,)) for w in range(writers)]
        threads += [threading.Thread(target={"agent": say, "readers": read}[beside])] if beside in ("agent", "readers") else []
        for thread in threads:
            thread.start()
        if beside == "kill":
            time.sleep(choices.uniform(0, 0.012))
            over.set()
            for m in range(2):
                self.drop_holds(m)
                self.mounts[m].kill()
        for thread in threads[:writers]:
            thread.join()
        over.set()
        for thread in threads:
            thread.join()
        if beside == "kill":
            for m in range(2):
                mounted = self.unmount(m)
                mounted.clear_away()
                self.mount(m)
        assert not failures, failures
        self.check_together(before, reported, beside)

    def check_together(self, before, reported, beside):
        now = self.data()
        assert now.startswith(before), "earlier bytes have changed"
        lines = now[len(before):].split(b"\n")
        values = [value for line in lines[:-1] if (value := value_of(line)) is not BAD]
        assert beside == "kill" or (not lines[-1] and len(values) == len(lines) - 1), f"torn lines: {lines}"
        ids = [value["id"] for value in values]
        same("how often each id is there", len(set(ids)), len(ids))
        tags = [tag_of(value) for value in values]
        for w, mine in enumerate(reported):
            there = [tag for tag in tags if tag.startswith(f"{w}-")]
            same(f"writes of writer {w}", there[:len(mine)], mine)
            assert len(there) <= len(mine) + (beside == "kill"), f"writer {w}: {there}"
        if beside in ("", "readers"):
            for above, value in zip(values, values[1:]):
                # Behind a last line that is damaged, oh-my-pi gets a mark beside the first line.
                beside_mark = above.get("customType") and value["parentId"] == above["parentId"]
                assert value.get("customType") or beside_mark or value["parentId"] == above["id"], f"{value} is not below {above}"

    # Each step, and what is looked at after it.

    def make(self, step):
        self.make_alone(step)
        self.check()

    def make_alone(self, step):
        getattr(self, step[0])(*step[1:])

    def check(self, everything=False):
        expected = self.expected()
        known = {e[:2] for e in self.before}
        touched = [e for e in expected.entries if (e.id, e.raw) not in known]
        touched += [expected.by_id[v] for e in touched for v in (e.value.get("targetId"), e.value.get("parentId")) if v in expected.by_id]
        self.check_holds(expected)
        for m in range(2):
            if not self.is_there() and self.setting["in folder"]:
                # Whoever looks at many paths in a row may be late by some milliseconds (C2).
                end = time.monotonic() + patience
                while os.path.exists(self.mounts[m].at) and time.monotonic() < end:
                    time.sleep(0.001)
                same("the session's folder", named(errno_of(os.stat, self.mounts[m].at)), "ENOENT")
                continue
            looks = list(expected.looks())
            chosen = looks if everything else looks[:2] + self.choices.sample(looks, min(LOOKS, len(looks)))
            for e in touched[:5] if not everything else []:
                chosen += self.choices.sample(list(expected.looks_at(e)), 4)
            for kind, path, want in chosen:
                self.look(m, kind, path, want())
        if everything and self.is_there():
            self.check_numbers()

    def look(self, m, kind, path, want):
        full = self.mounts[m].path(path)
        try:
            got = self.got(m, kind, full, want)
        except (OSError, ValueError) as e:
            raise AssertionError(f"{path} in mount {m}: {e!r}") from e
        if kind == MEMBERS:
            got = [{k: line.get(k) for k in members} for line, members in zip(got, want)] + got[len(want):]
        same(f"{path} in mount {m}", got, want)

    def got(self, m, kind, full, want):
        if kind == LINK:
            return os.readlink(full)
        if kind == LIST:
            names = os.listdir(full)
            self.has_another_time(m, full, names)
            return [name for name in names if name != "forks"]
        if kind == TIME:
            return int(os.stat(full).st_mtime)
        size = os.stat(full).st_size
        with open(full, "rb") as f:
            data = f.read()
        same(f"the size of {full}", size, len(data))
        self.has_another_time(m, full, data)
        text = data.decode()
        if kind == JSON:
            return json.loads(text)
        if kind == CUT:
            ends = " ← HEAD"
            return [w if "…" in g and w.startswith(g.split("…")[0]) and w.endswith(ends) == g.endswith(ends) else g
                    for g, w in zip(text.splitlines(), want)] + text.splitlines()[len(want):]
        if kind == MEMBERS:
            return [json.loads(line) for line in text[text.index('{"type":"session"'):].splitlines()][1:]
        if kind == ROWS:
            rows = dict(line.split(": ", 1) for line in text.splitlines())
            return {key: re.sub(r" \(lines? .*", "", rows[key]) if key in rows else None for key in want}
        return text

    def has_another_time(self, m, full, what):
        """The kernel keeps pages and names while an mtime stays: none comes again."""
        status = os.stat(full)
        key = full, status.st_ino, status.st_mtime_ns
        assert self.seen[m].setdefault(key, what) == what, f"{full} has changed from {self.seen[m][key]!r} to {what!r}, but not its mtime"

    def check_numbers(self):
        """No two files share an inode number, but an entry's in both views (E2)."""
        numbers = {}
        expected = self.expected()
        for e in expected.entries:
            for name in ("", "content", "label", "meta"):
                for view in (f"by-id/{e.name}", expected.tree_path(e)):
                    status = os.stat(self.mounts[0].path(view, name))
                    key = (e.id, name, view) if not name else (e.id, name)
                    same(f"the file with the number of {view}/{name}", numbers.setdefault(status.st_ino, key), key)


def is_line(text):
    try:
        shown = text.decode()
    except UnicodeDecodeError:
        return False
    return len(text) <= 1024 and not re.search(r"[\x00-\x1f\x7f-\x9f]", shown)


def tag_of(value):
    text = value.get("label") or (value.get("message") or {}).get("content") or ""
    return text.split()[0] if isinstance(text, str) and re.match(r"\d+-\d+( |$)", text) else ""
