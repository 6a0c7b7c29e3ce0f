"""What the daemon uses over time, and whether that is flat."""

import os
import statistics
import time
from typing import NamedTuple

MIB = 1 << 20
# A later median may be above an earlier one by this much: malloc's pools fill unevenly.
MORE_MEMORY = 4 * MIB
MORE_FILES = 16
MORE_THREADS = 4
# There is a sample a second.
WARM_SECONDS = 60


class Sample(NamedTuple):
    at: float
    memory: int
    files: int
    threads: int


class Measure:
    def __init__(self, pid):
        self.pid = pid
        self.samples = []

    def sample(self):
        with open(f"/proc/{self.pid}/status") as f:
            fields = dict(line.split(":", 1) for line in f)
        files = len(os.listdir(f"/proc/{self.pid}/fd"))
        memory = int(fields["VmRSS"].split()[0]) * 1024
        self.samples.append(Sample(time.monotonic(), memory, files, int(fields["Threads"])))

    def part(self, begin, end):
        """The samples between two fractions of the time."""
        n = len(self.samples)
        return self.samples[int(n * begin) : max(int(n * end), int(n * begin) + 1)]

    def median(self, what, begin, end):
        return statistics.median(getattr(sample, what) for sample in self.part(begin, end))

    def not_flat(self):
        """What of the last fifth is above that of the second tenth, in words.

        In a short run it is above that after the first minute, in which the sessions
        grow to the size at which they begin anew.
        """
        begin = min(max(0.1, WARM_SECONDS / len(self.samples)), 0.5)
        for what, factor, more in (("memory", 1.1, MORE_MEMORY), ("files", 1, MORE_FILES), ("threads", 1, MORE_THREADS)):
            before = self.median(what, begin, begin + 0.1)
            after = self.median(what, 0.8, 1)
            if after > before * factor + more:
                yield f"{what} grow: {before:.0f} after the first tenth, {after:.0f} in the last fifth"

    def table(self):
        yield f"{'at':>22} {'memory (MiB)':>14} {'open files':>11} {'threads':>8}"
        for at in (0.1, 0.5, 1):
            sample = self.samples[min(int(len(self.samples) * at), len(self.samples) - 1)]
            yield f"{at:>22.0%} {sample.memory / MIB:>14.1f} {sample.files:>11} {sample.threads:>8}"

    def plot(self, width=60, height=8):
        """The memory over time, from nothing to the most."""
        columns = min(width, len(self.samples))
        values = [self.median("memory", i / columns, (i + 1) / columns) for i in range(columns)]
        most = max(values)
        for row in range(height, 0, -1):
            mark = f"{most * row / height / MIB:7.1f} MiB |"
            yield mark + "".join("#" if value * height >= most * (row - 0.5) else " " for value in values)


def stacks(pid):
    """Where each thread of a process waits."""
    for task in sorted(os.listdir(f"/proc/{pid}/task")):
        for name in ("comm", "wchan", "syscall", "stack"):
            try:
                with open(f"/proc/{pid}/task/{task}/{name}") as f:
                    yield f"{task} {name}: {f.read().strip()}"
            except OSError as e:
                yield f"{task} {name}: {e.strerror}"
