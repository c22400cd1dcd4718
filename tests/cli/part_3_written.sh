# How images are written: quality, compression, options of formats.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# smaller FILE FILE: the first one has fewer bytes.
smaller() { that "$1 is smaller than $2" test "$(stat -c %s "$1")" -lt "$(stat -c %s "$2")"; }
# tag FILE NUMBER: the first value of a tag of 16 bits in a little-endian TIFF.
tag() {
    python3 - "$1" "$2" <<'PYTHON'
import struct, sys
data = open(sys.argv[1], "rb").read()
at = struct.unpack_from("<I", data, 4)[0]
for i in range(struct.unpack_from("<H", data, at)[0]):
    name, _, _, value = struct.unpack_from("<HHIH", data, at + 2 + 12 * i)
    if name == int(sys.argv[2]):
        print(value)
PYTHON
}

# ---- TIFF ------------------------------------------------------------------------------------------
if "$tool" run copy ramp.pgm -o t.tif 2>&1 | grep -q libtiff; then
    skip 1 'TIFF: this build has no libtiff'
else
    for pair in none:1 lzw:5 deflate:8 packbits:32773; do
        go 0 run -q copy ramp.pgm --compression ${pair%:*} -o t.tif
        that "${pair%:*} by name" test "$(tag t.tif 259)" = ${pair#*:}
        go 0 run -q copy ramp.pgm -o "t.tif[compression=${pair%:*}]"
        that "${pair%:*} behind the name" test "$(tag t.tif 259)" = ${pair#*:}
        go 0 run -q copy t.tif -o t.pgm
        that "${pair%:*} keeps samples" cmp t.pgm ramp.pgm
    done
    python3 -c 'import sys
sys.stdout.buffer.write(b"P5\n300 200\n255\n" + bytes(range(250)) * 240)' >wide.pgm
    go 0 run --memory 100K copy wide.pgm --compression packbits -o rows.tif --explain
    says 'in bands of rows'
    go 0 run -q --memory 100K copy wide.pgm --compression packbits -o rows.tif
    that 'in bands of rows' test "$(tag rows.tif 259)" = 32773
    go 0 run -q copy ramp.pgm ramp.pgm --format 'tif[compression=lzw]' -o '{name}-{index}.{ext}'
    that 'options of --format' test "$(tag ramp-1.tif 259)" = 5
    go 0 threshold -q ramp.pgm -o 'mask.tif[compression=packbits]'
    that 'a binary image' test "$(tag mask.tif 259)" = 32773
    go 0 label -q ramp.pgm -o 'labels.tif[compression=none]'
    that 'labels' test "$(tag labels.tif 259)" = 1
    go 2 run -q copy ramp.pgm --compression brotli -o t2.tif
    complains "'brotli' is no compression of TIFF"
fi
go 5 run -q copy ramp.pgm -o 'x.pgm[Q=3]'
complains 'format .pgm has no options'
go 2 run -q copy ramp.pgm --quality 80 -o x.pgm
complains '--quality is of .jpg, .webp, .avif, .heic and .jxl, not of .pgm'
go 2 run -q copy ramp.pgm --compression lzw -o x.pgm
complains '--compression is of .tif, .zarr and .png, not of .pgm'
refused 2 'whole numbers from 1 to 100' run copy ramp.pgm --quality 0 -o x.jpg
refused 2 'extensions of images' run copy ramp.pgm --format 'jpg[Q=1' -o x
that 'nothing is written' test ! -e x.pgm
go 0 run -q copy ramp.pgm -o 'odd[1].pgm' # no options: no extension in front of them
that 'a name with brackets' test -f 'odd[1].pgm'

# ---- what libvips writes ---------------------------------------------------------------------------
if "$tool" stats grey.png 2>&1 | grep -q 'cannot be loaded\|all that this build reads'; then
    skip 1 'formats of libvips: it is not here'
else
    go 0 run -q copy photo.jpg -o q95.jpg
    go 0 run -q copy photo.jpg --quality 40 -o q40.jpg
    smaller q40.jpg q95.jpg
    go 0 run -q copy photo.jpg -o 'same.jpg[Q=40]'
    that 'both ways are one' cmp same.jpg q40.jpg
    go 0 run -q copy photo.jpg --format 'jpg[Q=40]' -o quality/
    that 'and --format' cmp quality/photo.jpg q40.jpg
    go 0 run -q copy photo.jpg -o lossless.webp
    go 0 run -q copy photo.jpg --quality 40 -o lossy.webp
    smaller lossy.webp lossless.webp
    go 0 run -q copy photo.jpg --compression 0 -o large.png
    go 0 run -q copy photo.jpg -o usual.png
    smaller usual.png large.png
    go 2 run -q copy photo.jpg -o 'x.jpg[Z=1]'
    complains ".jpg has no option 'Z'"
    go 2 run -q copy photo.jpg -o 'x.jpg[interlac]'
    complains "did you mean 'interlace'?"
    go 2 run -q copy photo.jpg -o 'x.jpg[interlace,Q=800]'
    complains 'option Q=800: allowed are whole numbers from 1 to 100'
    go 2 run -q --memory 1K copy photo.jpg -o 'x.png[compression=30]' # in bands of rows
    complains 'option compression=30: allowed are whole numbers from 0 to 9'
    that 'nothing is written' test ! -e x.jpg -a ! -e x.png
    go 0 run -q copy photo.jpg -o 'x.jpg[Q=80,background=1 2 3,optimize_coding]'
    rm x.jpg
    go 5 threshold -q photo.jpg -o 'mask.webp[Q=40]'
    complains 'have to stay as they are'
    go 5 run -q copy photo.jpg -o light.hdr
    complains '.hdr holds RGB of f32, the image has 3 channels of u8 samples; use .tif or .npy, or --type f32'
    go 0 run -q copy photo.jpg --type f32 -o light.hdr
    go 0 stats --json --allow-untrusted light.hdr
    json 'd["type"] == "f32" and len(c) == 3'
    if "$tool" run -q copy photo.jpg -o photo.jxl 2>/dev/null; then
        go 0 run -q copy --allow-untrusted photo.jxl -o back.ppm
        go 0 run -q copy photo.jpg -o front.ppm
        that 'JPEG XL loses nothing' cmp back.ppm front.ppm
        go 0 run -q copy photo.jpg --quality 40 -o lossy.jxl
        smaller lossy.jxl photo.jxl
    else
        skip 3 'JPEG XL: this libvips does not write it'
    fi
fi
