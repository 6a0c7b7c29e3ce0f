# tree.html, as far as it can be tested without a browser; tests/page/ uses one.
load lib/mount
load lib/run
load lib/pi

# page_is [TEXT EXPRESSION]...: fails unless each Python expression about `page`, the data of
# tree.html, has this text. `read` has the bytes of a file of the mount.
page_is() {
	needs python3
	python3 - "$MNT" "$@" <<-'PY'
	import base64, json, os, re, sys
	mount = sys.argv[1]
	def read(*names):
	    with open(os.path.join(mount, *names), "rb") as f:
	        return f.read()
	html = read("tree.html").decode()
	data = re.search('<script type="application/json" id="session">(.*?)</script>', html, re.S)
	page = json.loads(data[1])
	entries = page["entries"]
	for want, expression in zip(sys.argv[2::2], sys.argv[3::2]):
	    got = str(eval(expression))
	    if got != want:
	        sys.exit(f"{expression}\nis {got}, not {want}")
	PY
}

@test "tree.html is there when it is named, and not listed; its size is exact" {
	mount_fixture pi-v3-branches.jsonl
	local size names
	size=$(stat -c %s "$MNT/tree.html")
	cp "$MNT/tree.html" "$DIR/copy.html"
	is "$size" stat -c %s "$DIR/copy.html"
	cat "$MNT/tree.html" | cmp - "$DIR/copy.html"
	names=$(ls "$MNT" && find "$MNT" -name tree.html)
	[[ $names != *html* ]]
	fails_with "Operation not permitted" touch "$MNT/other.html"
}

# Rules: P1
@test "it has every entry with its content, meta and label, as their files have" {
	mount_fixture pi-v3-branches.jsonl
	page_is True 'sorted(e["id"] for e in entries) == sorted(os.listdir(mount + "/by-id"))' \
		"$(readlink "$MNT/HEAD")" '"by-id/" + entries[page["head"]]["id"]' \
		"[]" '[(e["id"], f) for e in entries for f in ("content", "meta", "label")
			if e.get(f, "") + ("\n" if f == "label" and f in e else "") != read("by-id", e["id"], f).decode()]' \
		"aa000024 1.png True" '" ".join(e["id"] + " " + p["name"] + " " + str(base64.b64decode(p["data"]) == read("by-id", e["id"], p["name"]))
			for e in entries for p in e.get("pictures", []))'
}

@test "it is as the session is now: entries, HEAD and labels" {
	mount_fixture pi-v3-branches.jsonl
	local before
	before=$(stat -c '%s %y' "$MNT/tree.html")
	append_user aa000099 aa000025 "what has just come"
	page_is "what has just come" 'entries[page["head"]]["content"].strip()'
	[ "$(stat -c '%s %y' "$MNT/tree.html")" != "$before" ]
	ln -sfn by-id/aa000004 "$MNT/HEAD"
	page_is aa000004 'entries[page["head"]]["id"]'
	echo "</script>" >"$MNT/by-id/aa000004/label"
	page_is "</script>" 'entries[page["head"]]["label"]'
}

# Rules: P2
@test "no text of a session is markup" {
	write_session "$(user a '' '</script><script>alert(1)</script><!-- <script> &lt;')"
	sed -i 's|/work/demo|</title></script><img src=x onerror=alert(1)>|' "$SESSION"
	mount_session
	page_is '</script><script>alert(1)</script><!-- <script> &lt;' 'entries[0]["content"].strip()' \
		'</title></script><img src=x onerror=alert(1)>' 'page["session"]["cwd"]'
	is 0 grep -c -e 'alert(1)</script>' -e '<img' "$MNT/tree.html"
}

