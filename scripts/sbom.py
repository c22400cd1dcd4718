#!/usr/bin/env python3
"""Writes what a build of lumagraph is made of, as SPDX 2.3 in JSON.

usage: sbom.py BUILD [OUTPUT]    (BUILD: a folder that Meson has set up; no OUTPUT: to standard output)

Packages are lumagraph and the libraries that Meson found, with their versions; relationships say which of
them the library, the tool or a module is linked with, and which are loaded at run time. The time of the
document is SOURCE_DATE_EPOCH, else that of the last commit: the same build has the same document.
"""
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMESPACE = "https://spdx.org/spdxdocs/lumagraph"
# By the name of Meson's dependency: the licence, and what uses it how.
KNOWN = {
    "libtiff-4": ("libtiff", "libtiff", "DYNAMIC_LINK", "image files"),
    "jansson": ("Jansson", "MIT", "DYNAMIC_LINK", "graphs in JSON files"),
    "vips": ("libvips", "LGPL-2.1-or-later", "OPTIONAL_DEPENDENCY_OF", "the module liblumagraph-vips"),
    "libarchive": ("libarchive", "BSD-2-Clause", "OPTIONAL_DEPENDENCY_OF", "the module liblumagraph-archive"),
    **{name: ("FFmpeg " + name, "LGPL-2.1-or-later", "OPTIONAL_DEPENDENCY_OF", "the module liblumagraph-av")
       for name in ("libavformat", "libavcodec", "libavutil", "libswscale", "libavdevice")},
    "ompi-c": ("Open MPI", "BSD-3-Clause-Open-MPI", "OPTIONAL_DEPENDENCY_OF",
               "the module liblumagraph-openmpi"),
    "mpich": ("MPICH", "mpich2", "OPTIONAL_DEPENDENCY_OF", "the module liblumagraph-mpich"),
}
# Not asked of Meson: linked into the module liblumagraph-shaderc, whose notices are installed with it.
COMPILER = {"shaderc": "Apache-2.0", "glslang": "BSD-3-Clause AND BSD-2-Clause AND MIT AND Apache-2.0",
            "SPIRV-Tools": "Apache-2.0"}


def introspect(build, what):
    made = subprocess.run(["meson", "introspect", f"--{what}", build], check=True,
                          capture_output=True, text=True)
    return json.loads(made.stdout)


def created():
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        log = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True,
                             check=False)
        seconds = log.stdout.strip() or "0"
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def package(name, version, licence, comment):
    return {"SPDXID": "SPDXRef-" + name.replace(" ", "-"), "name": name, "versionInfo": version or "unknown",
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "comment": comment}


def document(build):
    project = introspect(build, "projectinfo")
    found = {d["name"]: d.get("version") or "unknown" for d in introspect(build, "dependencies")}
    own = package("lumagraph", project["version"], "MIT", "the libraries and the tool")
    packages, relations = [own], [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for name in sorted(found.keys() & KNOWN.keys()):
        title, licence, how, why = KNOWN[name]
        other = package(title, found[name], licence, f"for {why}")
        packages.append(other)
        ends = (own["SPDXID"], other["SPDXID"])
        relations.append((ends[1], how, ends[0]) if how.endswith("_OF") else (ends[0], how, ends[1]))
    modules = {target["name"] for target in introspect(build, "targets")}
    for name, licence in sorted(COMPILER.items()) if "lumagraph-shaderc" in modules else ():
        other = package(name, None, licence, "in the module liblumagraph-shaderc")
        packages.append(other)
        relations.append((own["SPDXID"], "STATIC_LINK", other["SPDXID"]))
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"lumagraph-{project['version']}", "documentNamespace": f"{NAMESPACE}-{digest}",
            "creationInfo": {"created": created(), "creators": ["Tool: lumagraph-scripts-sbom.py"]},
            "packages": packages,
            "relationships": [{"spdxElementId": a, "relationshipType": how, "relatedSpdxElement": b}
                              for a, how, b in relations]}


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    text = json.dumps(document(sys.argv[1]), indent=1) + "\n"
    if len(sys.argv) == 3:
        pathlib.Path(sys.argv[2]).write_text(text)
    else:
        print(text, end="")


main()
