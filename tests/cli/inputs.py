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


def directory(at, tags, link=0):
    """A directory for byte `at` of a little-endian TIFF; tags: (tag, type, data)."""
    size = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8}
    out, more = struct.pack("<H", len(tags)), b""
    behind = at + 2 + 12 * len(tags) + 4
    for tag, kind, data in sorted(tags):
        count = len(data) // size[kind]
        if len(data) <= 4:
            out += struct.pack("<HHI", tag, kind, count) + data.ljust(4, b"\0")
        else:
            out += struct.pack("<HHII", tag, kind, count, behind + len(more))
            more += data + b"\0" * (len(data) % 2)
    return out + struct.pack("<I", link) + more


def short(*values):
    return struct.pack("<%dH" % len(values), *values)


def image(width, height, kind, pixels, *tags, bits=8, place=8):
    """The tags of one strip of samples at byte `place`; kind: PhotometricInterpretation."""
    plain = [(256, 3, short(width)), (257, 3, short(height)), (258, 3, short(bits)), (259, 3, short(1)),
             (262, 3, short(kind)), (273, 4, struct.pack("<I", place)), (277, 3, short(1)),
             (278, 3, short(height)), (279, 4, struct.pack("<I", len(pixels)))]
    return [t for t in plain if t[0] not in [u[0] for u in tags]] + list(tags)


def chain(pages):
    """A TIFF of (tags, pixels), the tags made by image() for pixels at byte `place`, which is given."""
    out, link = bytearray(b"II*\0\0\0\0\0"), 4
    for make, pixels in pages:
        place = len(out)
        out += pixels + b"\0" * (len(pixels) % 2)
        at = len(out)
        tags = make(place)
        struct.pack_into("<I", out, link, at)
        link = at + 2 + 12 * len(tags)
        out += directory(at, tags)
    return bytes(out)


def page(width, height, kind, pixels, *tags, bits=8):
    return (lambda place: image(width, height, kind, pixels, *tags, bits=bits, place=place)), pixels


def text(value):
    return 270, 2, value.encode() + b"\0"


def dng():
    """A preview first, the sensor's samples below it."""
    sensor = directory(8 + 6, image(3, 2, 32803, bytes(6)))
    at = 14 + len(sensor) + len(sensor) % 2
    tags = image(3, 2, 1, bytes(6), (254, 4, struct.pack("<I", 1)), (330, 4, struct.pack("<I", 14)),
                 (50706, 1, bytes([1, 4, 0, 0])))
    return b"II*\0" + struct.pack("<I", at) + bytes(6) + sensor.ljust(at - 14, b"\0") + directory(at, tags)


def jpeg_in_tiff(jpeg, width, height):
    """A whole JPEG stream as the only strip: YCbCr samples."""
    tags = image(width, height, 6, jpeg, (258, 3, short(8, 8, 8)), (259, 3, short(7)), (277, 3, short(3)),
                 (530, 3, short(1, 1)))
    return b"II*\0" + struct.pack("<I", 8 + len(jpeg) + len(jpeg) % 2) + jpeg + b"\0" * (len(jpeg) % 2) \
        + directory(8 + len(jpeg) + len(jpeg) % 2, tags)


def cells():
    """Layers of 8 x 6: four slices of two channels, the channels adjacent. In channel 0 is a cube of 8 pixels
    at (1, 1, 1), in channel 1 a pixel at (6, 4, 0) and a row of three at (2, 3, 3)."""
    layers = [bytearray(48) for _ in range(8)]
    for x, y, z in ((x, y, z) for x in (1, 2) for y in (1, 2) for z in (1, 2)):
        layers[2 * z][8 * y + x] = 200
    layers[1][8 * 4 + 6] = 90
    layers[7][8 * 3 + 2:8 * 3 + 5] = bytes([150] * 3)
    return layers


def stack_of_cells(description, *more):
    first, *others = cells()
    return chain([page(8, 6, 1, bytes(first), text(description), *more)] +
                 [page(8, 6, 1, bytes(layer), *more) for layer in others])


def gif(frames):
    frame = b"\x21\xf9\4\0\1\0\0\0\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\2\2\x44\1\0"
    return b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6) + frame * frames + b";"


