#!/usr/bin/env python3
"""Compiles, optimises, validates and embeds one GLSL compute shader.

usage: spirv.py INPUT.comp OUTPUT.c DEPFILE SOURCE_ROOT

A line `//@variant NAME -DX=1 ...` in the shader asks for one module of that name; without such a line
there is one module named after the file. Every module becomes `const lg_spirv lg_spirv_NAME`.
"""
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")


def compile_module(source, root, defines, depfile, folder):
    raw, best = folder / "raw.spv", folder / "best.spv"
    run("glslangValidator", "-V", "--target-env", "vulkan1.2", f"-I{root / 'src'}",
        f"-I{source.parent}", *defines, "--depfile", depfile, "-o", raw, source)
    # Performance passes keep NoContraction decorations; fast-math rewrites are not part of -O.
    run("spirv-opt", "--target-env=vulkan1.2", "-O", raw, "-o", best)
    run("spirv-val", "--target-env", "vulkan1.2", "--scalar-block-layout", best)
    return best.read_bytes()


def main():
    source, output, depfile, root = (pathlib.Path(a) for a in sys.argv[1:5])
    text = source.read_text()
    variants = re.findall(r"^//@variant (\w+) *(.*)$", text, re.M) or [(source.stem, "")]
    lines = ['#include "vulkan/vk.h"', ""]
    depends = set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name, flags in variants:
            dep = folder / "deps"
            code = compile_module(source, root, flags.split(), dep, folder)
            depends.update(dep.read_text().split(":", 1)[1].replace("\\\n", " ").split())
            digest = hashlib.sha256(code).hexdigest()[:16]
            words = [code[i:i + 4] for i in range(0, len(code), 4)]
            lines.append(f"static const uint32_t words_{name}[] = {{")
            for i in range(0, len(words), 8):
                lines.append("    " + " ".join(
                    f"0x{int.from_bytes(w, 'little'):08x}u," for w in words[i:i + 8]))
            lines += ["};", f"const lg_spirv lg_spirv_{name} = {{\"{name}\", words_{name}, "
                      f"sizeof words_{name}, 0x{digest}u}};", ""]
    output.write_text("\n".join(lines))
    depfile.write_text(f"{output}: {' '.join(sorted(depends))}\n")


main()
