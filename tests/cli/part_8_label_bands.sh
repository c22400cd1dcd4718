# Labels of images larger than --memory: tables in bands are those of the whole image.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p label_bands
python3 - <<'PYTHON'
import random
r = random.Random(11)
def pnm(name, kind, samples, maximum=255):
    open(f"label_bands/{name}", "wb").write(b"%s\n601 540\n%d\n" % (kind, maximum) + samples)
def blobs(width, height, step):  # cells of noise, so that components cross bands
    across, down = range(width // step + 1), range(height // step + 1)
    rows = [bytes(r.choice((0, 0, 200 + r.randrange(9))) for _ in across) for _ in down]
    return [bytes(rows[y // step][x // step] for x in range(width)) for y in range(height)]
grey = blobs(601, 540, 9)
pnm("grey.pgm", b"P5", b"".join(grey))
pnm("color.ppm", b"P6", b"".join(bytes(v for p in row for v in (p, p // 2, 9)) for row in grey))
pnm("deep.pgm", b"P5", b"".join(bytes(v for p in row for v in (p, r.randrange(256))) for row in grey), 65535)
with open("label_bands/stack.pgm", "wb") as f:
    for _ in range(3):
        f.write(b"P5\n301 203\n255\n" + b"".join(blobs(301, 203, 7)))
pnm("other.pgm", b"P5", r.randbytes(601 * 540))
with open("label_bands/huge.pgm", "wb") as f:  # holes read as zeros
    f.write(b"P5\n20000 8000\n255\n")
    f.seek(20000 * 8000 - 1, 1)
    f.write(b"\xff")
import struct
with open("label_bands/real.pfm", "wb") as f:
    f.write(b"Pf\n601 540\n-1.0\n")
    for row in reversed(grey):
        f.write(b"".join(struct.pack("<f", p * r.gauss(0, 1)) for p in row))
PYTHON
cd label_bands || exit

memory=310K
# same FILE ARGUMENTS...: the document of the bands is that of the whole image.
same() {
    go 0 label --json "${@:2}" "$1"
    cp "$out" whole.json
    go 0 label --json --memory "$memory" "${@:2}" "$1"
    if python3 - whole.json "$out" <<'PYTHON'
import json, sys
a, b = ([json.loads(line) for line in open(n)] for n in sys.argv[1:])
for d in a + b:
    d["engine"] = d["engine"]["device"]
sys.exit(a != b or not a[0]["table"])
PYTHON
    then good; else bad "the table in bands differs"; fi
}
for connectivity in 4 8; do same grey.pgm --connectivity $connectivity --columns all --intensity self; done
same grey.pgm --preset skimage --intensity other.pgm
same grey.pgm --threshold 203 --keep 'area > 3 && circularity < 2' --no-edge --largest 20
same grey.pgm --threshold otsu --intensity self
same grey.pgm --values --columns all
same grey.pgm --connectivity 26 # one layer is a plane
same grey.pgm --largest 7 --keep 'label > 20 && area > 9' --columns label,area
same grey.pgm --largest 1000000 --no-edge
memory=178K
for connectivity in 4 8; do same stack.pgm --connectivity $connectivity --columns all; done
for connectivity in 6 18 26; do
    same stack.pgm --connectivity $connectivity --columns all --intensity self
    same stack.pgm --connectivity $connectivity --threshold otsu --keep 'area > 3' --largest 9
    same stack.pgm --connectivity $connectivity --values --columns area,cz,depth,surface_area,sphericity
    same stack.pgm --connectivity $connectivity --region 150x133+20+31 --largest 3
done
same stack.pgm --threshold triangle
same stack.pgm --threshold triangle --stack --page 1
memory=400K
same color.ppm --threshold 60 --luma bt601
same color.ppm --threshold multi-otsu:3
same deep.pgm --threshold 40000 --intensity self --columns all
same real.pfm --threshold 0.5 --intensity self --columns all
same real.pfm --intensity other.pgm
same deep.pgm --threshold otsu
same real.pfm --threshold triangle
memory=178K
same grey.pgm --region 400x201+17+30 --columns all --intensity other.pgm
go 0 label --csv grey.pgm
cp "$out" whole.csv
go 0 label --csv --memory 130K grey.pgm
that 'CSV is that of the whole image' cmp whole.csv "$out"
python3 - <<'PYTHON'
import random
r = random.Random(13) # more rows than a table of the text report has, and rings around them that end last
def row(y): return bytearray(r.choice((0, 0, 0, 255)) if x % 2 == y % 2 == 0 else 0 for x in range(601))
rows = [row(y) for y in range(423)]
for i in range(0, 60, 4):
    for y in range(i, 423):
        rows[y][i] = rows[y][600 - i] = 255
        rows[y][i + 1] = rows[y][599 - i] = 0
open("many.pgm", "wb").write(b"P5\n601 423\n255\n" + b"".join(rows))
PYTHON
for format in --csv --json ''; do # all but the line, or the member, with times
    # shellcheck disable=SC2086 # no argument in the last turn
    go 0 label $format many.pgm --keep 'area != 7' -q
    sed 's/"engine":.*//; /^on /d' "$out" >whole.txt
    # shellcheck disable=SC2086
    go 0 label $format many.pgm --keep 'area != 7' -q --memory 130K --scratch .
    sed 's/"engine":.*//; /^on /d' "$out" >bands.txt
    that "many rows in ${format:-text}" cmp whole.txt bands.txt
    that "there are many rows in ${format:-text}" test "$(wc -c <whole.txt)" -gt 500000
done
that 'scratch files have no names' test -z "$(ls lumagraph-* 2>/dev/null)"
refused 5 'scratch file in no/such' label --csv many.pgm --memory 130K --scratch no/such
"$tool" label --json grey.pgm color.ppm stack.pgm >two.json 2>/dev/null
go 1 label --json --memory 178K grey.pgm color.ppm stack.pgm # one of them has too many channels
json 'len(docs) == 3'

# holes: noise has many, and rings that are higher than a band
python3 - <<'PYTHON'
import random
r = random.Random(12)
def ring(x, y): # squares around each other, the outermost with a gap
    d = max(abs(x - 300), abs(y - 340))
    return 0 if d > 200 or (d // 10) % 2 or (d // 10 == 20 and x == 300) else 255
rows = [bytes(ring(x, y) if x < 520 else r.choice((0, 180)) for x in range(601)) for y in range(680)]
open("holes.pgm", "wb").write(b"P5\n601 680\n255\n" + b"".join(rows))
open("other-holes.pgm", "wb").write(b"P5\n601 680\n255\n" + r.randbytes(601 * 680))
cells = [bytes(r.choice((0, 1, 255)) for _ in range(301)) for _ in range(812)]
open("holes-stack.pgm", "wb").write(b"".join(
    b"P5\n301 203\n255\n" + b"".join(cells[i * 203:(i + 1) * 203]) for i in range(4)))
PYTHON
for connectivity in 4 8; do
    memory=390K
    same holes.pgm --fill-holes --connectivity $connectivity --columns all --intensity other-holes.pgm
    memory=230K
    same holes-stack.pgm --fill-holes --connectivity $connectivity --threshold otsu --columns all
done
same holes.pgm --fill-holes --connectivity 6 --columns area,edge
same holes.pgm --fill-holes --connectivity 26 --threshold 200 --no-edge
same holes.pgm --fill-holes --region 400x201+117+100 --intensity self
memory=400K
same real.pfm --fill-holes --threshold 0.5 --intensity self --columns all
same color.ppm --fill-holes --threshold 60

# volumes: components that touch at corners across layers, layers without any, boxes with a hollow and with
# a way out, and noise
python3 - <<'PYTHON'
import random
r = random.Random(14)
W, H, L = 151, 103, 15
at = [[bytearray(W) for _ in range(H)] for _ in range(L)]
for i in range(4, 40, 5):  # lines along x, y and z that meet at a corner in the next layer
    for k in range(3):
        at[k][i][k:k + 1] = b"\xc8"
        at[k][i + k][20 + k] = 200
        at[k][i + (k & 1)][30 + i] = 200
for x, gap in ((60, False), (75, True), (90, False)):  # boxes of 9 x 9 x 5 around nothing; one is in a corner
    y = 94 if x == 90 else 20
    for z in range(4, 9 if x < 90 else 8):
        for j in range(9):
            for i in range(9):
                inside = 0 < i < 8 and 0 < j < 8 and 4 < z < 8
                at[z][y + j][x + i] = 0 if inside else 200
    if gap:
        at[6][y][x + 4] = 0
for z in range(L):
    for y in range(H):
        for x in range(110, W):
            at[z][y][x] = 200 + x % 9 if z not in (3, 4) and r.randrange(5) < 2 else 0
with open("volume.pgm", "wb") as f:
    for layer in at:
        f.write(b"P5\n%d %d\n255\n" % (W, H) + b"".join(layer))
with open("deep-volume.pgm", "wb") as f:
    for layer in at:
        rows = b"".join(bytes(b for v in row for b in (v, r.randrange(256))) for row in layer)
        f.write(b"P5\n%d %d\n65535\n" % (W, H) + rows)
PYTHON
for connectivity in 6 18 26; do
    memory=190K # and bands of other heights
    same volume.pgm --connectivity $connectivity --columns all --intensity self
    same volume.pgm --connectivity $connectivity --fill-holes --columns label,area,edge,surface_area
    memory=210K
    same volume.pgm --connectivity $connectivity --fill-holes --columns all --largest 30 \
        --keep 'sphericity < 2'
    same holes-stack.pgm --fill-holes --connectivity $connectivity --threshold 100 --no-edge
done
memory=240K
same deep-volume.pgm --connectivity 26 --threshold otsu --fill-holes --columns all --intensity self

# files of labels and colours
# drawn NAME ARGUMENTS...: the files are those of the whole image.
drawn() {
    local name=$1
    shift
    go 0 label "$@" -o "whole.$name" --colors whole.ppm
    go 0 label --memory "$memory" "$@" -o "bands.$name" --colors bands.ppm
    that "labels in $name" cmp "whole.$name" "bands.$name"
    that "colours beside $name" cmp whole.ppm bands.ppm
}
memory=230K
for name in pgm npy tif; do drawn $name grey.pgm; done
drawn tif holes.pgm --fill-holes
drawn npy grey.pgm --keep 'area > 20 && perimeter > 9' --no-edge --columns area,perimeter
memory=400K
drawn pgm color.ppm --threshold 60 --largest 3
memory=170K
drawn tif grey.pgm --region 400x201+17+30 --connectivity 4
for name in pgm npy tif; do drawn $name stack.pgm; done # layers by themselves
for memory in 130K 190K; do
    for connectivity in 6 18 26; do
        drawn npy volume.pgm --connectivity $connectivity
        drawn tif volume.pgm --connectivity $connectivity --keep 'area > 2 && surface_area > 9' --largest 40
    done
    drawn pgm volume.pgm --connectivity 26 --fill-holes --no-edge --region 140x100+3+2
done
memory=178K
# outlined FILE ARGUMENTS...: so is the picture of outlines, whatever the height of the bands.
outlined() {
    local sizes=(160K 190K 260K)
    if [[ ${*: -1} = *K ]]; then # 16 and 32 bits take more
        sizes=("${@: -3}")
        set -- "${@:1:$#-3}"
    fi
    go 0 label "$@" --overlay whole.ppm -q
    for memory in "${sizes[@]}"; do
        go 0 label --memory "$memory" "$@" --overlay bands.ppm -q
        that "outlines of $* with $memory" cmp whole.ppm bands.ppm
    done
}
outlined grey.pgm
outlined grey.pgm --keep 'area > 20' --outline labels --connectivity 4
outlined holes.pgm --fill-holes --region 401x301+150+77 --outline '#12ab00'
outlined color.ppm --threshold 60 --region 500x400+11+1
outlined volume.pgm --connectivity 26 --fill-holes 140K 170K 220K
outlined volume.pgm --connectivity 8 110K 140K 220K
outlined deep-volume.pgm --connectivity 6 --threshold 40000 --outline labels 130K 200K 300K
outlined deep.pgm --threshold 40000 260K 300K 700K
outlined real.pfm --threshold 0.5 --region 500x400+11+1 --outline labels 260K 300K 700K
outlined real.pfm --threshold 0.5 --largest 3 260K 300K 700K
memory=178K
python3 -c 'open("row.pgm", "wb").write(b"P5\n601 480\n255\n" + (b"\0\xff" * 300 + bytes(602)) * 240)'
go 0 label row.pgm -o whole.tif -q
go 0 label row.pgm -o bands.tif -q --memory 150K # 72000 labels: 32 bits
"$tool" stats --json whole.tif >whole.json
go 0 stats --json bands.tif
json 'c[0]["max"] == 72000 and d["type"] == "f32"'
that 'many labels' python3 -c '
import json
a, b = (json.load(open(n))["channels"] for n in ("whole.json", "'"$out"'"))
assert a == b'
refused 5 'holds 65535 labels and there are 72000' label row.pgm -o bands.pgm -q --memory 150K

# what needs the whole image says so, and is refused beyond the limit
go 0 label --memory 150K grey.pgm -o whole.png
that 'labels are written to PNG by rows' test -s whole.png
refused 3 'format of an output is written whole' label --memory 100K grey.pgm -o no.webp
go 0 label --memory 100K grey.pgm --report whole.html
that 'a page was made' test -s whole.html
refused 3 'format of an output is written whole' label --memory 100K stack.pgm -o no.png
refused 2 'no state can be made: --fill-holes' label --fill-holes grey.pgm --state no.lgs
refused 3 'raise it with --memory' label --memory 1K grey.pgm
refused 2 'leaves the image' label --memory 100K --region 400x201+370+30 grey.pgm

# the peak of memory, and a limit of the address space
# peak MIB ARGUMENTS...: the tool takes no more. The file $piped comes through a pipe.
piped=
peak() {
    last="${*:2}"
    if python3 - "$1" "$piped" "$tool" "${@:2}" >peak <<'PYTHON'
import resource, subprocess, sys
piped = sys.argv[2] and subprocess.Popen(["cat", sys.argv[2]], stdout=subprocess.PIPE)
subprocess.run(sys.argv[3:], check=True, stdin=piped and piped.stdout or None, stdout=subprocess.DEVNULL)
got = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"{got:.0f} MiB")
sys.exit(got > float(sys.argv[1]))
PYTHON
    then good; else bad "$(cat peak) at the peak, more than $1 MiB"; fi
}
if grep -qaE '__(asan|tsan)_init' "$tool"; then
    skip 15 'sanitizers take memory of their own'
else
    python3 - <<'PYTHON' # a component in every second pixel of every second row, half of them: 2 million
import os
row = [bytes(v for k in os.urandom(4096) for v in (k & 128, 0)) for _ in range(64)]
with open("dots.pgm", "wb") as f:
    f.write(b"P5\n8192 4096\n255\n")
    for y in range(4096):
        f.write(row[y // 2 % 64] if y % 2 else bytes(8192))
PYTHON
    peak 100 label --memory 16M --device cpu --threads 2 --csv --columns label dots.pgm # sums take 134 MB
    rm dots.pgm
    for command in label stats histogram threshold; do
        peak 100 $command --memory 16M --device cpu --threads 2 huge.pgm # the image alone takes 153 MiB
    done
    for pipeline in canny_edge_detection label distance_transform:type=u8 hough_transform swirl \
        rotate:angle=90; do # scratch files hold 0.3 to 1.3 GB
        peak 64 run "$pipeline" --memory 32M --device cpu --threads 2 huge.pgm -o made.npy --scratch .
    done
    # Through a pipe: a TIFF file, whose directory may lie at its end, and more pixels than the heap may hold.
    go 0 run copy -q huge.pgm -o 'huge.tif[compression=none]'
    piped=huge.tif peak 64 run contrast=2 --memory 32M --device cpu --threads 2 - -o made.npy
    printf 'P5\n30000 9000\n255\n' >huger.pgm
    truncate -s 270000018 huger.pgm
    piped=huger.pgm peak 64 stats --memory 32M --device cpu --threads 2 -
    rm made.npy huge.tif huger.pgm
    # a table takes 0.6 GB
    peak 100 areasum --memory 16M --device cpu --threads 2 huge.pgm --box 99x999+0+7 --kind table --scratch .
fi
prefix=(bash -c 'ulimit -v 400000 && exec "$@"' sh)
if [[ $skipped -eq 0 ]]; then
    go 0 label --json --memory 16M --device cpu --threads 2 --columns all huge.pgm
    json 'd["components"] == 1 and d["table"][0]["x"] == 19999 and d["table"][0]["y"] == 7999'
fi
prefix=()
rm -f huge.pgm
cd ..