def put_files():
    """Files whose samples or words other readers change, or take for something else."""
    put("white.tif", chain([page(2, 2, 0, bytes([10, 20, 30, 40]))]))
    put("bilevel.tif", chain([page(16, 1, 1, bytes([0xf0, 0]), bits=1)]))
    put("half.tif", chain([page(2, 1, 1, struct.pack("<2e", 1.5, -2), (339, 3, short(3)), bits=16)]))
    put("double.tif", chain([page(2, 1, 1, struct.pack("<2d", 0.1, 2), (339, 3, short(3)), bits=64)]))
    put("palette.tif", chain([page(2, 1, 3, bytes([0, 1]),
                                   (320, 3, short(*[i * 3 for i in range(768)])))]))
    put("raw.dng", dng())
    put("fill.tif", chain([page(2, 2, 1, struct.pack("<4f", -9999, 20, 20, -9999), (339, 3, short(3)),
                                (34735, 3, short(1, 1, 0, 0)),
                                (42113, 2, b"-9999\0"), bits=32)]))
    words = "ImageJ=1.53\nimages=4\nchannels=2\nslices=2\nunit=um\n"
    scale = [(282, 5, struct.pack("<2I", 5, 1)), (283, 5, struct.pack("<2I", 5, 1)), (296, 3, short(1))]
    pixels = 'PhysicalSizeX="500" PhysicalSizeXUnit="nm" PhysicalSizeY="0.5" PhysicalSizeZ="2"'
    put("cells.ome.tif", stack_of_cells(
        '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">'
        '<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint8" SizeX="8" SizeY="6" '
        f'SizeC="2" SizeZ="4" SizeT="1" {pixels}><Channel ID="Channel:0:0"/><Channel ID="Channel:0:1"/>'
        '<TiffData/></Pixels></Image></OME>'))
    put("cells-imagej.tif", stack_of_cells(
        "ImageJ=1.54f\nimages=8\nchannels=2\nslices=4\nhyperstack=true\nunit=um\nspacing=2.0\n",
        (282, 5, struct.pack("<II", 2, 1)), (283, 5, struct.pack("<II", 2, 1)), (296, 3, short(1))))
    put("stack.tif", chain([page(4, 3, 1, bytes(range(12)), text(words), *scale),
                            *[page(4, 3, 1, bytes(range(k, k + 12)), *scale) for k in range(3)]]))
    jpeg = (pathlib.Path(__file__).resolve().parents[2] / "images" / "rocket.jpg").read_bytes()
    put("photo.jpg", jpeg)
    put("photo.tif", jpeg_in_tiff(jpeg, 640, 427))
    put("many.gif", gif(5000))
    bitmap = b"BM" + struct.pack("<IHHI", 70, 0, 0, 54) + \
        struct.pack("<IiiHHIIiiII", 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0) + bytes([1, 2, 3, 4, 5, 6, 0, 0]) * 2
    put("bitmap.bmp", bitmap)
    put("bitmap.mvg", bitmap)
    put("drawing.mvg", b"viewbox 0 0 10 10\nfill red\nrectangle 0,0 5,5\n")
    cards = ["%-8s= %20s" % card for card in (("SIMPLE", "T"), ("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", 3),
                                             ("NAXIS2", 2))] + ["END"]
    put("sky.fits", "".join(card.ljust(80) for card in cards).ljust(2880).encode()
        + bytes(range(6)).ljust(2880, b"\0"))
    put("old.tga", bytes([0, 0, 2]) + bytes(9) + struct.pack("<HHBB", 2, 2, 24, 0) + bytes(12))
    put("fuji.raf", b"FUJIFILMCCD-RAW 0201" + bytes(80))


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
    put_files()
    put("columns.npy", npy("<f4", "(2, 3)", struct.pack("<6f", 1, 4, 2, 5, 3, 6)).replace(b"False", b"True "))
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
    put("dense.png", png(16, 16, 0, 8, list(ramp), [(b"pHYs", struct.pack(">IIB", 10000, 10000, 1))]))
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
    put("curve.cube", b"LUT_1D_SIZE 2\n1 0 0\n0 1 1\n")  # red is inverted
    curves = struct.pack(">12H", 4, 2, 2, 0, 0, 255, 255, 2, 255, 0, 0, 255)
    put("curves.acv", curves)  # the same
    put("cut.acv", curves[:12])
    put('quote, "x".pgm', b"P5\n1 1\n255\n\x07")
    put("bell\x07\x1b[31m.pgm", b"P5\n1 1\n255\n\x07")
    put("=1+1.pgm", b"P5\n1 1\n255\n\x07")
    put("star[1].pgm", b"P5\n1 1\n255\n\x07")
    (FOLDER / b"broken\xff.pgm".decode("utf-8", "surrogateescape")).write_bytes(b"P5\n1 1\n255\n\x07")
    (FOLDER / "folder").mkdir(exist_ok=True)
    (FOLDER / "masks").mkdir(exist_ok=True)
    (FOLDER / "dangling.pgm").symlink_to("nowhere.pgm")


main()
