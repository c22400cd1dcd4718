"""Checks a page of --report: page.py PAGE [JSON] [--most BYTES] [--has TEXT]... [--svg N] [--images N]

The page is one well-formed tree of known elements, runs nothing, refers to nothing outside of itself, and
its pictures are whole JPEG files. With JSON, the lines that --json printed for the same inputs, all their
numbers stand in the page with the same digits, except for times and for lists that the page counts.
Prints what is wrong, one finding a line.
"""
import argparse
import base64
import html.parser
import json
import re
import struct
import sys

VOID = {"meta", "img", "br"}
KNOWN = VOID | set("html head title style body section h1 h2 h3 p bdi a div figure figcaption table tr th td"
                   " span dl dt dd pre details summary svg path text".split())
found = []


def check(good, text):
    if not good:
        found.append(text)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.texts, self.images, self.svg, self.ids, self.links = [], [], 0, 0, [], []
        self.marks = []

    def handle_starttag(self, tag, attributes):
        check(tag in KNOWN, f"an element <{tag}>")
        if tag not in VOID:
            self.open.append(tag)
        self.svg += tag == "svg"
        place = dict(attributes)
        if tag == "text" and place.get("y") == "11":  # the name of a mark
            self.marks.append((self.svg, float(place["x"])))
        for name, value in attributes:
            check(not name.startswith("on"), f"an attribute {name}")
            if name == "src":
                self.image(value)
            elif name == "href":
                self.links.append(value)
            elif name == "id":
                self.ids.append(value)
            elif value:
                check(not re.search(r"https?:|javascript:|url\(", value), f"{name}={value[:60]}")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        check(self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}")
        if self.open:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            check(not re.search(r"url\(|@import|https?:", data), "a style that refers to something")
        else:
            self.texts.append(data)

    def image(self, source):
        self.images += 1
        head = "data:image/jpeg;base64,"
        check(source.startswith(head), f"a picture from {source[:40]}")
        data = base64.b64decode(source[len(head):], validate=True)
        check(data[:2] == b"\xff\xd8" and data[-2:] == b"\xff\xd9", "a picture that is no JPEG file")
        at = data.find(b"\xff\xc0")
        height, width = struct.unpack(">HH", data[at + 5:at + 9])
        check(0 < width <= 512 and 0 < height <= 512, f"a picture of {width} x {height}")


def numbers(value, key=""):
    """The digits of all numbers of a document, as JSON has them."""
    if key in ("engine", "stages", "counts") or "seconds" in key:
        return
    if isinstance(value, dict):
        for name, member in value.items():
            yield from numbers(member, name)
    elif isinstance(value, list):
        if len(value) <= 16 or isinstance(value[0], dict):
            for member in value[:500]:
                yield from numbers(member, key)
    elif isinstance(value, str) and re.fullmatch(r"\x00.*", value):
        yield value[1:]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("page")
    options.add_argument("json", nargs="?")
    options.add_argument("--most", type=int, default=400000)
    options.add_argument("--has", action="append", default=[])
    options.add_argument("--svg", type=int, default=0)
    options.add_argument("--images", type=int, default=0)
    asked = options.parse_args()
    data = open(asked.page, "rb").read()
    check(len(data) <= asked.most, f"{len(data)} bytes")
    text = data.decode()  # strict
    check(text.startswith("<!DOCTYPE html>\n"), "no doctype")
    check(not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text), "a control byte")
    check("prefers-color-scheme:dark" in text and "@media print" in text, "no dark or no printed style")
    page = Page()
    page.feed(text)
    page.close()
    check(not page.open, f"elements that stay open: {page.open}")
    check(all(link[:1] == "#" and link[1:] in page.ids for link in page.links), f"links {page.links}")
    check(len(set(page.ids)) == len(page.ids), "an id twice")
    pairs = [(a, b) for i, a in enumerate(page.marks) for b in page.marks[:i] if a[0] == b[0]]
    check(all(abs(a[1] - b[1]) >= 70 for a, b in pairs),
          f"names that cover each other: {page.marks}")
    check(page.images >= asked.images, f"{page.images} pictures")
    check(page.svg >= asked.svg, f"{page.svg} drawings")
    shown = " ".join(page.texts)
    for wanted in asked.has:
        check(wanted in shown, f"the page lacks {wanted!r}")
    if asked.json:
        # Behind a NUL a number is told from a text.
        documents = [json.loads(line, parse_int=lambda n: "\0" + n, parse_float=lambda n: "\0" + n)
                     for line in open(asked.json, encoding="utf-8")]
        # The document itself stands there as well, and shall not answer for the tables.
        tables = set(re.findall(r"[^\s,:]+", re.sub(r'<pre class="json">.*?</pre>', "", text, flags=re.S)
                                .replace("<", " ").replace(">", " ")))
        for document in documents:
            lacking = [n for n in numbers(document) if n not in tables]
            check(not lacking, f"numbers that the page lacks: {lacking[:5]}")
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
