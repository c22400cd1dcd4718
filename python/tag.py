#!/usr/bin/env python3
"""Gives a wheel for Linux the tag that says which systems it runs on, and prints its new name.

usage: tag.py WHEEL

The tag is manylinux_2_N of PEP 600: N is the least release of glibc whose systems have every symbol that the
libraries in the wheel take from outside. A wheel that takes something else from outside stays as it is.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# Of every system with a release of glibc, 2.N: the newest GLIBCXX_3.4.N and CXXABI_1.3.N that its libstdc++
# has. From the policies of PEP 600's reference implementation.
STANDARD_LIBRARY = {17: (19, 7), 24: (22, 10), 26: (24, 11), 28: (24, 11), 31: (28, 12), 34: (29, 13),
                    35: (30, 13), 39: (33, 15)}  # fmt: skip
EVERYWHERE = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1",
              "libstdc++.so.6"}  # fmt: skip
LOADER = re.compile(r"ld-linux.*\.so\.\d")


def needs_of(library):
    """(libraries, newest minor version by prefix) that a library takes from outside."""
    text = subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", library], check=True,
                          stdout=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", text))
    versions = {"GLIBC_2": 0, "GLIBCXX_3.4": 0, "CXXABI_1.3": 0}
    wants = text.split("Version needs section", 1)[-1] if "Version needs section" in text else ""
    for prefix, minor in re.findall(r"Name: (GLIBC_2|GLIBCXX_3\.4|CXXABI_1\.3)\.(\d+)", wants):
        versions[prefix] = max(versions[prefix], int(minor))
    return needed, versions


def tag_of(wheel, machine):
    """manylinux_2_N_MACHINE; exits with a sentence where no such tag is true."""
    needed, most = set(), {}
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as content:
        for name in content.namelist():
            if re.search(r"\.so(\.|$)", name):
                libraries, versions = needs_of(content.extract(name, folder))
                needed |= libraries
                most = {k: max(v, most.get(k, 0)) for k, v in versions.items()}
    foreign = sorted(n for n in needed - EVERYWHERE if not LOADER.fullmatch(n))
    if foreign:
        sys.exit(f"{wheel.name} needs {', '.join(foreign)}, which not every system has; its tag stays")
    for glibc, (library, abi) in sorted(STANDARD_LIBRARY.items()):
        limits = {"GLIBC_2": glibc, "GLIBCXX_3.4": library, "CXXABI_1.3": abi}
        if all(most.get(k, 0) <= limit for k, limit in limits.items()):
            return f"manylinux_2_{glibc}_{machine}"
    wants = ", ".join(f"{prefix}.{minor}" for prefix, minor in most.items())
    sys.exit(f"{wheel.name} needs {wants}, newer than the systems that this script knows; its tag stays")


def write_anew(old, new, plain, tag):
    """A copy of a wheel with another tag: in WHEEL, and in the checksum that RECORD has of it."""
    with zipfile.ZipFile(old) as source, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as target:
        name = next(n for n in source.namelist() if n.endswith(".dist-info/WHEEL"))
        mark = source.read(name).replace(plain.encode(), tag.encode())
        digest = base64.urlsafe_b64encode(hashlib.sha256(mark).digest()).rstrip(b"=").decode()
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename == name:
                data = mark
            elif entry.filename.endswith(".dist-info/RECORD"):
                row = f"{name},sha256={digest},{len(mark)}"
                data = re.sub(rf"^{re.escape(name)},.*$", row, data.decode(), flags=re.M).encode()
            target.writestr(entry, data, zipfile.ZIP_DEFLATED)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wheel = pathlib.Path(sys.argv[1])
    found = re.fullmatch(r"(.*)-linux_(\w+)\.whl", wheel.name)
    if not found:
        sys.exit(f"{wheel.name} is no wheel for Linux without a tag of its own")
    tag = tag_of(wheel, found[2])
    tagged = wheel.with_name(f"{found[1]}-{tag}.whl")
    write_anew(wheel, tagged, f"linux_{found[2]}", tag)
    wheel.unlink()
    print(tagged)


main()
