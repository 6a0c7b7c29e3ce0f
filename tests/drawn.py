"""Print the text of a terminal that scripts/picture has drawn: drawn.py FILE.svg

Of one that moves, print the screens one after the other.
"""

import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"

screens = {}
for text in tree.parse(sys.argv[1]).iter(f"{SVG}text"):
    if "clip-path" not in text.attrib:
        continue  # the title
    screen, row = re.search(r"#(\w+)-line-(\d+)", text.get("clip-path")).groups()
    rows = screens.setdefault(screen, {})
    column = round(float(text.get("x")) / 12.2)
    rows[int(row)] = rows.get(int(row), "").ljust(column) + text.text
for rows in screens.values():
    for row in range(max(rows) + 1):
        print(rows.get(row, "").replace("\xa0", " ").rstrip())
