# Stacks larger than --memory in `run`: layer by layer, or in bands of rows of all layers. Files are those of
# the whole stack, byte for byte.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p layers
python3 - <<'PYTHON'
import random, struct
r = random.Random(12)
W, H, L = 301, 203, 5
layers = [bytes(r.choice((0, 40 + 9 * z, r.randrange(256))) for _ in range(W * H)) for z in range(L)]
with open("layers/stack.pgm", "wb") as f:
    for layer in layers:
        f.write(b"P5\n%d %d\n255\n" % (W, H) + layer)
with open("layers/over.pgm", "wb") as f:  # goes along, layer by layer
    for layer in reversed(layers):
        f.write(b"P5\n%d %d\n255\n" % (W, H) + layer)
with open("layers/one.pgm", "wb") as f:  # is over each
    f.write(b"P5\n%d %d\n255\n" % (W, H) + layers[2])
with open("layers/color.ppm", "wb") as f:
    for layer in layers:
        f.write(b"P6\n%d %d\n65535\n" % (W, H))
        f.write(b"".join(struct.pack(">HHH", 200 * v, 70 * v, v) for v in layer))
out, last = bytearray(b"II*\0\0\0\0\0"), 4  # pages with a resolution, the first one with a description
text = b"ImageJ=1.53t\nimages=5\nslices=5\nunit=micron\nspacing=2.5\n\0"
for z, layer in enumerate(layers):
    at = {}
    for key, data in (("pixels", layer), ("scale", struct.pack("<II", 4, 1)), ("text", text)):
        out += b"\0" * (len(out) % 2)
        at[key] = len(out)
        out += data
    tags = [(256, 4, 1, W), (257, 4, 1, H), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1)]
    tags += [(270, 2, len(text), at["text"])] if z == 0 else []
    tags += [(273, 4, 1, at["pixels"]), (277, 3, 1, 1), (278, 4, 1, H), (279, 4, 1, W * H),
             (282, 5, 1, at["scale"]), (283, 5, 1, at["scale"]), (296, 3, 1, 3)]
    out += b"\0" * (len(out) % 2)
    struct.pack_into("<I", out, last, len(out))
    out += struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
    last = len(out)
    out += bytes(4)
open("layers/stack.tif", "wb").write(out)
PYTHON
cd layers || exit

memory=170K
# same EXTENSION PIPELINE FILE ARGUMENTS...: the file in bands is that of the whole stack.
same() {
    go 0 run -q --device cpu "$2" "$3" -o "whole.$1" "${@:4}"
    for limit in "$memory" 230K; do # bands of other heights
        rm -f "bands.$1"
        go 0 run -q --device cpu --scratch . --memory "$limit" "$2" "$3" -o "bands.$1" "${@:4}"
        that "bands.$1 is not the file of the whole stack" cmp "whole.$1" "bands.$1"
    done
}
banded() { # TEXT PIPELINE FILE ARGUMENTS...: --explain says TEXT
    go 0 run --explain --device cpu --memory "$memory" "$2" "$3" -o no.npy "${@:4}"
    says "$1"
}

for file in stack.pgm stack.tif; do
    for extension in npy tif pgm; do same $extension 'contrast=1.5 | sharpen' $file; done
    same tif 'gaussian_blur:sigma=3 | sobel_edge_detection' $file
    same npy 'contrast:contrast=@mean*3 | threshold=@otsu' $file
done
same ppm color_invert color.ppm
same pgm difference_blend stack.pgm --input x=over.pgm
same pgm difference_blend stack.pgm --input x=one.pgm
same npy 'brightness:brightness=@p90-0.5' stack.pgm --input x=one.pgm
banded 'each of 5 layers by itself' sharpen stack.pgm
banded 'in 2 passes over each layer' threshold=@otsu stack.pgm

memory=210K
for file in stack.pgm stack.tif; do
    for figure in max mean stddev; do same npy "project=$figure" $file; done
    same tif 'gaussian_blur:sigma=1 | project=min | sharpen' $file
done
same pgm project=max stack.pgm
banded 'in bands of rows of all layers' project=max stack.pgm
memory=225K
for extension in npy tif; do same $extension 'median_3d:radius=1:radius_z=1' stack.pgm; done
same tif 'layer_gaussian:sigma=2' stack.tif
same pgm 'project=min #low | #in | signed_difference:over=#low' stack.pgm
no_leftovers .
that 'no scratch files are left' test -z "$(find . -name 'lumagraph-*')"

# figures of each layer, in their order
go 0 run -q --device cpu --json contrast=1.5 stack.pgm --figure mean --figure p50
cp "$out" whole.json
go 0 run -q --device cpu --memory 170K --json contrast=1.5 stack.pgm --figure mean --figure p50
json 'd["figures"] == json.load(open("whole.json"))["figures"] and len(d["figures"]) == 10'

# what is needed whole: all layers, in scratch files
spilled() { # ARGUMENTS...: the file of the whole stack in memory
    go 0 run -q --device cpu "$@" stack.pgm -o whole.npy
    go 0 run --device cpu --memory 170K --scratch . "$@" stack.pgm -o made.npy
    complains 'read whole, into scratch files where --memory has no room'
    that "$* with scratch files" cmp whole.npy made.npy
}
spilled --stack 'contrast=@mean'
spilled label
spilled 'watershed:over=#in:connectivity=26'

