#!/usr/bin/env python3
"""Writes the input files of the command-line tests into a folder: every format by hand, no library.

usage: inputs.py FOLDER
"""
import hashlib
import math
import pathlib
import struct
import sys
import zlib

FOLDER = pathlib.Path(sys.argv[1])


def put(name, data):
    (FOLDER / name).write_bytes(data)


def png(width, height, color, depth, samples, more=()):
    """color: 0 grey, 2 RGB, 4 grey and alpha, 6 RGBA; samples: all of them, row by row; more: chunks
    before the pixels."""
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[color]
    row = width * channels
    text = ">%dH" if depth == 16 else ">%dB"
    raw = b"".join(b"\0" + struct.pack(text % row, *samples[y * row:(y + 1) * row])
                   for y in range(height))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)), *more,
              (b"IDAT", zlib.compress(raw)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks)


def profile(space):
    """A colour profile without tags, as far as libpng looks at it. space: b"RGB " or b"GRAY"."""
    d50 = struct.pack(">3I", 0xf6d6, 0x10000, 0xd32d)
    rest = bytes(4) + hashlib.sha512(space).digest() * 4  # libpng wants more than a few bytes
    head = struct.pack(">I4sI4s4s4s12s4s4sI4s4sQI12s", 128 + len(rest), b"none", 0x02100000, b"mntr", space,
                       b"XYZ ", bytes(12), b"acsp", b"none", 0, b"none", b"none", 0, 0, d50)
    return head.ljust(128, b"\0") + rest


def tiff(pages):
    """Uncompressed 8-bit pages of (width, height, channels, extra, pixels); extra: 0 none, 1
    associated alpha, 2 alpha."""
    out, link = bytearray(b"II*\0\0\0\0\0"), 4
    for width, height, channels, extra, pixels in pages:
        data = len(out)
        out += pixels
        bits = len(out)
        out += struct.pack("<%dH" % channels, *[8] * channels)
        out += b"\0" * (len(out) % 2)
        tags = [(256, 4, 1, width), (257, 4, 1, height),
                (258, 3, channels, 8 if channels == 1 else 8 | 8 << 16 if channels == 2 else bits),
                (259, 3, 1, 1), (262, 3, 1, 1 if channels < 3 else 2), (273, 4, 1, data),
                (277, 3, 1, channels), (278, 4, 1, height), (279, 4, 1, len(pixels))]
        if extra:
            tags.append((338, 3, 1, extra))
        struct.pack_into("<I", out, link, len(out))
        out += struct.pack("<H", len(tags))
        for tag in tags:
            out += struct.pack("<HHII", *tag)
        link = len(out)
        out += b"\0\0\0\0"
    return bytes(out)


