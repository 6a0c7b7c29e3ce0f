"""What the tests of crashes check with."""

import os


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def read_files(folder):
    files = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as f:
            files[name] = f.read()
    return files
