# tree.html, as far as it can be tested without a browser; tests/page/ uses one.
load lib/mount
load lib/run
load lib/pi

# Print a Python expression about `page`, the data of the page.
page_is() {
	needs python3
	is "$1" python3 - "$MNT/tree.html" "$2" <<-'PY'
	import base64, json, re, sys
	html = open(sys.argv[1], encoding="utf-8", newline="").read()
	data = re.search('<script type="application/json" id="session">(.*?)</script>', html, re.S)
	page = json.loads(data[1])
	entries = page["entries"]
	print(eval(sys.argv[2]))
	PY
}

@test "tree.html is there when it is named, and not listed" {
	mount_fixture pi-v3-branches.jsonl
	[ -f "$MNT/tree.html" ]
	is 0 bash -c "ls '$MNT' | grep -c html || :"
	is 0 bash -c "find '$MNT' -name tree.html | wc -l"
	fails_with "Operation not permitted" touch "$MNT/other.html"
}

@test "its size is exact before the first read, and it can be copied" {
	mount_fixture pi-v3-branches.jsonl
	local size
	size=$(stat -c %s "$MNT/tree.html")
	is "$size" bash -c "cat '$MNT/tree.html' | wc -c"
	cp "$MNT/tree.html" "$DIR/copy.html"
	cmp "$MNT/tree.html" "$DIR/copy.html"
}

# Rules: P1
@test "it has every entry with its content, meta and label, as their files have" {
	mount_fixture pi-v3-branches.jsonl
	page_is "$(ls -U "$MNT/by-id" | sort)" '"\n".join(sorted(e["id"] for e in entries))'
	page_is "$(readlink "$MNT/HEAD")" '"by-id/" + entries[page["head"]]["id"]'
	local id file
	# shellcheck disable=SC2045 # ids are words
	for id in $(ls "$MNT/by-id"); do
		for file in content meta label; do
			printf '%s %s %s\n' "$id" "$file" "$(base64 -w 0 "$MNT/by-id/$id/$file")"
		done
	done >"$DIR/files"
	page_is "$(cat "$DIR/files")" '"\n".join(
		"{} {} {}".format(e["id"], f, base64.b64encode((e.get(f, "")
			+ ("\n" if f == "label" and f in e else "")).encode()).decode())
		for e in sorted(entries, key=lambda e: e["id"]) for f in ("content", "meta", "label"))'
	file=$(echo "$MNT"/by-id/*/1.png)
	id=${file%/1.png}
	page_is "${id##*/} 1.png $(base64 -w 0 "$file")" '" ".join([e["id"] + " " + p["name"] + " " + p["data"]
		for e in entries for p in e.get("pictures", [])])'
}

@test "it is as the session is now: entries, HEAD and labels" {
	mount_fixture pi-v3-branches.jsonl
	local before
	before=$(stat -c '%s %y' "$MNT/tree.html")
	user aa000099 aa000025 "what has just come" >>"$SESSION"
	echo >>"$SESSION"
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
	page_is '</script><script>alert(1)</script><!-- <script> &lt;' 'entries[0]["content"].strip()'
	page_is '</title></script><img src=x onerror=alert(1)>' 'page["session"]["cwd"]'
	is 0 grep -c -e 'alert(1)</script>' -e '<img' "$MNT/tree.html"
}

@test "every dialect has a page" {
	local fixture
	for fixture in "$FIXTURES"/*.jsonl; do
		mount_fixture "${fixture##*/}"
		page_is "$(sed -n 's/^dialect: //p' "$MNT/info") $(ls "$MNT/by-id" | wc -l)" \
			'page["session"]["dialect"] + f" {len(entries)}"'
		unmount
		daemon_is_gone
	done
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

@test "the page allows its own style and scripts, by their sums" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT/tree.html" <<-'PY'
	import base64, hashlib, re, sys
	text = open(sys.argv[1], encoding="utf-8", newline="").read()
	wrong = []
	for tag in "style", "script":
	    sums = " ".join("'sha256-{}'".format(
	        base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode())
	        for inside in re.findall(f"<{tag}>(.*?)</{tag}>", text, re.S))
	    if f"{tag}-src {sums};" not in text:
	        wrong.append(f"in core/show/page/page.html it must be {tag}-src {sums}")
	sys.exit("\n".join(wrong) or None)
	PY
}

@test "the page has the licences of its library, which can't end its element" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT/tree.html" "$ROOT/core/show/page" <<-'PY'
	import re, sys
	text = open(sys.argv[1], encoding="utf-8", newline="").read()
	library = open(sys.argv[2] + "/markdown-it.min.js", encoding="utf-8", newline="").read()
	licences = open(sys.argv[2] + "/markdown-it.LICENSE", encoding="utf-8", newline="").read()
	assert "<script>" + library + "</script>" in text
	assert licences in re.search("<!-- The first script.*?-->", text, re.S)[0]
	assert not re.search("</script|<script|sourceMapp", library)
	for name in "markdown-it", "mdurl", "uc.micro", "entities", "linkify-it", "punycode.js":
	    assert f"\n{name}\n====" in licences, name
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
