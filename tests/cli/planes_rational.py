#!/usr/bin/env python3
"""Films through the tool against exact rational arithmetic: planes to colours, colours to planes.

usage: planes_rational.py TOOL [OPTION...]   (options of `lumagraph run`, such as --device vulkan)
Prints what is wrong, and ends with `planes: N passed, N failed`; exit status 1 when one failed. The formulas
are those of docs/definitions.md, Video, and share no code with the library.
"""
import random
import subprocess
import sys
import tempfile
from fractions import Fraction as F
from pathlib import Path

TOOL, OPTIONS = sys.argv[1], sys.argv[2:]
NEAR = F(1, 2) + F(1, 10**6)  # steps: coefficients are rounded to multiples of 2^-40
WEIGHTS = {"bt709": (F(2126, 10000), F(722, 10000)), "bt601": (F(299, 1000), F(114, 1000)),
           "bt2020": (F(2627, 10000), F(593, 10000)), "smpte240m": (F(212, 1000), F(87, 1000))}
# luma to chroma across and down, the place of the first chroma sample
LAYOUT = {"420jpeg": (2, 2, F(1, 2), F(1, 2)), "420mpeg2": (2, 2, F(0), F(1, 2)),
          "420paldv": (2, 2, F(0), F(0)), "411": (4, 1, F(0), F(0)), "422": (2, 1, F(0), F(0)),
          "444": (1, 1, F(0), F(0)), "mono": None}


class Frame:
    """Planes of codes: lists of rows."""

    def __init__(self, layout, bits, width, height, planes):
        self.layout, self.bits, self.planes = layout, bits, planes
        self.width, self.height = width, height

    def chroma(self, plane, x, y):
        """The code at a pixel: linear between the samples of chroma, the last one beyond the edge."""
        across, down, left, top = LAYOUT[self.layout]
        rows = self.planes[plane]
        px, py = (x - left) / across, (y - top) / down
        x0, y0 = px.__floor__(), py.__floor__()
        total = F(0)
        for j in (0, 1):
            for i in (0, 1):
                weight = (1 - abs(px - x0 - i)) * (1 - abs(py - y0 - j))
                row = rows[min(max(y0 + j, 0), len(rows) - 1)]
                total += weight * row[min(max(x0 + i, 0), len(row) - 1)]
        return total


def ranges(bits, full):
    unit, highest = 2 ** (bits - 8), 2**bits - 1
    return (0, highest, highest) if full else (16 * unit, 219 * unit, 224 * unit)


def colors(frame, matrix, full, x, y):
    """Exact red, green and blue of a pixel, not clamped; of grey one number."""
    kr, kb = WEIGHTS[matrix]
    black, luma, span = ranges(frame.bits, full)
    level = F(frame.planes[0][y][x] - black, luma)
    if frame.layout == "mono":
        return (level,)
    grey = 128 * 2 ** (frame.bits - 8)
    b, r = (F(frame.chroma(i, x, y) - grey, span) for i in (1, 2))
    red, blue = level + (2 - 2 * kr) * r, level + (2 - 2 * kb) * b
    return red, (level - kr * red - kb * blue) / (1 - kr - kb), blue


def code(pixels, frame, matrix, full, plane, x, y):
    """The exact code of an image of samples 0..1 at a place of a plane."""
    kr, kb = WEIGHTS[matrix]
    black, luma, span = ranges(frame.bits, full)
    if frame.layout == "mono":
        return black + luma * pixels[y][x][0]
    if plane == 0:
        near = [(1, x, y)]
    else:
        across, down, left, top = LAYOUT[frame.layout]
        near = [(wx * wy, cx, cy) for wx, cx in around(x * across + left, across, left)
                for wy, cy in around(y * down + top, down, top)]
    whole = sum(w for w, _, _ in near)
    r, g, b = (sum(w * pixels[min(max(j, 0), frame.height - 1)][min(max(i, 0), frame.width - 1)][c]
                   for w, i, j in near) / whole for c in range(3))
    level = kr * r + (1 - kr - kb) * g + kb * b
    grey = 128 * 2 ** (frame.bits - 8)
    return (black + luma * level, grey + span * (b - level) / (2 - 2 * kb),
            grey + span * (r - level) / (2 - 2 * kr))[plane]


def around(place, step, offset):
    """Samples of luma that make one of chroma, with weights."""
    if offset:
        return [(1, place.__floor__()), (1, place.__floor__() + 1)]
    return [(step - abs(k), int(place) + k) for k in range(1 - step, step)]


# ---- files --------------------------------------------------------------------------------------

