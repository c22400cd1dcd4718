# Formats that libvips reads; options that only they have; every option was used.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

last=probe
"$tool" stats grey.png >"$out" 2>"$err"
if grep -q 'build with libvips' "$err"; then
    skip 40 'this build has no libvips'
    for command in stats histogram threshold; do
        refused 5 'libvips' $command --allow-untrusted grey.png
    done
else
    go 0 stats --json grey.png
    json 'c[0]["sum"] == 32640 and c[0]["variance"] == 5461.25 and d["format"] == "png"'
    go 0 stats --json grey16.png
    json 'd["type"] == "u16" and c[0]["max"] == 60000 and c[0]["sum"] == 4000 * 120'
    go 0 stats --json --skip-transparent rgba.png
    json '[x["mean"] for x in c] == [4, 5, 6, 191.5] and d["alpha"] == "straight"'
    go 0 stats --json - <grey.png
    json 'c[0]["sum"] == 32640'
    go 0 stats --json - < <(cat pages.tif)
    json 'd["layers"] == 3'
    cp grey.png disguised.pgm # the content decides
    go 0 stats --json disguised.pgm
    json 'd["format"] == "png"'
    refused 5 'not an image of a known format' stats text.png
    refused 5 'truncated' stats cut.png
    head -c 20000 "$root/images/rocket.jpg" >cut.jpg
    refused 5 'truncated' stats cut.jpg
    go 1 stats --json grey.png cut.jpg text.png rgba.png
    json '[x.get("status") for x in docs] == [None, 5, 5, None]'
    lines 2
    go 0 stats --json pages.tif
    json 'd["layers"] == 3 and [x["mean"] for x in c] == [5, 6, 7]'
    go 0 stats --json --page 1 pages.tif
    json 'd["layers"] == 1 and c[0]["mean"] == 6'
    refused 2 'no page 3; the file has 3,' stats --page 3 pages.tif
    refused 2 'no page 1; the file has 1,' stats --page 1 grey.png
    go 0 stats --json wide.tif
    json 'd["type"] == "f32" and c[0]["max"] == 0 and "u64" in d["note"]'
    refused 5 'differ' stats uneven.tif
    go 0 stats --json --page 1 uneven.tif
    json 'c[0]["mean"] == 9 and d["width"] == 2'
    go 0 stats --json associated.tif
    json 'd["alpha"] == "premultiplied" and [x["max"] for x in c] == [50, 50, 50, 100]'
    refused 3 '--allow-untrusted' stats ink.svg
    if "$tool" stats --allow-untrusted ink.svg >/dev/null 2>&1; then
        go 0 stats --json --allow-untrusted ink.svg
        json 'd["width"] == 4'
        go 0 histogram --json --allow-untrusted ink.svg
        go 0 threshold --json --allow-untrusted ink.svg
    else
        skip 4 'this libvips has no SVG loader'
    fi
    for extension in jpg avif gif; do # they would blur a mask of two values
        go 5 threshold grey.png -o "mask.$extension"
        complains 'changes samples'
        that 'nothing is written' test ! -e "mask.$extension"
    done
    for extension in png tif webp npy pgm pam pbm; do
        go 0 threshold grey.png -o "mask.$extension"
        go 0 stats --json "mask.$extension"
        json 'c[0]["max"] == 255 and c[0]["min"] == 0 and d["width"] == 16'
    done
    go 0 threshold pages.tif -o pages-mask.tif
    go 0 stats --json pages-mask.tif
    json 'd["layers"] == 3'
    refused 5 'layers' threshold pages.tif -o pages-mask.png

    # ---- what other readers change, or take for something else ----
    go 0 stats --json white.tif
    json '(c[0]["min"], c[0]["max"]) == (10, 40)'
    complains '0 is white'
    go 0 stats --json bilevel.tif
    json 'd["type"] == "u8" and c[0]["max"] == 255 and c[0]["sum"] == 4 * 255'
    go 0 stats --json half.tif
    json 'd["type"] == "f16" and (c[0]["min"], c[0]["max"]) == (-2, 1.5)'
    go 0 stats --json palette.tif
    json 'd["type"] == "u16" and [x["max"] for x in c] == [3, 771, 1539]'
    refused 5 '--convert' stats double.tif
    for command in stats histogram threshold label; do
        go 0 $command --convert --json double.tif
        complains 'rounded to the nearest f32'
    done
    go 0 areasum --convert --json --box 1x1+0+0 double.tif
    go 0 run --convert contrast double.tif -o rounded.tif
    go 0 stats --json rounded.tif
    json 'd["type"] == "f32"'
    refused 5 'raw converter' stats raw.dng
    go 0 stats --json --page 1 raw.dng
    complains "sensor"
    refused 5 'raw converter' stats fuji.raf
    go 0 run contrast:contrast=2 fill.tif -o out.tif
    complains 'the georeference of fill.tif is not kept'
    go 0 run contrast:contrast=2 bilevel.tif -o out.tif
    that 'and what is none is not said' test -z "$(grep georeference "$err")"
    go 0 stats --json fill.tif
    json '"2 samples are -9999" in d["note"]'
    go 0 stats --json columns.npy
    json 'd["width"] == 3 and c[0]["sum"] == 21'
    go 0 stats --json photo.tif
    sums=$(python3 -c 'import json, sys
print([x["sum"] for x in json.load(open(sys.argv[1]))["channels"]])' "$out")
    go 0 stats --json photo.jpg
    json "[x['sum'] for x in c] == $sums and len(c) == 3"
    go 0 stats --json --stack many.gif
    json '"5000 frames" in d["note"] and d["layers"] < 5000'

    # ---- raw photographs ----
    go 0 stats --json --page raw raw.dng
    json '(d["width"], d["height"]) == (3, 2) and "sensor" in d["note"]'
    refused 5 '--page raw reads the samples of the sensor' stats raw.dng
    refused 2 'none of its images is of a camera' stats --page raw pages.tif
    refused 5 'raw photographs that are TIFF files' stats --page raw ramp.pgm
    refused 2 'allowed are whole numbers from 0 to 65535, and raw' stats --page row raw.dng
    go 0 stats --json six.tif # a layer for each channel
    json 'd["layers"] == 6 and d["layer_axes"] == [{"name": "C", "size": 6}] and len(c) == 6'

    # ---- layers that are channels ----
    go 0 stats --json --stack stack.tif
    json 'd["layer_axes"] == [{"name": "Z", "size": 2}, {"name": "C", "size": 2}]'
    go 0 stats --stack stack.tif
    says '4 layers (2 z x 2 c)'
    for connectivity in 6 18 26; do
        go 0 label --json -t 3 -c $connectivity stack.tif
        json '[x["channel"] for x in docs] == [0, 1] and d["layers"] == 2'
    done
    go 0 label -t 3 -c 8 stack.tif
    go 0 label -t 3 -c 26 --page 0 stack.tif
    refused 2 'channels or moments' run label:connectivity=26 stack.tif -o none.tif
    go 0 run label stack.tif -o labels.tif
    refused 2 'channels or moments' areasum --box 1x1x2+0+0+0 stack.tif
    go 0 areasum --box 1x1x1+0+0+1 stack.tif

    # ---- what is written back ----
    tags() { # of the first directory: numbers of a rational, a short, a text
        python3 - "$1" <<'PYTHON'
import struct, sys
d = open(sys.argv[1], "rb").read()
at = struct.unpack_from("<I", d, 4)[0]
for i in range(struct.unpack_from("<H", d, at)[0]):
    tag, kind, count, place = struct.unpack_from("<HHII", d, at + 2 + 12 * i)
    if tag in (282, 283):
        print(tag, *struct.unpack_from("<2I", d, place))
    elif tag == 296:
        print(tag, place)
    elif tag == 270:
        print(tag, repr(d[place:place + count]))
PYTHON
    }
    go 0 run gaussian_blur stack.tif -o same.tif
    that 'resolution, unit and description stay' diff <(tags stack.tif) <(tags same.tif)
    go 0 run gaussian_blur --page 1 stack.tif -o one.tif
    that 'the description of one page states no stack' test -z "$(tags one.tif | grep slices)"
    that 'but the unit' test -n "$(tags one.tif | grep unit=um)"

    # libvips takes 72 pixels per inch where a file says nothing, and writes some number always
    python3 -c 'd = bytearray(open("photo.jpg", "rb").read())
assert d[6:10] == b"JFIF"
d[13:18] = 0, 0, 1, 0, 1  # an aspect ratio
open("bare.jpg", "wb").write(d)'
    for source in grey.png bare.jpg; do
        go 0 run contrast $source -o bare.tif
        that "no resolution comes from $source" test -z "$(tags bare.tif)"
        go 0 run contrast $source -o bare.png
        that 'nor does one in PNG' test "$(grep -ca pHYs bare.png)" -eq 0
    done
    go 0 stats --json bare.png
    json 'c[0]["count"] > 0'
    go 0 run contrast dense.png -o dense.tif
    that 'one that is stated is kept' test "$(tags dense.tif | sed -n 1p)" = '282 100 1'
    go 0 run contrast dense.tif -o denser.png
    that 'also from TIFF to PNG' grep -qa pHYs denser.png
    go 0 threshold dense.png -o dense-mask.png
    that 'a mask keeps it, too' test "$(grep -ca pHYs dense-mask.png)" -eq 1

    # ---- decoders that are not hardened ----
    for file in bitmap.bmp bitmap.mvg sky.fits old.tga; do
        refused 3 '--allow-untrusted' stats $file
    done
    refused 5 'the content decides' stats --allow-untrusted drawing.mvg
    if "$tool" stats --allow-untrusted bitmap.bmp >/dev/null 2>&1; then
        go 0 stats --json --allow-untrusted bitmap.mvg
        json 'd["width"] == 2 and c[0]["max"] == 6'
    else
        skip 2 'this libvips has no BMP loader'
    fi
    mkdir -p mine
    cp grey.png mine/photo.png
    refused 2 'is an input' threshold mine/photo.png -o mine
    that 'the input is as it was' cmp grey.png mine/photo.png
    no_leftovers
fi
