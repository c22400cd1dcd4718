# States of components: parts of the rows merge into the table of the whole image, in any order.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p label_states
python3 - <<'PYTHON'
import random, struct
r = random.Random(23)
def pnm(name, kind, width, height, samples, maximum=255):
    open(f"label_states/{name}", "wb").write(b"%s\n%d %d\n%d\n" % (kind, width, height, maximum) + samples)
def blobs(width, height, step):  # cells of noise, so that components cross parts
    across, down = range(width // step + 1), range(height // step + 1)
    rows = [[r.choice((0, 0, 200 + r.randrange(9))) for _ in across] for _ in down]
    return [bytes(rows[y // step][x // step] for x in range(width)) for y in range(height)]
grey = blobs(97, 71, 4)
pnm("grey.pgm", b"P5", 97, 71, b"".join(grey))
pnm("color.ppm", b"P6", 97, 71, b"".join(bytes(v for p in row for v in (p, p // 2, 9)) for row in grey))
pnm("other.pgm", b"P5", 97, 71, r.randbytes(97 * 71))
spiral = [bytearray(61) for _ in range(61)]  # one component that every part cuts many times
x, y, dx, dy, ends = 0, 0, 1, 0, [60, 60, 0, 2]
left, top, right, bottom = 0, 0, 60, 60
while left <= right and top <= bottom:
    for i in range(left, right + 1): spiral[top][i] = 9
    for i in range(top, bottom + 1): spiral[i][right] = 9
    for i in range(left + 1, right + 1): spiral[bottom][i] = 9
    for i in range(top + 2, bottom + 1): spiral[i][left + 1 if left else 1] = 9
    spiral[top + 2][left + 1] = 9
    left, top, right, bottom = left + 2, top + 2, right - 2, bottom - 2
pnm("spiral.pgm", b"P5", 61, 61, b"".join(map(bytes, spiral)))
pnm("corners.pgm", b"P5", 40, 40, bytes(255 * ((i // 40 + i % 40) % 2 == 0) for i in range(1600)))
pnm("empty.pgm", b"P5", 30, 20, bytes(600))
with open("label_states/stack.pgm", "wb") as f:
    for _ in range(3):
        f.write(b"P5\n31 23\n255\n" + b"".join(blobs(31, 23, 3)))
with open("label_states/real.pfm", "wb") as f:
    f.write(b"Pf\n97 71\n-1.0\n")
    for row in reversed(grey):
        f.write(b"".join(struct.pack("<f", p * r.gauss(0, 1)) for p in row))
PYTHON
cd label_states || exit

# parts N "OPTIONS OF THE MEASUREMENT" "OPTIONS OF THE REPORT" FILES...
parts() {
    local n=$1 i measure report
    read -ra measure <<<"$2"
    read -ra report <<<"$3"
    shift 3
    rm -f part*.lgs
    for ((i = 1; i <= n; i++)); do
        go 0 label "${measure[@]}" "$@" --part "$i/$n" --state "part$i.lgs"
    done
    "$tool" label --json "${measure[@]}" "${report[@]}" "$@" >whole.json 2>/dev/null
    mapfile -t order < <(printf '%s\n' part*.lgs | shuf --random-source=<(yes))
    go 0 merge --json "${report[@]}" "${order[@]}"
    if python3 - whole.json "$out" <<'PYTHON'
import json, sys
a, b = ([json.loads(line) for line in open(n)] for n in sys.argv[1:])
for d in a + b:
    d.pop("engine", None)
sys.exit(a != b or not a)
PYTHON
    then good; else bad "the merged table of $* in $n parts differs"; fi
}
columns=label,area,x,y,width,height,cx,cy,orientation,eccentricity
for n in 2 7 30; do parts "$n" '' "--columns $columns" grey.pgm spiral.pgm corners.pgm empty.pgm; done
parts 3 '--connectivity 4' '' grey.pgm spiral.pgm corners.pgm
parts 5 '--connectivity 4' '' stack.pgm
parts 3 '--values' '' grey.pgm
parts 3 '--intensity self' '--columns label,area,sum,mean,stddev,mx,my' grey.pgm
parts 3 '--intensity other.pgm' '--keep mean>120&&area>3 --no-edge --largest 9' grey.pgm
parts 4 '--intensity self' '' real.pfm
parts 3 '--threshold 203' '--preset imagej' grey.pgm
parts 3 '--threshold otsu' '' color.ppm
parts 2 '--threshold triangle' '' stack.pgm
parts 2 '--threshold multi-otsu:3 --stack' '' stack.pgm
parts 3 '--region 50x31+17+20' '--spacing 0.5' grey.pgm
parts 3 '--memory 90K' '' grey.pgm
parts 2 '' '--centers half' grey.pgm

# CSV has the columns once; a merged state has the bytes of any order
parts 4 '' '' grey.pgm spiral.pgm
go 0 merge --csv part*.lgs -o merged.csv
"$tool" label --csv grey.pgm spiral.pgm >whole.csv
that 'CSV is that of one run' cmp merged.csv whole.csv
go 0 merge part3.lgs part1.lgs --state odd.lgs
go 0 merge part4.lgs odd.lgs part2.lgs --state tree.lgs
go 0 merge part*.lgs --state all.lgs
that 'merges in other orders are the same bytes' cmp tree.lgs all.lgs
go 0 merge all.lgs --csv --columns all -q
says 'eccentricity'

# ---- what does not go together -------------------------------------------------------------------------
refused 2 'rows 0 to 16 of grey.pgm are there already' merge part1.lgs part1.lgs
go 0 label grey.pgm spiral.pgm --connectivity 4 --part 2/4 --state foreign.lgs
refused 2 "foreign.lgs: it was measured with 'connectivity 4', the state before with 'connectivity 8'" \
    merge part1.lgs foreign.lgs
go 0 label grey.pgm --intensity other.pgm --state a.lgs
cp other.pgm kept.pgm
cp grey.pgm other.pgm
go 0 label grey.pgm --intensity other.pgm --state b.lgs
cp kept.pgm other.pgm
refused 2 "measured with 'intensity file" merge a.lgs b.lgs
go 0 label grey.pgm --state one.lgs
refused 2 'perimeter needs the shapes' merge one.lgs --columns area,perimeter
refused 2 '--keep needs the shapes' merge one.lgs --keep 'perimeter > 3'
refused 2 'mean needs intensities' merge one.lgs --columns mean
refused 2 'figures of the background' merge one.lgs --preset opencv
go 0 stats grey.pgm --state stats.lgs
refused 2 '--columns is of tables of components, and the states are of stats' merge stats.lgs --columns area
refused 2 '--columns is of the report' label grey.pgm --state a.lgs --columns area
refused 2 'no state can be made: --fill-holes' label grey.pgm --state a.lgs --fill-holes
refused 2 'no state can be made: volumes' label stack.pgm --connectivity 26 --state a.lgs
refused 2 '--colors and --state exclude each other' label grey.pgm --colors a.png --state a.lgs
python3 -c 'b = bytearray(open("part1.lgs", "rb").read()); b[600] ^= 1; open("bad.lgs", "wb").write(b)'
refused 5 'the check sum is wrong' merge bad.lgs
go 0 label grey.pgm spiral.pgm --state done.lgs --resume
go 0 label grey.pgm spiral.pgm --state done.lgs --resume
go 0 merge --csv done.lgs -o merged.csv
that 'a state that was resumed is that of one run' cmp merged.csv whole.csv
cd ..
