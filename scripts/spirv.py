#!/usr/bin/env python3
"""Compiles, optimises, validates and embeds one GLSL compute shader.

usage: spirv.py INPUT.comp OUTPUT.c DEPFILE SOURCE_ROOT

A line `//@variant NAME -DX=1 ...` in the shader asks for one module of that name; without such a line
there is one module named after the file. Every module becomes `const lg_spirv lg_spirv_NAME`.

Every float operation is decorated NoContraction here, whatever GLSL's `precise` reached: the figures
must have the same bits on every device, so no driver may fuse or reorder them.
"""
import hashlib
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

DECORATE, NO_CONTRACTION = 71, 42
FIRST_TYPE, LAST_TYPE = 19, 39
# OpFNegate, FAdd, FSub, FMul, FDiv, FRem, FMod, VectorTimesScalar .. OuterProduct, Dot
FLOAT_OPERATIONS = {127, 129, 131, 133, 136, 140, 141} | set(range(142, 149))


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")


def instructions(words):
    at = 5
    while at < len(words):
        length = words[at] >> 16
        yield at, words[at] & 0xffff, words[at + 1:at + length]
        at += length


def forbid_contraction(code):
    words = list(struct.unpack(f"<{len(code) // 4}I", code))
    decorated, operations, place = set(), [], None
    for at, opcode, operands in instructions(words):
        if opcode == DECORATE and operands[1] == NO_CONTRACTION:
            decorated.add(operands[0])
        if place is None and FIRST_TYPE <= opcode <= LAST_TYPE:
            place = at
        if opcode in FLOAT_OPERATIONS:
            operations.append(operands[1])
    extra = [word for result in operations if result not in decorated
             for word in (3 << 16 | DECORATE, result, NO_CONTRACTION)]
    words[place:place] = extra
    return struct.pack(f"<{len(words)}I", *words)


def compile_module(source, root, defines, depfile, folder):
    raw, best = folder / "raw.spv", folder / "best.spv"
    run("glslangValidator", "-V", "--target-env", "vulkan1.2", f"-I{root / 'src'}",
        f"-I{source.parent}", *defines, "--depfile", depfile, "-o", raw, source)
    raw.write_bytes(forbid_contraction(raw.read_bytes()))
    run("spirv-opt", "--target-env=vulkan1.2", "-O", raw, "-o", best)
    best.write_bytes(forbid_contraction(best.read_bytes()))
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
            words = struct.unpack(f"<{len(code) // 4}I", code)
            lines.append(f"static const uint32_t words_{name}[] = {{")
            for i in range(0, len(words), 8):
                lines.append("    " + " ".join(f"0x{w:08x}u," for w in words[i:i + 8]))
            lines += ["};", f"const lg_spirv lg_spirv_{name} = {{\"{name}\", words_{name}, "
                      f"sizeof words_{name}, 0x{digest}u}};", ""]
    output.write_text("\n".join(lines))
    depfile.write_text(f"{output}: {' '.join(sorted(depends))}\n")


main()
