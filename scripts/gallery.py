#!/usr/bin/env python3
"""Renders every filter of the catalogue with its defaults, and all of them as one contact sheet.
Those of which the defaults show next to nothing have other values: EXAMPLES; WHOLE has pipelines.

usage: scripts/gallery.py TOOL FOLDER [--device DEVICE] [--only WORD]

FOLDER gets a picture per filter, sheet.png, and report.txt: which filters failed, changed nothing, or
gave a single colour. Filters with two images get a second photograph, `lookup` a table that turns
hues. Transparent pixels are shown on a chequered ground.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import struct
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIDE, TEXT, GAP, COLUMNS = 160, 30, 6, 14
EXAMPLES = {
    "brightness": "brightness=0.25", "canvas": "width=120:height=180", "color_matrix":
    "matrix=0.3,0.6,0.1,0,0.2,0.7,0.1,0,0,0.4,0.6,0,0,0,0,1", "contrast": "contrast=1.8",
    "convolution_3x3": "kernel=-1,-1,-1,-1,9,-1,-1,-1,-1", "crop": "box=80x80+60+10",
    "crosshair_generator": "crosshair_width=41:points=0.25,0.3;0.7,0.4;0.5,0.8",
    "distance_transform": "of=background:type=u8", "exposure": "exposure=1", "gamma": "gamma=2.2",
    "highlight_shadow": "shadows=1:highlights=0", "highlight_shadow_tint": "shadow_tint_intensity=0.6",
    "histogram_picture": "scale=10", "histogram_strip": "scale=10", "hsb": "hue=120",
    "levels": "min=0.2:max=0.8", "map_channel": "red=blue:blue=red", "neutral_balance": "neutral=0.9,1,0.6",
    "opacity": "opacity=0.4", "pad": "left=20:top=20:right=20:bottom=20", "resize": "width=80",
    "rgb": "red=1.4:blue=0.6", "saturation": "saturation=2", "sharpen": "sharpness=3",
    "skin_tone": "skin_tone_adjust=0.3", "tone_curve": "composite=0,0;0.25,0.5;1,1",
    "transform": "matrix=0.8,-0.6,90,0.6,0.8,0,0,0,1", "vibrance": "vibrance=1.2",
    "white_balance": "temperature=7500",
}
# Filters that want what another one makes, and no photograph.
WHOLE = {
    "draw_crosshairs": "harris_corner_detection:threshold=0.02 #c | #in | draw_crosshairs:over=#c",
    "draw_lines": "hough_line_detection:line_detection_threshold=0.3 #l | #in | draw_lines:over=#l",
    "hough_lines": "canny_edge_detection | hough_transform | hough_lines",
    "hough_transform": "canny_edge_detection | hough_transform",
    "parallel_coordinate_line_transform": "canny_edge_detection | parallel_coordinate_line_transform",
}
# Three columns of five dots each, from the top left: a row is three bits.
FONT = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789_-", (
    "25755 65656 34443 65556 74647 74644 34553 55755 72227 11152 55655 44447 57755 57555 25552 65644 25563 "
    "65655 34216 72222 55557 55552 55775 55255 55222 71247 75557 26227 61247 61216 55711 74616 34652 71222 "
    "25252 25316 00007 00700").split()))


def run(tool, *arguments):
    done = subprocess.run([tool, "run", "-q", *arguments], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def read_pam(path):
    head, pixels = path.read_bytes().split(b"ENDHDR\n", 1)
    fields = dict(line.split() for line in head.decode().splitlines()[1:] if line)
    return int(fields["WIDTH"]), int(fields["HEIGHT"]), pixels


def on_ground(width, height, pixels):
    """RGB of RGBA on a chequered ground."""
    rows = []
    for y in range(height):
        row = bytearray()
        for x in range(width):
            r, g, b, a = pixels[4 * (y * width + x):4 * (y * width + x) + 4]
            ground = 150 if (x // 8 + y // 8) % 2 else 110
            row += bytes((v * a + ground * (255 - a)) // 255 for v in (r, g, b))
        rows.append(bytes(row))
    return rows


def render(tool, folder, device, entry):
    """The rows of a filter's picture, and what is to be said of it."""
    name = entry["name"]
    text = WHOLE.get(name) or ":".join(filter(None, (name, EXAMPLES.get(name))))
    out = folder / f"{entry['name']}.pam"
    table = folder / ("table.ppm" if name == "lookup" else "second.ppm")
    second = ["--input", f"second={table}"] if entry["inputs"] == 2 and name not in WHOLE else []
    common = ["--device", device, "-t", "u8", "--channels", "4"]
    failure = run(tool, *common, text, str(folder / "first.ppm"), *second, "-o", str(out))
    if failure:
        return [], failure.replace(str(folder) + "/", "")
    width, height, _ = read_pam(out)
    note = "" if (width, height) == (SIDE, SIDE) else f"makes {width} x {height}"
    run(tool, text, str(folder / "first.ppm"), *second, *common, "-o", str(folder / f"{name}.png"))
    if note:
        scale = min(SIDE / width, SIDE / height)
        low = SIDE // 4 if height == 1 else 1  # a row is shown as a band
        size = f"{max(1, round(width * scale))}:height={max(low, round(height * scale))}"
        whole = out.rename(folder / f"{name}-whole.pam")
        run(tool, *common, f"resize:width={size}", str(whole), "-o", str(out))
        whole.unlink()
    width, height, pixels = read_pam(out)
    rows = on_ground(width, height, pixels)
    out.unlink()
    colors = {bytes(row[i:i + 3]) for row in rows for i in range(0, len(row), 3)}
    if len(colors) == 1:
        note = f"one colour, {list(colors.pop())}"
    elif b"".join(rows) == (folder / "first.ppm").read_bytes()[-3 * SIDE * SIDE:]:
        note = "changes nothing"
    return rows, note


