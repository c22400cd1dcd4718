# liblumagraph-io by pkg-config, shared and static, and what goes on where its module of libvips is missing.
# shellcheck shell=bash disable=SC2034,SC2154 # prefix, here, work ... are those of run

cd "$work/programs" || exit 2
cp "$here/measure_files.c" .
read -ra shared < <(flags --cflags --libs lumagraph-io)
read -ra static < <(flags --static --cflags --libs lumagraph-io)
for i in "${!static[@]}"; do
    case ${static[i]} in -llumagraph | -llumagraph-io) static[i]=-l:lib${static[i]#-l}.a ;; esac
done
build measure_files-shared "${c[@]}" measure_files.c "${shared[@]}" -Wl,-rpath,"$libraries"
build measure_files-static "${c[@]}" measure_files.c "${static[@]}"
that 'the shared one uses the shared library' grep -q 'liblumagraph-io\.so\.0' <(ldd measure_files-shared)
that 'the static one uses none of it' not grep -q liblumagraph <(ldd measure_files-static)
library=$(find "$prefix" -name liblumagraph-io.so.0)
for file in measure_files-shared measure_files-static "$tool" "$library"; do
    that "${file##*/} is not linked with libvips" not grep -qE 'vips|glib' <(ldd "$file")
done
symbols=$(nm -D --defined-only "$library" | awk '{ print $NF }' | LC_ALL=C sort)
declared=$(grep -ohE '^LG_API .*\blg_[a-z_]+\(' "$prefix/include/lumagraph/"{io,ranks,rows}.h |
    grep -oE 'lg_[a-z_]+\($' | tr -d '(' | LC_ALL=C sort)
that "liblumagraph-io exports what its headers declare, not: ${symbols:0:300}" \
    test "$symbols" = "$declared" -a -n "$declared"

# The mean of these pixels is 34, whatever the format.
python3 - "$work" <<'PYTHON'
import struct, sys, zlib
pixels, side = bytes([1, 2, 33, 100]), 2
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + pixels[i:i + side] for i in range(0, 4, side))
files = {"png": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) +
         chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")}
head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }\n"
files["npy"] = b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + pixels
tags = [(256, side), (257, side), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, side), (279, 4)]
files["tif"] = b"II*\0" + struct.pack("<I", 12) + pixels + struct.pack("<H", len(tags)) + b"".join(
    struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags) + bytes(4)
for name, data in files.items():
    open(f"{sys.argv[1]}/four.{name}", "wb").write(data)
PYTHON
four=("$work/four.tif" "$work/four.npy" "$work/four.png")

vips=$(find "$prefix" -name liblumagraph-vips.so)
if [[ -z $vips ]]; then
    skip 30 'this build has no libvips'
    cd "$work" || exit 2
    return
fi
symbols=$(nm -D --defined-only "$vips" | awk '{ print $NF }')
that "the module exports its one symbol, not: ${symbols:0:200}" test "$symbols" = lg_vips_module
for form in shared static; do
    rm -f four-$form.png
    gives $'tiff 2 x 2, mean 34\nnpy 2 x 2, mean 34\npng 2 x 2, mean 34' \
        ./measure_files-$form "${four[@]}" four-$form.png
    gives 'png 2 x 2, mean 34' ./measure_files-$form four-$form.png again.png
done

# lacks STATUS WHAT COMMAND...: fails so, says what cannot be read or written, and what to install.
lacks() {
    bare "${@:3}"
    that "without the module: ${*:3} ends with status $1" test $? -eq "$1"
    that "and names what it cannot do: $2" grep -qF "$2" "$err"
    that 'and says what to install' grep -qF 'install libvips, and liblumagraph-vips.so' "$err"
}
with=(LD_DEBUG=files)
bare "$tool" stats "${four[2]}"
that 'a PNG is read with libvips' grep -q 'libvips\.so' "$err"
for name in "${four[@]::2}" "$work/in.pgm"; do
    bare "$tool" stats "$name"
    that "${name##*.} is read without it" not grep -q 'libvips\.so' "$err"
done
with=()
mv "$vips" "$work/vips.so"
for form in shared static; do
    gives $'tiff 2 x 2, mean 34\nnpy 2 x 2, mean 34' ./measure_files-$form "${four[@]::2}" four.npy
    lacks 7 'PNG, JPEG, WebP' ./measure_files-$form "${four[2]}" four.npy
    rm -f none.png
    lacks 7 '.png goes through libvips' ./measure_files-$form "${four[0]}" none.png
    that 'and nothing is written' test ! -e none.png
done
lacks 5 'PNG, JPEG, WebP' "$tool" stats --json "${four[2]}"
lacks 5 '.jpg goes through libvips' "$tool" run color_invert "${four[0]}" -o none.jpg
for name in "${four[@]::2}" "$work/in.pgm"; do
    bare "$tool" stats "$name"
    that "without the module ${name##*.} is read" test $? -eq 0 -a ! -s "$err"
done
: >nothing.png
bare "$tool" stats nothing.png
that 'an empty file is an empty file without it' grep -qF 'is empty' "$err"
sed 's/0\.1\.0/9.1.0/g' "$work/vips.so" >"$vips"
lacks 5 'is of another version' "$tool" stats "${four[2]}"
mv "$work/vips.so" "$vips"
bare "$tool" stats "${four[2]}"
that 'in its place again the module is used' test $? -eq 0 -a ! -s "$err"
cd "$work" || exit 2