def sizes(layout, width, height):
    if layout == "mono":
        return [(width, height)]
    across, down = LAYOUT[layout][:2]
    small = (-(-width // across), -(-height // down))
    return [(width, height), small, small]


def pack(values, bits, shift=0):
    return b"".join((v << shift).to_bytes(1 if bits == 8 else 2, "little") for v in values)


def random_frame(layout, bits, width, height):
    planes = [[[random.randrange(2**bits) for _ in range(w)] for _ in range(h)]
              for w, h in sizes(layout, width, height)]
    return Frame(layout, bits, width, height, planes)


def write_y4m(path, frame):
    tag = frame.layout + (f"p{frame.bits}" if frame.bits > 8 and frame.layout != "mono" else
                          str(frame.bits) if frame.bits > 8 else "")
    tag = tag.replace("420mpeg2p", "420p")
    body = b"".join(pack(row, frame.bits) for plane in frame.planes for row in plane)
    path.write_bytes(f"YUV4MPEG2 W{frame.width} H{frame.height} F25:1 Ip C{tag}\nFRAME\n".encode() + body)
    return body


def read_y4m(path, like):
    data = path.read_bytes()
    body = data[data.index(b"FRAME\n") + 6:]
    step, at, planes = 1 if like.bits == 8 else 2, 0, []
    for width, height in sizes(like.layout, like.width, like.height):
        rows = []
        for _ in range(height):
            rows.append([int.from_bytes(body[k:k + step], "little")
                         for k in range(at, at + step * width, step)])
            at += step * width
        planes.append(rows)
    assert at == len(body), "length of the frame"
    return Frame(like.layout, like.bits, like.width, like.height, planes), body


def write_raw(path, frame, shift):
    """Luma, then pairs of Cb and Cr."""
    out = [pack(row, frame.bits, shift) for row in frame.planes[0]]
    for cb, cr in zip(frame.planes[1], frame.planes[2]):
        out.append(pack([v for pair in zip(cb, cr) for v in pair], frame.bits, shift))
    path.write_bytes(b"".join(out))


def read_pnm(path):
    data = path.read_bytes()
    words = data.split(None, 4)
    width, height, most = (int(w) for w in words[1:4])
    channels, step = (1 if words[0] == b"P5" else 3), (1 if most < 256 else 2)
    body = data[len(data) - width * height * channels * step:]
    values = [int.from_bytes(body[i:i + step], "big") for i in range(0, len(body), step)]
    row = width * channels
    return most, [[tuple(values[k:k + channels]) for k in range(y * row, (y + 1) * row, channels)]
                  for y in range(height)]


# ---- checks -------------------------------------------------------------------------------------

passed = failed = 0
worst_color = worst_code = F(0)


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED:", what)


def run(*words):
    command = [TOOL, "run", "-q", *OPTIONS, *(str(w) for w in words)]
    done = subprocess.run(command, capture_output=True, text=True)
    check(done.returncode == 0, f"{words}: {done.stderr.strip()}")


def judge_colors(frame, matrix, full, path, what):
    global worst_color
    most, pixels = read_pnm(path)
    check(most == (255 if frame.bits == 8 else 65535), f"{what}: depth of the image")
    worst = max(abs(min(max(exact * most, 0), most) - got)
                for y in range(frame.height) for x in range(frame.width)
                for exact, got in zip(colors(frame, matrix, full, x, y), pixels[y][x]))
    worst_color = max(worst_color, worst)
    check(worst <= NEAR, f"{what}: a colour is {float(worst):.7f} steps from the exact one")
    return [[tuple(F(v, most) for v in p) for p in row] for row in pixels]


def judge_codes(got, pixels, matrix, full, what):
    global worst_code
    highest = 2**got.bits - 1
    places = [(i, x, y) for i, plane in enumerate(got.planes)
              for y in range(len(plane)) for x in range(len(plane[0]))]
    worst = max(abs(min(max(code(pixels, got, matrix, full, i, x, y), 0), highest) - got.planes[i][y][x])
                for i, x, y in places)
    worst_code = max(worst_code, worst)
    check(worst <= NEAR, f"{what}: a code is {float(worst):.7f} steps from the exact one")


def films(folder):
    clip, image, film = folder / "clip.y4m", folder / "image.pnm", folder / "film.y4m"
    kinds = [(layout, 8) for layout in LAYOUT]
    kinds += [("420mpeg2", 10), ("420mpeg2", 16), ("422", 12), ("444", 14), ("444", 16), ("mono", 10)]
    for number, (layout, bits) in enumerate(kinds):
        for k, (matrix, full) in enumerate((m, f) for m in WEIGHTS for f in (False, True)):
            width, height = ((7, 5), (1, 1), (4, 6), (9, 2))[(number + k) % 4]
            frame = random_frame(layout, bits, width, height)
            what = f"{layout} of {bits} bits, {matrix}, {'full' if full else 'limited'}, {width} x {height}"
            body = write_y4m(clip, frame)
            how = ("--video-colors", f"{matrix}:{'full' if full else 'limited'}")
            run(*how, "copy", clip, "-o", image)
            pixels = judge_colors(frame, matrix, full, image, what)
            run(*how, "color_invert", clip, "-o", film)
            inverted = [[tuple(1 - v for v in p) for p in row] for row in pixels]
            judge_codes(read_y4m(film, frame)[0], inverted, matrix, full, what)
            run(*how, "copy", clip, "-o", film)
            check(read_y4m(film, frame)[1] == body, f"{what}: a copy")


def pairs(folder):
    clip, image = folder / "clip.raw", folder / "image.pnm"
    for name, layout, bits, shift in (("nv12", "420mpeg2", 8, 0), ("nv16", "422", 8, 0),
                                      ("nv24", "444", 8, 0),
                                      ("p010", "420mpeg2", 10, 6), ("p012", "420mpeg2", 12, 4),
                                      ("p210", "422", 10, 6), ("p416", "444", 16, 0)):
        frame = random_frame(layout, bits, 7, 5)
        write_raw(clip, frame, shift)
        run("--raw", f"7x5:{name}:bt2020:limited@25", "copy", clip, "-o", image)
        judge_colors(frame, "bt2020", False, image, name)


def main():
    random.seed(5)
    with tempfile.TemporaryDirectory() as folder:
        films(Path(folder))
        pairs(Path(folder))
    print(f"farthest: colours {float(worst_color):.9f} steps, codes {float(worst_code):.9f} steps")
    print(f"planes: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