def lines_of(name):
    """A name in two lines of at most 20 letters."""
    if len(name) <= SIDE // 8:
        return [name]
    cut = name.rfind("_", 0, SIDE // 8) + 1 or SIDE // 8
    return [name[:cut], name[cut:cut + SIDE // 8]]


def write_text(sheet, left, top, text):
    for i, letter in enumerate(text):
        for y, bits in enumerate(FONT.get(letter, "77777")):
            for x in range(3):
                if int(bits) >> (2 - x) & 1:
                    for k in range(4):
                        at = 3 * (left + 8 * i + 2 * x + k % 2)
                        sheet[top + 2 * y + k // 2][at:at + 3] = b"\xff\xff\xff"


def write_png(path, rows):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    head = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 6)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data)
                     + chunk(b"IEND", b""))


def make_sheet(results):
    columns = min(COLUMNS, len(results))
    width, height = SIDE + GAP, SIDE + TEXT + GAP
    sheet = [bytearray(b"\x28\x28\x28" * (columns * width + GAP))
             for _ in range(-(-len(results) // columns) * height + GAP)]
    for i, (name, rows, _) in enumerate(results):
        left, top = GAP + i % columns * width, GAP + i // columns * height
        for y, row in enumerate(rows):
            sheet[top + y][3 * left:3 * left + len(row)] = row
        for k, line in enumerate(lines_of(name)):
            write_text(sheet, left, top + SIDE + 4 + 13 * k, line)
    return sheet


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    tool, folder = str(asked.tool.resolve()), asked.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, photo in (("first", "astronaut.png"), ("second", "coffee.png")):
        failure = run(tool, f"resize:width={SIDE}:height={SIDE}",
                      str(ROOT / "images" / photo), "-o", str(folder / f"{name}.ppm"))
        if failure:
            sys.exit(failure)
    run(tool, "lookup_identity | hue:hue=120", "--size", "8x8", "-o", str(folder / "table.ppm"))
    listing = subprocess.run([tool, "filters", "--json"], capture_output=True, check=True).stdout
    entries = [e for e in json.loads(listing)["filters"]
               if asked.only in e["name"] and e["kind"] != "command"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda e: render(tool, folder, asked.device, e), entries)
        results = [(e["name"], rows, note) for e, (rows, note) in zip(entries, done)]
    write_png(folder / "sheet.png", make_sheet(results))
    report = "".join(f"{name}: {note}\n" for name, _, note in results if note)
    (folder / "report.txt").write_text(report)
    print(report, end="")
    print(f"{len(results)} filters in {folder / 'sheet.png'}")


if __name__ == "__main__":
    main()
