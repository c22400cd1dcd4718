#!/usr/bin/env python3
"""Writes archives of the input files for part_8_archives.sh into the present folder."""
import gzip
import io
import lzma
import pathlib
import random
import struct
import tarfile
import zipfile

RAMP, RGB = (pathlib.Path(name).read_bytes() for name in ("ramp.pgm", "rgb.ppm"))
MEMBERS = [("./b.pgm", RAMP), ("./2019/a.pgm", RAMP), ("./2019/june/c.PPM", RGB),
           ("notes.txt", b"text"), ("2019/.hidden/no.pgm", RAMP), ("__MACOSX/._b.pgm", b"no"),
           ("b.pgm", RGB), ("2019/\u00e4.pgm", RAMP)]


def tar(members, **options):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", **options) as archive:
        folder = tarfile.TarInfo("2019")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        link = tarfile.TarInfo("2019/link.pgm")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(members, large=False, kind=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, data in members:
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=large) as member:
                member.write(data)
    return bytearray(out.getvalue())


def zstd(data):
    """One frame of raw blocks."""
    blocks = [data[i:i + 65536] for i in range(0, len(data), 65536)]
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) + b"".join(
        struct.pack("<I", (i == len(blocks) - 1) | len(block) << 3)[:3] + block
        for i, block in enumerate(blocks))


def patched(data, local, central, change):
    """The zip with `change` at an offset of every local and every central header."""
    for magic, offset in ((b"PK\3\4", local), (b"PK\1\2", central)):
        at = data.find(magic)
        while at >= 0:
            data[at + offset:at + offset + len(change)] = change
            at = data.find(magic, at + 4)
    return data


plain = tar(MEMBERS, format=tarfile.PAX_FORMAT)
few = [(name.removeprefix("./"), data) for name, data in MEMBERS if name != "b.pgm"]
random.seed(1)
compressed = gzip.compress(tar([(f"{i:03}.pgm", random.randbytes(9000)) for i in range(40)]))
broken = zipped(few)
at = broken.find(b"PK\3\4", 10)  # the data of the second member
broken[at + 40:at + 44] = b"\xff" * 4
many = tar([(f"{i:03}.pgm", RAMP[:-1] + bytes([i])) for i in range(40)])
array = (b"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }".ljust(117) + b"\n") + bytes(range(6))
wrong = patched(zipped(few[:2]), 14, 16, b"\1\2\3\4")  # check sums
for name, data in {
        "photos.tar": plain, "photos.tar.gz": gzip.compress(plain), "photos.txz": lzma.compress(plain),
        "photos.tar.zst": zstd(plain), "gnu.tar": tar(few, format=tarfile.GNU_FORMAT),
        "photos.zip": zipped(few), "stored.zip": zipped(few, kind=zipfile.ZIP_STORED),
        "large.zip": zipped(few, large=True), "locked.zip": patched(zipped(few[:2]), 6, 8, b"\1\0"),
        "truncated.tar": plain[:len(RAMP) + 512 * 12], "truncated.tar.gz": compressed[:len(compressed) // 2],
        "truncated.zip": zipped(few)[:300], "broken.zip": broken, "wrong.zip": wrong,
        "none.tar": b"no archive" * 100, "text.zip": zipped([("notes.txt", b"text")]),
        "empty.zip": zipped([]),
        "lies.tar": tar([("lies.png", RAMP[:100]), ("text.pgm", b"no image"), ("b.pgm", RAMP)]),
        "out.tar": tar([("../../out/e.pgm", RAMP), ("/abs/f.pgm", RAMP), ("g/../../h/i.pgm", RAMP),
                        ("..", RAMP), ("k/../l.pgm", RAMP)]),
        "arrays.npz": zipped([("a.npy", b"\x93NUMPY\1\0" + struct.pack("<H", 118) + array)]),
        "many.tar": many, "many.tar.gz": gzip.compress(many),
        "zeros.tar.gz": gzip.compress(tar([("zeros.pgm", b"P5 9000 9000 255\n" + bytes(81000000))]))}.items():
    pathlib.Path(name).write_bytes(data)
folder = pathlib.Path("many")
folder.mkdir()
for i in range(40):
    (folder / f"{i:03}.pgm").write_bytes(RAMP[:-1] + bytes([i]))
