# What libvips reads and writes beside PNG and JPEG: JPEG XL, JPEG 2000, HEIC, AVIF, Radiance, OpenEXR; and
# raw photographs, which no decoder here makes a picture of.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# same FILE FILE: the samples are the same bits.
same() { that "$1 has the samples of $2" cmp "$1" "$2"; }

mkdir -p light
cd light || exit
python3 - <<'PYTHON'
import random
import struct

random.seed(5)


def exr(path, channels, kind=1, flags=0):
    """Scan lines of 4 x 3 without compression; channels: name -> value(x, y); kind 0 u32, 1 f16, 2 f32."""
    names = sorted(channels)
    listed = b"".join(n.encode() + b"\0" + struct.pack("<iBBBBii", kind, 0, 0, 0, 0, 1, 1) for n in names)

    def attribute(name, type_, data):
        return name.encode() + b"\0" + type_.encode() + b"\0" + struct.pack("<i", len(data)) + data
    box = struct.pack("<4i", 0, 0, 3, 2)
    head = struct.pack("<II", 20000630, 2 | flags) + attribute("channels", "chlist", listed + b"\0") + \
        attribute("compression", "compression", b"\0") + attribute("dataWindow", "box2i", box) + \
        attribute("displayWindow", "box2i", box) + attribute("lineOrder", "lineOrder", b"\0") + \
        attribute("pixelAspectRatio", "float", struct.pack("<f", 1)) + \
        attribute("screenWindowCenter", "v2f", bytes(8)) + \
        attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    rows, at, offsets = b"", len(head) + 24, b""
    for y in range(3):
        data = b"".join(struct.pack("<" + "Ief"[kind], channels[n](x, y)) for n in names for x in range(4))
        offsets += struct.pack("<Q", at + len(rows))
        rows += struct.pack("<ii", y, len(data)) + data
    with open(path, "wb") as file:
        file.write(head + offsets + rows)


RGB = {"R": lambda x, y: x * .5, "G": lambda x, y: y * 2000., "B": lambda x, y: -1.}
exr("rgb.exr", RGB)
exr("rgba.exr", {**RGB, "A": lambda x, y: (x + 1) / 8})
exr("grey.exr", {"Y": lambda x, y: x * .5 + y})
exr("layers.exr", {**RGB, "Z": lambda x, y: 3., "diffuse.R": lambda x, y: 0.})
exr("depth.exr", {"Z": lambda x, y: 3.})
exr("wide.exr", {**RGB, "G": lambda x, y: y * 1e6}, 2)
exr("id.exr", {"R": lambda x, y: 7, "G": lambda x, y: 7, "B": lambda x, y: 7}, 0)
whole = open("rgb.exr", "rb").read()
open("cut.exr", "wb").write(whole[:-20])
open("head.exr", "wb").write(whole[:30])

for bits in 8, 16:
    for count in 1, 2, 3, 4:
        kind = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][count - 1]
        most = 2 ** bits - 1
        samples = [random.randint(0, most) for _ in range(20 * count)]
        with open(f"{bits}-{count}.pam", "wb") as file:
            head = f"P7\nWIDTH 5\nHEIGHT 4\nDEPTH {count}\nMAXVAL {most}\nTUPLTYPE {kind}\nENDHDR\n"
            file.write(head.encode() + struct.pack(f">{len(samples)}{'B' if bits == 8 else 'H'}", *samples))
# Colours that leave 0..1, as a row of PFM from the bottom.
light = [c for i in range(64) for c in (2.0 ** (i % 20 - 8) * (1 + i / 64), 0.75 * 2.0 ** (i % 20 - 8), 0.0)]
open("light.pfm", "wb").write(b"PF\n16 4\n-1\n" + struct.pack("<192f", *light))
for name, head in (("canon.cr3", b"\0\0\0\x18ftypcrx \0\0\0\1crx isom"), ("olympus.orf", b"IIRO\x08\0\0\0"),
                   ("panasonic.rw2", b"IIU\0\x18\0\0\0"), ("fuji.raf", b"FUJIFILMCCD-RAW 0201"),
                   ("canon.crw", b"II\x1a\0\0\0HEAPCCDR")):
    open(name, "wb").write(head + bytes(300))
PYTHON

# ---- raw photographs: which program makes a picture of them is said, whatever the build reads ----------
for file in canon.cr3 olympus.orf panasonic.rw2 fuji.raf canon.crw; do
    refused 5 'dcraw_emu' stats $file
    refused 5 'a raw photograph' run copy --allow-untrusted $file -o none.ppm
done
# ---- what is not written --------------------------------------------------------------------------------
refused 2 'libvips reads OpenEXR and does not write it; .tif and .npy hold f32 and f16' \
    run copy light.pfm -o none.exr
that 'nothing is written' test ! -e none.ppm -a ! -e none.exr

if "$tool" stats ../grey.png 2>&1 | grep -q 'cannot be loaded\|all that this build reads'; then
    skip 1 'formats of libvips: it is not here'
    cd ..
    return
fi