# what is refused, by name
refused 3 'written whole' run --device cpu --memory 170K sharpen stack.pgm -o no.gif
refused 5 'creating a scratch file in no/such/folder' run --device cpu --memory 225K \
    --scratch no/such/folder median_3d stack.pgm -o no.npy
refused 3 'written whole' label --memory 170K --connectivity 26 stack.pgm -o no.png
refused 5 'scratch file in no/such/folder' label --memory 170K --connectivity 26 stack.pgm -o no.npy \
    --scratch no/such/folder
refused 2 'no state can be made: volumes' label --connectivity 6 --state no.lgs stack.pgm
that 'no output is left' test ! -e no.npy -a ! -e no.gif
prefix=(bash -c 'trap "" XFSZ; ulimit -f 100; exec "$@"' limit)
go 5 run -q --device cpu --memory 225K median_3d stack.pgm -o full.npy
complains 'writing a scratch file in '
go 5 run -q --device cpu --memory 170K sharpen stack.pgm -o full.npy
go 5 label -q --memory 170K --connectivity 26 stack.pgm -o full.npy
go 5 threshold -q --memory 170K stack.pgm -o full.npy
prefix=(bash -c 'trap "" XFSZ; ulimit -f 20; exec "$@"' limit)
go 5 label -q --memory 170K --connectivity 6 --columns label,surface_area stack.pgm
complains 'writing a scratch file in '
that 'no half file' test ! -e full.npy
no_leftovers .
prefix=()

# memory does not grow with the layers
if grep -qaE '__(asan|tsan)_init' "$tool"; then
    skip 7 'sanitizers take memory of their own'
else
    python3 - <<'PYTHON' # 100 MB that the disk does not have
import struct
text = b"{'descr': '|u1', 'fortran_order': False, 'shape': (400, 500, 500), }"
text += b" " * (117 - len(text)) + b"\n"
with open("huge.npy", "wb") as f:
    f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text)
    f.seek(400 * 500 * 500 - 1, 1)
    f.write(b"\xff")
PYTHON
    peak() { # MIB COMMAND ARGUMENTS...
        last="${*:2}"
        if python3 - "$1" "$tool" "$2" -q --device cpu --threads 2 --memory 8M "${@:3}" <<'PYTHON'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
sys.exit(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 > float(sys.argv[1]))
PYTHON
        then good; else bad "more than $1 MiB at the peak"; fi
    }
    peak 40 run contrast=2 huge.npy -o made.npy
    peak 40 run project=mean huge.npy -o made.npy
    peak 40 run layer_gaussian huge.npy -o made.npy
    peak 40 threshold -m value:3 huge.npy -o made.npy
    python3 - <<'PYTHON' # 20 MB of noise: 1.7 million components of layers, whose sums would take 112 MB
import os, struct
text = b"{'descr': '|u1', 'fortran_order': False, 'shape': (80, 500, 500), }"
text += b" " * (117 - len(text)) + b"\n"
above = bytes(255 * (v < 115) for v in range(256))
with open("noise.npy", "wb") as f:
    f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text)
    for _ in range(80):
        f.write(os.urandom(250000).translate(above))
PYTHON
    peak 40 label --connectivity 6 --columns label,area noise.npy -o made.npy
    peak 40 label --connectivity 26 --columns label,surface_area --fill-holes noise.npy --colors made.npy
    peak 40 label --connectivity 26 --columns label,area --keep 'area > 9' huge.npy -o made.npy
    rm -f huge.npy noise.npy made.npy
fi
# ---- files of label and threshold state how large pixels are, as those of run do ----------------------
go 0 stats --json stack.tif
json '"pixel_size_um" in d'
cp "$out" sizes.json
# sized COMMAND ARGUMENTS...: what it writes to made.tif has the sizes of the input, whole and in bands.
sized() {
    local memory
    for memory in 1G 170K; do
        rm -f made.tif
        go 0 "$1" -q --device cpu "$sized" "${@:2}" --memory $memory --scratch .
        go 0 stats --json made.tif
        json 'd["pixel_size_um"] == json.load(open("sizes.json"))["pixel_size_um"]'
    done
}
sized=stack.tif
sized threshold -o made.tif
sized threshold --method value:99 -o 'made.tif[tile=16]'
sized label -t 99 --connectivity 26 -o made.tif
sized label -t 99 -o made.tif
sized label -t 99 --colors made.tif
sized label -t 99 --overlay made.tif
python3 - <<'PYTHON' # a component in every second pixel of every second row: labels of 32 bits
import struct
side, text = 520, b"ImageJ=1.53t\nunit=micron\n\0\0"
pixels = (bytes(side) + bytes((0, 255)) * (side // 2)) * (side // 2)
behind = pixels + struct.pack("<II", 4, 1) + text
scale = 8 + len(pixels)
tags = [(256, 4, 1, side), (257, 4, 1, side), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
        (270, 2, len(text), scale + 8), (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, side),
        (279, 4, 1, side * side), (282, 5, 1, scale), (283, 5, 1, scale), (296, 3, 1, 1)]
with open("dots.tif", "wb") as f:
    f.write(b"II*\0" + struct.pack("<I", 8 + len(behind)) + behind + struct.pack("<H", len(tags)))
    f.write(b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4))
PYTHON
sized=dots.tif
go 0 stats --json $sized
json 'd["pixel_size_um"]["x"] == 0.25'
cp "$out" sizes.json
sized label -t 99 -o made.tif
