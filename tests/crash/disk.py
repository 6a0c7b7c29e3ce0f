"""What a power cut may leave of a folder, from the records of ../lib/intercept.c.

    disk = Disk(files)                 names and bytes, all of them durable
    for record in read_records(path):
        disk.apply(record)
        states = disk.states(limit, choices)

The model is that of POSIX, and no filesystem's in particular (README.md):

- What was written to a file before the last fsync or fdatasync of it that returned is
  there. What was written later is there or not, each sector of 512 bytes by itself, in
  any version that it has had since.
- The size of the file is the durable one, or any that it has had since, or has passed
  at the end of a sector. Where the size is there, and the data is not, are zeros.
- Names that were made, renamed or removed before the last fsync of the folder are
  durable. Of later changes any may have happened, whatever their order, but each as
  a whole: a rename is atomic. An fsync of a file does nothing for its name.
"""

import itertools
import math

SECTOR = 512


def read_records(path):
    """Tuples of words; that of a write ends with its bytes."""
    with open(path, "rb") as f:
        while line := f.readline():
            words = tuple(line.decode().split())
            yield (*words, f.read(int(words[3]))) if words[0] == "write" else words


class File:
    def __init__(self, data=b""):
        self.versions = [data]  # the durable one, and those since

    def now(self):
        return self.versions[-1]

    def write(self, offset, data):
        old = self.now().ljust(offset, b"\0")
        self.versions.append(old[:offset] + data + old[offset + len(data) :])

    def truncate(self, size):
        self.versions.append(self.now()[:size].ljust(size, b"\0"))

    def sync(self):
        del self.versions[:-1]

    def sizes(self):
        sizes = {len(self.versions[0])}
        for old, new in itertools.pairwise(self.versions):
            low, high = sorted((len(old), len(new)))
            sizes.update(range(low + -low % SECTOR, high, SECTOR))
            sizes.add(len(new))
        return sorted(sizes)

    def sectors(self):
        """The versions of each sector, the durable one first."""
        most = max(map(len, self.versions))
        for at in range(0, most, SECTOR):
            yield list(dict.fromkeys(v[at : at + SECTOR].ljust(SECTOR, b"\0") for v in self.versions))

    def options(self):
        """Lists of which one each is chosen, for make()."""
        return [self.sizes(), *self.sectors()] if len(self.versions) > 1 else [[len(self.now())], [self.now()]]

    @staticmethod
    def make(chosen):
        size, *parts = chosen
        return b"".join(parts)[:size]


class Disk:
    def __init__(self, files):
        self.durable = {name: File(data) for name, data in files.items()}
        self.names = dict(self.durable)
        self.changes = []  # of names, since the folder was synced
        self.inodes = {}

    def knows(self, name, inode):
        """A file that is there at the start has this inode."""
        self.inodes[inode] = self.names[name]

    def apply(self, record):
        match record:
            case ("create", name, inode):
                self.inodes[inode] = File()
                self.change(("make", name, self.inodes[inode]))
            case ("link", name, inode):
                self.change(("make", name, self.inodes[inode]))
            case ("rename", old, name, inode):
                self.change(("rename", old, name, self.inodes[inode]))
            case ("unlink", name):
                self.change(("remove", name))
            case ("write", inode, offset, _, data):
                self.inodes[inode].write(int(offset), data)
            case ("truncate", inode, size):
                self.inodes[inode].truncate(int(size))
            case ("sync", inode):
                self.inodes[inode].sync()
            case ("sync-folder",):
                self.durable = dict(self.names)
                self.changes = []
            case _:
                raise AssertionError(f"the record {record} is not known")

    def change(self, change):
        self.changes.append(change)
        make_change(self.names, change)

    def now(self):
        """The files as they are without a power cut."""
        return {name: file.now() for name, file in self.names.items()}

    def folders(self, limit, choices):
        """What the folder may hold: names and files, each once."""
        n = len(self.changes)
        if 2**n <= limit:
            subsets = list(itertools.product((False, True), repeat=n))
        else:
            first = [[i < end for i in range(n)] for end in range(n + 1)]
            all_but_one = [[i != out for i in range(n)] for out in range(n)]
            some = [[choices.random() < 0.5 for _ in range(n)] for _ in range(limit)]
            subsets = (first + all_but_one + some)[:limit]
        seen = {}
        for subset in subsets:
            names = dict(self.durable)
            for change, happens in zip(self.changes, subset):
                if happens:
                    make_change(names, change)
            seen[frozenset((name, id(file)) for name, file in names.items())] = names
        return list(seen.values())

    def states(self, limit, choices):
        """Dictionaries of names and bytes: all, or a sample of so many of each folder."""
        for names in self.folders(limit, choices):
            options = [file.options() for file in names.values()]
            flat = [option for of_file in options for option in of_file]
            if math.prod(map(len, flat)) <= limit:
                picks = itertools.product(*flat)
            else:
                picks = sample(flat, limit, choices)
            for pick in picks:
                at = iter(pick)
                yield {name: File.make(list(itertools.islice(at, len(o)))) for name, o in zip(names, options)}


def make_change(names, change):
    match change:
        case ("make", name, file):
            names[name] = file
        case ("remove", name):
            names.pop(name, None)
        case ("rename", old, name, file):
            names[name] = file
            if names.get(old) is file:
                del names[old]


def sample(options, limit, choices):
    """All old, all new, all but one of each, and random ones."""
    new = [o[-1] for o in options]
    old = [o[0] for o in options]
    picks = [old, new]
    for i, o in enumerate(options):
        if len(o) > 1:
            picks.append([*new[:i], old[i], *new[i + 1 :]])
            picks.append([*old[:i], new[i], *old[i + 1 :]])
    if len(picks) > limit:
        picks = [old, new, *choices.sample(picks[2:], limit - 2)]
    yield from picks
    for _ in range(limit - len(picks)):
        yield [choices.choice(o) for o in options]