def npy(kind, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n" % (kind, shape)
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data


def gaussian(*sides):
    """A density with the middle of the array as its mean and a sixteenth of each side as its deviation:
    an element has what lies inside it. The last side is the width."""
    values = [1.0]
    for side in sides:
        below = [math.erf((i - side / 2) / (side / 16) / math.sqrt(2)) for i in range(side + 1)]
        line = [high - low for low, high in zip(below, below[1:])]
        values = [v * at for v in values for at in line]
    shape = "(%s)" % ", ".join(str(side) for side in (sides if len(sides) > 1 else (1, *sides)))
    return npy("<f4", shape, struct.pack("<%df" % len(values), *values))


def main():
    ramp = bytes(range(256))
    put("ramp.pgm", b"P5\n16 16\n255\n" + ramp)
    put("half.pgm", b"P5\n16 16\n255\n" + bytes(255 if i % 16 < 8 else 0 for i in range(256)))
    put("small.pgm", b"P5\n4 4\n255\n" + bytes(16))
    put("tiny.pgm", b"P5\n2 2\n255\n" + bytes([1, 2, 3, 4]))
    put("rgb.ppm", b"P6\n4 2\n255\n" + bytes((i * 7) % 256 for i in range(24)))
    put("deep.pgm", b"P5\n300 300\n65535\n" + b"\xff\xff" * 90000)
    put("frames.pgm", b"".join(b"P5\n2 2\n255\n" + bytes([k] * 4) for k in range(3)))
    put("alpha.pam", b"P7\nWIDTH 2\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"
        + bytes([10, 255, 20, 0, 30, 128, 40, 0]))
    nan, inf = float("nan"), float("inf")
    put("nan.npy", npy("<f4", "(2, 4)", struct.pack("<8f", 1, 2, nan, 4, inf, -inf, 0.25, 0.5)))
    put("double.npy", npy("<f8", "(1, 2)", struct.pack("<2d", 0.1, 0.2)))
    put("gauss1.npy", gaussian(640))
    put("gauss2.npy", gaussian(320, 320))
    put("gauss3.npy", gaussian(80, 80, 80))
    put("minus.npy", npy("<f4", "(1, 3)", struct.pack("<3f", 1, -2, 4)))
    put("huge.pgm", b"P5\n100000 100000\n255\n")
    put("cut.pgm", b"P5\n16 16\n255\n" + ramp[:100])
    put("text.png", b"This is not an image.\n")
    put("empty.png", b"")
    put("ink.svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="2" '
        b'height="4" fill="red"/></svg>')
    put("grey.png", png(16, 16, 0, 8, list(ramp)))
    put("grey16.png", png(4, 4, 0, 16, [i * 4000 for i in range(16)]))
    put("rgba.png", png(2, 2, 6, 8, [1, 2, 3, 255, 4, 5, 6, 0, 7, 8, 9, 128, 10, 11, 12, 0]))
    put("cut.png", (FOLDER / "grey.png").read_bytes()[:200])
    put("rgb.icc", profile(b"RGB "))
    put("grey.icc", profile(b"GRAY"))
    put("grey-profile.png", png(2, 2, 0, 8, [10, 20, 30, 40],
                                [(b"iCCP", b"mine\0\0" + zlib.compress(profile(b"GRAY")))]))
    icc = [(b"iCCP", b"mine\0\0" + zlib.compress(profile(b"RGB "))),
           (b"pHYs", struct.pack(">IIB", 4000, 4000, 1))]
    put("profile.png", png(2, 2, 2, 8, [10, 20, 30] * 4, icc))
    put("pages.tif", tiff([(3, 2, 1, 0, bytes([k] * 6)) for k in (5, 6, 7)]))
    put("uneven.tif", tiff([(3, 2, 1, 0, bytes(6)), (2, 2, 1, 0, bytes([9] * 4))]))
    # BitsPerSample 64, which TIFF allows for doubles
    put("wide.tif", tiff([(1, 1, 1, 0, bytes(8))]).replace(struct.pack("<HHII", 258, 3, 1, 8),
                                                           struct.pack("<HHII", 258, 3, 1, 64)))
    put("six.tif", tiff([(2, 1, 6, 0, bytes(12))]))
    put("associated.tif", tiff([(1, 1, 4, 1, bytes([50, 50, 50, 100]))]))
    rows = ["%g %g %g" % (r / 2, g / 2, b / 2) for b in range(3) for g in range(3) for r in range(3)]
    put("look.cube", ("# a comment\r\nTITLE \"look\"\r\n\r\nLUT_3D_SIZE 3\r\nDOMAIN_MIN 0 0 0\r\n"
                      + "\r\n".join(rows)).encode())
    put("turn.cube", ("LUT_3D_SIZE 2\n" + "".join("%d %d %d\n" % (g, b, r) for b in range(2)
                                                   for g in range(2) for r in range(2))).encode())
    put("cut.cube", ("LUT_3D_SIZE 3\n" + "\n".join(rows[:20]) + "\n").encode())
    put("curve.cube", b"LUT_1D_SIZE 2\n0 0 0\n1 1 1\n")
    put('quote, "x".pgm', b"P5\n1 1\n255\n\x07")
    put("bell\x07\x1b[31m.pgm", b"P5\n1 1\n255\n\x07")
    put("=1+1.pgm", b"P5\n1 1\n255\n\x07")
    put("star[1].pgm", b"P5\n1 1\n255\n\x07")
    (FOLDER / b"broken\xff.pgm".decode("utf-8", "surrogateescape")).write_bytes(b"P5\n1 1\n255\n\x07")
    (FOLDER / "folder").mkdir(exist_ok=True)
    (FOLDER / "masks").mkdir(exist_ok=True)
    (FOLDER / "dangling.pgm").symlink_to("nowhere.pgm")


main()