# ---- integers, bit for bit ------------------------------------------------------------------------------
for extension in jxl jp2; do
    if ! "$tool" run -q copy 8-3.pam -o "probe.$extension" 2>/dev/null; then
        skip 1 "this libvips does not write .$extension"
        continue
    fi
    go 0 run -q copy 8-?.pam 16-?.pam --format $extension -o made/
    go 0 run -q copy --allow-untrusted made/*.$extension --format pam -o back/
    for name in 8-1 8-2 8-3 8-4 16-1 16-2 16-3 16-4; do same back/$name.pam $name.pam; done
    refused 3 'not hardened' stats made/8-1.$extension
    go 0 run -q copy 8-3.pam --format $extension -o -
    cp "$out" piped.$extension
    go 0 run -q copy --allow-untrusted piped.$extension -o back.pam
    same back.pam 8-3.pam
    go 5 run -q copy light.pfm -o light.$extension # libvips would change them
    complains ".$extension cannot hold f32 samples"
done

# ---- lossy photographs: near in the mean, of the same size, and what goes with them ---------------------
go 0 stats --json ../photo.jpg
first=$(cat "$out")
for extension in avif heic; do
    if ! "$tool" run -q copy ../photo.jpg -o probe.$extension 2>/dev/null; then
        skip 1 "this libvips does not write .$extension"
        continue
    fi
    go 0 run -q copy ../photo.jpg -o photo.$extension
    go 0 stats --json photo.$extension # these are trusted
    json 'all(d[key] == json.loads(first)[key] for key in ("width", "height", "type"))' first
    json 'all(abs(a["mean"] - b["mean"]) < 3 for a, b in zip(c, json.loads(first)["channels"]))' first
    go 0 run -q copy 8-4.pam -o alpha.$extension
    go 0 stats --json alpha.$extension
    json 'd["alpha"] == "straight" and len(c) == 4'
    go 5 run -q copy 16-3.pam -o none.$extension
    complains ".$extension cannot hold u16 samples; use .tif or .npy, or --type u8"
done
for extension in avif heic jxl; do
    "$tool" run -q copy ../profile.png -o profile.$extension 2>/dev/null || continue
    go 0 run -q copy --allow-untrusted profile.$extension -o profile.tif
    that "a colour profile goes through .$extension" python3 -c '
import sys
sys.exit(open("../rgb.icc", "rb").read() not in open("profile.tif", "rb").read())'
done

# ---- Radiance: 8 bits beside an exponent that the channels share ------------------------------------------
go 0 run -q copy light.pfm -o light.hdr
go 0 run -q copy --allow-untrusted light.hdr -o back.pfm
that 'values within 1 % of the brightest of each pixel, far beyond 1' python3 - <<'PYTHON'
import struct
def pixels(name):
    return struct.unpack("<192f", open(name, "rb").read()[-768:])
theirs, ours = pixels("back.pfm"), pixels("light.pfm")
assert max(ours) > 3000
for i in range(0, 192, 3):
    assert all(abs(a - b) <= .01 * max(ours[i:i + 3]) for a, b in zip(theirs[i:i + 3], ours[i:i + 3])), i
PYTHON
go 5 run -q copy 8-3.pam -o none.hdr
complains '.hdr holds RGB of f32'
go 5 run -q copy --type f32 8-4.pam -o none.hdr
complains '.hdr holds RGB of f32'
refused 3 'format rad is read by a decoder that is not hardened' stats light.hdr

# ---- OpenEXR -------------------------------------------------------------------------------------------
refused 3 'format openexr is read by a decoder that is not hardened' stats rgb.exr
if "$tool" stats --allow-untrusted rgb.exr 2>&1 | grep -q 'this libvips has no decoder'; then
    skip 1 'this libvips does not read OpenEXR'
    cd ..
    return
fi
go 0 stats --json --allow-untrusted rgb.exr
json '[(x["min"], x["max"]) for x in c] == [(0, 1.5), (0, 4000), (-1, -1)] and d["alpha"] == "none"'
go 0 stats --json --allow-untrusted --memory 1K rgb.exr # by rows as well
json '[(x["min"], x["max"]) for x in c] == [(0, 1.5), (0, 4000), (-1, -1)]'
go 0 stats --json --allow-untrusted rgba.exr
json 'd["alpha"] == "premultiplied" and (c[3]["min"], c[3]["max"]) == (1 / 8, 1 / 2) and c[0]["max"] == 1.5'
go 0 stats --json --allow-untrusted grey.exr
json 'len(c) == 1 and (c[0]["min"], c[0]["max"], c[0]["sum"]) == (0, 3.5, 21)'
go 0 stats --json --allow-untrusted layers.exr
json 'len(c) == 3 and d["note"] == "the channels Z, diffuse.R are not read"'
refused 5 'libvips reads the channels R, G and B, or Y, of OpenEXR, and this file has Z' \
    stats --allow-untrusted depth.exr
refused 5 'its samples have 32 bits, and libvips reads OpenEXR as f16' stats --allow-untrusted wide.exr
refused 5 '--convert allows it' stats --allow-untrusted id.exr
go 0 stats --json --allow-untrusted --convert wide.exr
json 'c[1]["inf_count"] == 8 and "went through f16" in d["note"]'
for file in cut.exr head.exr; do go 5 stats --allow-untrusted $file; done
go 0 run -q copy --allow-untrusted rgba.exr -o rgba.tif
go 0 stats --json rgba.tif
json 'd["alpha"] == "premultiplied" and (c[3]["min"], c[3]["max"]) == (1 / 8, 1 / 2)'
cd ..
