"""Write a session whose entries have members of any type.

usage: mutate.py SESSION ID >MUTATED

Each line of SESSION, and after it the same line once for every member at every
depth and every kind of value in its place. ID is the member that names an
entry: it gets another value each time ("" for a dialect that counts lines).
MUTATE_EVERY=N in the environment: only every Nth of them, because each line is
in the context of all later ones.
"""

import copy
import json
import os
import sys

VALUES = [None, True, 5, -1.5, "x", "", [], {}, [None, 7, {}], {"a": []}]


def places(value):
    """The container and key of every value inside a value."""
    keys = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = range(len(value))
    for key in keys:
        yield value, key
        yield from places(value[key])


def mutations(entry):
    for i in range(len(list(places(entry)))):
        for value in VALUES:
            other = copy.deepcopy(entry)
            container, key = list(places(other))[i]
            container[key] = value
            yield other


source, name = sys.argv[1:]
every = int(os.environ.get("MUTATE_EVERY", "1"))
number = 0
with open(source, encoding="utf-8") as f:
    for line in f:
        print(line.rstrip("\n"))
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        for other in mutations(entry):
            number += 1
            if number % every:
                continue
            if name and other.get(name) == entry.get(name):
                other[name] = f"m{number}"
            print(json.dumps(other))