@test "every dialect has a page" {
	needs python3
	mkdir "$DIR/all"
	cp "$FIXTURES"/*.jsonl "$DIR/all"
	"$SESSFS" "$DIR/all" "$MNT"
	python3 - "$MNT" <<-'PY'
	import json, os, re, sys
	for name in os.listdir(sys.argv[1]):
	    at = f"{sys.argv[1]}/{name}"
	    if not os.path.exists(f"{at}/info"):
	        continue
	    with open(f"{at}/tree.html", encoding="utf-8", newline="") as f, open(f"{at}/info") as info:
	        page = json.loads(re.search('id="session">(.*?)</script>', f.read(), re.S)[1])
	        dialect = re.search("^dialect: (.*)$", info.read(), re.M)[1]
	    assert page["session"]["dialect"] == dialect, name
	    assert sorted(e["id"] for e in page["entries"]) == sorted(os.listdir(f"{at}/by-id")), name
	PY
}

@test "the page refers to nothing outside it, and may not fetch anything" {
	needs python3
	python3 - "$ROOT/core/show/page/page.html" <<-'PY'
	import re, sys
	from html.parser import HTMLParser
	FETCH = {"src", "srcset", "href", "action", "data", "poster", "background", "style"}
	class Page(HTMLParser):
	    wrong = []
	    policy = ""
	    def handle_starttag(self, tag, attributes):
	        for key, value in attributes:
	            if (key in FETCH or key.startswith("on")) and value != "data:,":
	                self.wrong.append(f"<{tag} {key}={value}>")
	        if dict(attributes).get("http-equiv") == "Content-Security-Policy":
	            self.policy = dict(attributes)["content"]
	text = open(sys.argv[1], encoding="utf-8").read()
	page = Page()
	page.feed(text)
	for word in "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "import(", "innerHTML", \
	        "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "localStorage", "cookie":
	    if word in text:
	        page.wrong.append(word)
	page.wrong += re.findall(r"https?://[\w.-]+", text)
	for rule in "default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'":
	    if rule not in page.policy.split("; "):
	        page.wrong.append("no " + rule)
	if "unsafe" in page.policy:
	    page.wrong.append(page.policy)
	sys.exit("\n".join(page.wrong) or None)
	PY
}

@test "the page allows its own style and scripts by their sums, and has its library's licences" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT/tree.html" "$ROOT/core/show/page" <<-'PY'
	import base64, hashlib, re, sys
	text = open(sys.argv[1], encoding="utf-8", newline="").read()
	wrong = []
	for tag in "style", "script":
	    sums = " ".join("'sha256-{}'".format(
	        base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode())
	        for inside in re.findall(f"<{tag}>(.*?)</{tag}>", text, re.S))
	    if f"{tag}-src {sums};" not in text:
	        wrong.append(f"in core/show/page/page.html it must be {tag}-src {sums}")
	library = open(sys.argv[2] + "/markdown-it.min.js", encoding="utf-8", newline="").read()
	licences = open(sys.argv[2] + "/markdown-it.LICENSE", encoding="utf-8", newline="").read()
	assert "<script>" + library + "</script>" in text
	assert licences in re.search("<!-- The first script.*?-->", text, re.S)[0]
	assert not re.search("</script|<script|sourceMapp", library)
	for name in "markdown-it", "mdurl", "uc.micro", "entities", "linkify-it", "punycode.js":
	    assert f"\n{name}\n====" in licences, name
	# The library can't end its element.
	sys.exit("\n".join(wrong) or None)
	PY
}

@test "parts of a content are where they are in it, those of a result inside" {
	mount_fixture claude-basic.jsonl
	page_is "['call Read [tool call] Read', 'call Read [tool call] Read']" \
		'[" ".join([p["type"], p["name"], e["content"][p["at"]:p["at"] + p["n"]].split("\n")[0]])
			for e in entries for p in e.get("parts", []) if p["type"] == "call"]'
	page_is "[[True, 'text B-body 1'], [True, 'text A-body 1']]" \
		'[["{} {} {}".format(p["type"], e["content"][p["at"]:p["at"] + p["n"]], p["inner"]) if "n" in p
			else p["id"] in [c["id"] for f in entries for c in f.get("parts", []) if c["type"] == "call"]
			for p in e["parts"]] for e in entries
			if any(p["type"] == "result" for p in e.get("parts", []))]'
}

@test "a session without a name is called by the first words that a person typed" {
	write_session "$(message a '' '{"role":"assistant","content":[{"type":"text","text":"Hi."}],"model":"m"}')" \
		"$(user b a 'Count the\n words.')"
	mount_session
	page_is "Count the words. True" 'page["session"]["words"] + " " + str("name" in page["session"] or "id" in page["session"])'
	echo "The name" >"$MNT/name"
	page_is "The name False" 'page["session"]["name"] + " " + str("words" in page["session"])'
}
