#!/usr/bin/env python3
"""The public interface as its headers say it, compared with the committed one.

usage: scripts/abi.py check LIBRARY...  compares; prints `abi: N passed, N failed, N skipped`
       scripts/abi.py write             writes tests/abi/lumagraph.abi and its digest in docs/abi.md, and
                                        the functions into Debian's lists, debian/*.symbols

Every function of the public headers gets an empty body, so that the debug information of a small
library has their types, and no others. libabigail reads these (Debian: abigail-tools).
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = ROOT / "tests/abi/lumagraph.abi"
DOCUMENT = ROOT / "docs/abi.md"
DIGEST = re.compile(r"`([0-9a-f]{64})`")
OF_FILES = ("io.h", "ranks.h", "rows.h")  # the headers of liblumagraph-io


def prototypes(with_vulkan=True, of=lambda header: True):
    """Each public function as it is declared, without the macro in front and the semicolon."""
    found = []
    for header in sorted((ROOT / "include/lumagraph").glob("*.h")):
        if header.name == "vulkan.h" and not with_vulkan or not of(header.name):
            continue
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", header.read_text(), flags=re.S)
        text = re.sub(r"^#.*?(?<!\\)\n", "", text, flags=re.S | re.M)
        found += [" ".join(p.split()) for p in re.findall(r"\bLG_API\s+([^;{]+);", text)]
    return found


def names(functions):
    return {re.match(r"[^(]*?(\w+)\(", function).group(1) for function in functions}


def describe(functions, folder):
    """The description of the interface that libabigail makes."""
    source, library, out = (pathlib.Path(folder) / n for n in ("abi.c", "abi.so", "abi.xml"))
    bodies = "".join(f"{function} {{ __builtin_trap(); }}\n" for function in functions)
    source.write_text(f"#include <lumagraph/lumagraph.h>\n#include <lumagraph/rows.h>\n"
                      f"#include <lumagraph/cuda.h>\n#include <lumagraph/ranks.h>\n{bodies}")
    subprocess.run(["cc", "-g", "-O0", "-w", "-shared", "-fPIC", "-I", str(ROOT / "include"),
                    "-o", str(library), str(source)], check=True)
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                    "--type-id-style", "hash", "--out-file", str(out), str(library)], check=True)
    # Which compiler and which folder it was is no part of the interface.
    text = re.sub(r"<abi-instr [^>]*>", "<abi-instr>", out.read_text())
    return re.sub(r" soname='[^']*'", "", text)


def exported(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                             capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


def project_version():
    return re.search(r"\bversion: '([\d.]+)'", (ROOT / "meson.build").read_text()).group(1)


def other_versions():
    """The version as the headers and Debian's packages have it."""
    header = (ROOT / "include/lumagraph/common.h").read_text()
    parts = [re.search(rf"#define LG_VERSION_{part} (\d+)", header).group(1)
             for part in ("MAJOR", "MINOR", "PATCH")]
    debian = re.match(r"lumagraph \(([\d.]+)", (ROOT / "debian/changelog").read_text()).group(1)
    return {"lumagraph/common.h": ".".join(parts), "debian/changelog": debian}


def symbol_lists():
    """Debian's lists of what a library exports since which version, as they should be, by path. A function
    keeps the version that its line has; a new one gets that of the project."""
    version = project_version()
    interface = re.search(r"^interface = '(\d+)'", (ROOT / "meson.build").read_text(), re.M).group(1)
    lists = {}
    for library, files in ("liblumagraph", False), ("liblumagraph-io", True):
        path = ROOT / f"debian/{library}{interface}.symbols"
        old = dict(re.findall(r"^ (\w+)@Base ([\d.]+)$", path.read_text() if path.exists() else "", re.M))
        own = names(prototypes(of=lambda header, files=files: (header in OF_FILES) == files))
        lists[path] = (f"{library}.so.{interface} {library}{interface} #MINVER#\n"
                       "* Build-Depends-Package: liblumagraph-dev\n"
                       + "".join(f" {name}@Base {old.get(name, version)}\n" for name in sorted(own)))
    return lists


def digest_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def write():
    with tempfile.TemporaryDirectory() as folder:
        text = describe(prototypes(with_vulkan=False), folder)
    BASELINE.parent.mkdir(exist_ok=True)
    BASELINE.write_text(text)
    DOCUMENT.write_text(DIGEST.sub(f"`{digest_of(text)}`", DOCUMENT.read_text(), count=1))
    for path, listed in symbol_lists().items():
        path.write_text(listed)
    return 0


class Checks:
    """Counts, and says what failed."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def that(self, good, message):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {message}")

    def finish(self):
        print(f"abi: {self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0


def check_types(checks):
    # The types of lumagraph/vulkan.h are Vulkan's, whose enumerations grow with its headers.
    functions = prototypes(with_vulkan=False)
    with tempfile.TemporaryDirectory() as folder:
        now = pathlib.Path(folder) / "now.abi"
        now.write_text(describe(functions, folder))
        same = subprocess.run(["abidiff", "--no-show-locs", "--harmless", str(BASELINE), str(now)],
                              capture_output=True, text=True, check=False)
    checks.that(same.returncode == 0, "the interface is not that of tests/abi/lumagraph.abi; when "
                "this is meant, describe it in docs/abi.md and run scripts/abi.py write\n"
                + same.stdout + same.stderr)


def check(libraries):
    checks = Checks()
    functions = prototypes()
    declared = names(functions)
    made = set().union(*map(exported, libraries))
    checks.that(len(declared) > 50, f"{len(declared)} functions found in the headers")
    checks.that(not declared - made, f"declared, not exported: {sorted(declared - made)}")
    checks.that(not made - declared, f"exported, not declared: {sorted(made - declared)}")
    written = DIGEST.search(DOCUMENT.read_text())
    checks.that(written and written.group(1) == digest_of(BASELINE.read_text()),
                "docs/abi.md has the digest of another tests/abi/lumagraph.abi; say there what "
                "changed, and run scripts/abi.py write")
    for place, version in other_versions().items():
        checks.that(version == project_version(), f"{place} has version {version}, not {project_version()}")
    for path, listed in symbol_lists().items():
        checks.that(path.exists() and path.read_text() == listed,
                    f"{path.name} is not the list of the headers' functions: scripts/abi.py write")
    if shutil.which("abidw") and shutil.which("abidiff"):
        check_types(checks)
    else:
        checks.skipped += 1
        print("skipped: no abidiff on this machine (Debian: abigail-tools)")
    return checks.finish()


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        sys.exit(write())
    if len(sys.argv) > 2 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2:]))
    sys.exit(__doc__)
