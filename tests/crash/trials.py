"""What the programs here share: sessfs intercepted, and trials.

A trial carries out a scenario (scenarios.py) in a folder of its own, while one thing
goes wrong. A program tries all scenarios whose names fit its patterns, several trials at
a time, and prints what it did and what was wrong.
"""

import concurrent.futures
import fnmatch
import os
import random
import sys
import time
from collections import Counter

import scenarios
from checks import expect

LIBRARY = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../build/intercept.so"))
# Many wait: for a mount, for a lock, for a clock tick.
AT_ONCE = 4


def preloading(**variables):
    """The environment of a sessfs into which ../lib/intercept.c is preloaded."""
    return {
        **os.environ,
        "LD_PRELOAD": LIBRARY,
        # It comes before the sanitizer's library, which would refuse that.
        "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0",
        **variables,
    }


class Trial:
    """The folder of one: the session's files, a mount point, the library's report."""

    def __init__(self, scenario, top):
        self.scenario = scenario
        self.top = top
        self.folder = os.path.join(top, "files")
        self.mount = os.path.join(top, "mnt")
        self.report_to = os.path.join(top, "report")
        os.makedirs(self.folder)
        os.mkdir(self.mount)
        # What was refused: what was done, and the exception.
        self.refused = []

    def report(self):
        """The values of each key of the library's report, in order."""
        found = {}
        if os.path.exists(self.report_to):
            with open(self.report_to) as f:
                for key, value in map(str.split, f):
                    found.setdefault(key, []).append(value)
        return found

    def reported(self, key):
        """The last value of a key, or None."""
        return self.report().get(key, [None])[-1]


def seed():
    """SEED, or another each time. It is printed."""
    number = int(os.environ.get("SEED") or random.randrange(1 << 30))
    print(f"SEED={number}", flush=True)
    return number


def part(every):
    """With PART=K/N every N-th of them, from the K-th on, so that N days try all. At least one."""
    first, _, step = (os.environ.get("PART") or "1/1").partition("/")
    return every[(int(first) - 1) % max(len(every), 1)::int(step)]


def fitting(patterns):
    """The scenarios whose names fit one of the patterns."""
    names = [n for n in scenarios.names() if any(fnmatch.fnmatch(n, p) for p in patterns)]
    expect(names, "no scenario has such a name")
    return [scenarios.find(name) for name in names]


def try_all(folder, patterns, try_scenario):
    """Try the scenarios that use a mount, print the figures, and exit: 1 if any failed.

    try_scenario(scenario, folder, choices, pool) returns a Counter, and a list of what
    was wrong.
    """
    number, began, figures, wrong = seed(), time.monotonic(), Counter(), 0
    todo = [scenario for scenario in fitting(patterns) if not scenario.is_command]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for scenario in todo:
            at = os.path.join(os.path.realpath(folder), scenario.name.replace("/", "."))
            os.makedirs(at)
            counted, failures = try_scenario(scenario, at, random.Random(f"{number}{scenario.name}"), pool)
            print(f"{scenario.name}: {in_words(counted)}, failures: {len(failures)}", flush=True)
            for failure in failures:
                print(f"{scenario.name}: {failure}", file=sys.stderr)
            figures.update(counted)
            wrong += len(failures)
    print(f"{len(todo)} scenarios, {in_words(figures)}, failures: {wrong}, {time.monotonic() - began:.0f} s")
    sys.exit(1 if wrong else 0)


def in_words(figures):
    return ", ".join(f"{what}: {count}" for what, count in figures.items())
