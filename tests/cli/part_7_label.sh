# Connected components: tables, presets, selection, label images and pictures, refusals.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- shapes.pgm: a ring, a square in it, a pixel that touches the ring's corner, a line at the edge ----
python3 - <<'PYTHON'
picture = """
............
.#####....77
.#...#......
.#.9.#......
.#...#......
.#####......
......5.....
............
88888888....""".split()
values = {".": 0, "#": 200}
rows = [[values.get(c, int(c) * 10 if c.isdigit() else 0) for c in row] for row in picture]
flat = bytes(v for row in rows for v in row)
open("shapes.pgm", "wb").write(b"P5\n12 9\n255\n" + flat)
open("slices.pgm", "wb").write(b"P5\n12 9\n255\n" + flat + b"P5\n12 9\n255\n" + flat)
open("shapes.ppm", "wb").write(b"P6\n12 9\n255\n" + bytes(v for x in flat for v in (x, x, 0)))
open("weight.pgm", "wb").write(b"P5\n12 9\n255\n" + bytes(range(108)))
PYTHON
go 0 label shapes.pgm
says '4 components, connectivity 8, of what is not 0'
says 'label  area   x  y  width  height'
go 0 label --json shapes.pgm
json '(d["schema"] == "lumagraph.label/1" and d["connectivity"] == 8 and d["components"] == 4 and
    [t["area"] for t in d["table"]] == [17, 2, 1, 8] and [t["label"] for t in d["table"]] == [1, 2, 3, 4])'
json '(d["table"][1] == {"label": 2, "area": 2, "x": 10, "y": 1, "width": 2, "height": 1, "cx": 10.5,
    "cy": 1} and
    d["engine"]["device"] and "threshold" not in d)'
go 0 label --json --connectivity 4 shapes.pgm
json '[t["area"] for t in d["table"]] == [16, 2, 1, 1, 8] and d["connectivity"] == 4'
go 0 label --json -c 8 --fill-holes shapes.pgm
json '[t["area"] for t in d["table"]] == [26, 2, 8] and d["fill_holes"]'
go 0 label --json --values shapes.pgm
json '[t["area"] for t in d["table"]] == [16, 2, 1, 1, 8] and d["definitions"]["foreground"] == "values"'

# thresholds
go 0 label --json --threshold 75 shapes.pgm
json '([t["area"] for t in d["table"]] == [16, 1, 8] and d["threshold"]["level"] == 75 and
    d["threshold"]["method"] == "value")'
go 0 label --json -t otsu shapes.pgm
json '[t["area"] for t in d["table"]] == [16] and d["threshold"]["method"] == "otsu"'
go 0 label --json --threshold value:75 --luma mean shapes.ppm # (80 + 80) / 3 is below
json '[t["area"] for t in d["table"]] == [16]'
go 0 label --json --threshold 0 shapes.ppm
json '[t["area"] for t in d["table"]] == [17, 2, 1, 8]'
go 0 label --json --threshold multi-otsu:3 shapes.pgm
json '[t["area"] for t in d["table"]] == [16]'
go 0 label --json --threshold mean slices.pgm
json 'len(d["threshold"]["levels"]) == 2 and d["threshold"]["levels"][0] == d["threshold"]["level"]'
go 0 label --json --threshold mean --stack slices.pgm
json '"levels" not in d["threshold"]'

# layers
go 0 label --json slices.pgm
json 'd["components"] == 8 and [t["z"] for t in d["table"]] == [0] * 4 + [1] * 4'
go 0 label --json -c 26 slices.pgm
json '(d["components"] == 4 and d["table"][0]["area"] == 34 and d["table"][0]["depth"] == 2 and
    d["table"][0]["cz"] == 0.5)'
go 0 label --json --page 1 slices.pgm
json 'd["components"] == 4 and "z" not in d["table"][0]'

# selection, in this order: --keep, --no-edge, --largest
go 0 label --json --keep 'area>1' shapes.pgm
json '([t["area"] for t in d["table"]] == [17, 2, 8] and [t["label"] for t in d["table"]] == [1, 2, 3] and
    d["keep"] == "area>1" and d["found"] == 4)'
go 0 label --json --no-edge shapes.pgm
json '[t["area"] for t in d["table"]] == [17, 1]'
go 0 label --json --largest 2 shapes.pgm
json '[t["area"] for t in d["table"]] == [17, 8]'
go 0 label --json --no-edge --largest 1 --keep 'area<10' shapes.pgm
json '[t["area"] for t in d["table"]] == [1]'
go 0 label --json --largest 0 shapes.pgm
json 'd["table"] == [] and d["components"] == 0'
go 0 label --json --keep 'width==height && !edge && euler_number<1' shapes.pgm
json '[t["area"] for t in d["table"]] == [17]'
go 0 label --json --region 4x3+2+2 shapes.pgm
json '[(t["area"], t["x"], t["y"]) for t in d["table"]] == [(3, 3, 0), (1, 1, 1)]'

# ---- columns and presets --------------------------------------------------------------------------
go 0 label --csv --columns area,perimeter,euler_number,orientation,extent shapes.pgm
csv '(list(rows[0]) == ["file", "area", "perimeter", "euler_number", "orientation", "extent"] and
    [row["euler_number"] for row in rows] == ["0", "1", "1", "1"] and
    rows[3]["orientation"][:8] == "1.570796")'
csv 'rows[2]["perimeter"] == "0" and float(rows[3]["extent"]) == 1'
go 0 label --json --columns mean,sum,min,max,stddev,mx,my --intensity weight.pgm shapes.pgm
json 'd["table"][3] == {"mean": 99.5, "sum": 796, "min": 96, "max": 103, "stddev": 5.25 ** 0.5,
    "mx": (796 * 3.5 + 42) / 796, "my": 8}'
go 0 label --json --columns all --intensity self shapes.pgm
json 'len(d["table"][0]) == 32 and d["table"][2]["circularity"] is None'
go 0 label --json --columns all -c 26 slices.pgm
json '"orientation" not in d["table"][0] and "mean" not in d["table"][0] and d["table"][0]["major_axis"] > 0'
go 0 label --csv --intensity weight.pgm shapes.pgm
csv 'rows[3]["sum"] == "796" and rows[3]["max"] == "103"'
go 0 label --json --preset skimage --intensity weight.pgm shapes.pgm
json '([d["table"][3]["bbox-%d" % i] for i in range(4)] == [8, 0, 9, 8] and
    (d["table"][3]["centroid-0"], d["table"][3]["centroid-1"]) == (8, 3.5))'
json '(d["table"][3]["intensity_std"] == 5.25 ** 0.5 and d["table"][3]["centroid_weighted-0"] == 8 and
    d["definitions"]["columns"] == "skimage" and d["definitions"]["centers"] == "integer")'
go 0 label --json --preset skimage -c 26 slices.pgm
json '[d["table"][3]["bbox-%d" % i] for i in range(6)] == [0, 8, 0, 2, 9, 8]'
go 0 label --csv --preset opencv shapes.pgm
csv '(len(rows) == 5 and rows[0]["label"] == "0" and rows[0]["CC_STAT_AREA"] == str(108 - 28) and
    [rows[4]["CC_STAT_" + k] for k in "LEFT TOP WIDTH HEIGHT AREA".split()] == ["0", "8", "8", "1", "8"])'
go 0 label --json --preset imagej --intensity weight.pgm shapes.pgm
json '((d["table"][3]["X"], d["table"][3]["Y"], d["table"][3]["BX"]) == (4, 8.5, 0) and
    d["table"][3]["StdDev"] == 6 ** 0.5 and d["table"][3]["RawIntDen"] == 796)'
json 'd["definitions"]["centers"] == "half"'
go 0 label --json --preset imagej slices.pgm
json 'd["table"][4]["Slice"] == 2 and "Mean" not in d["table"][0]'
go 0 label --json --preset clij shapes.pgm
json '[d["table"][3]["BOUNDING_BOX_" + k] for k in "X Y Z END_X END_Y END_Z".split()] == [0, 8, 0, 7, 8, 0]'
go 0 label --json --centers half shapes.pgm
json 'd["table"][3]["cx"] == 4 and d["table"][3]["x"] == 0'
go 0 label --json --preset imagej --centers integer shapes.pgm
json 'd["table"][3]["X"] == 3.5'
go 0 label --csv shapes.pgm half.pgm
csv '[row["file"] for row in rows] == ["shapes.pgm"] * 4 + ["half.pgm"] and rows[4]["area"] == "128"'
go 0 label small.pgm
says '0 components'
go 0 label --json --fill-holes --no-edge --keep area small.pgm
json 'd["table"] == []'

# what the other commands have as well
go 0 label --json --threads 3 --cpu base --device cpu --allow-untrusted --bins 16 -t triangle shapes.pgm
json 'd["threshold"]["method"] == "triangle"'
go 0 label --help
says 'usage: lumagraph label'
refused 3 'max-pixels' label --max-pixels 100 shapes.pgm -o no.webp
refused 3 'max-side' label --max-side 11 shapes.pgm

# ---- labels and pictures ---------------------------------------------------------------------------
look() { # look FILE EXPRESSION: p is a PNM picture of 12 columns, row by row, RGB as tuples
    if python3 - "$1" "$2" <<'PYTHON'
import sys
data = open(sys.argv[1], "rb").read()
kind, size, most, rest = data.split(b"\n", 3)
if kind == b"P6":
    p = [tuple(rest[i:i + 3]) for i in range(0, len(rest), 3)]
elif most == b"65535":
    p = [rest[i] * 256 + rest[i + 1] for i in range(0, len(rest), 2)]
sys.exit(0 if eval(sys.argv[2]) else 1)
PYTHON
    then good; else bad "$1: $2"; fi
}
go 0 label --keep 'area!=2' shapes.pgm -o labels.pgm --colors colors.ppm --overlay overlay.ppm
says 'labels written to labels.pgm'
says 'overlay written to overlay.ppm'
look labels.pgm 'p[13] == 1 and p[22] == 0 and p[12 * 3 + 3] == 2 and p[12 * 6 + 6] == 1 and p[96] == 3'
look colors.ppm 'len(set(p)) == 4 and p[0] == (0, 0, 0)'
look overlay.ppm 'p[13] == (255, 220, 0) and p[22] == (70, 70, 70) and p[0] == (0, 0, 0)'
go 0 label --outline '#0102fF' --overlay overlay.ppm --threshold 0 shapes.ppm
look overlay.ppm 'p[13] == (1, 2, 255)'
go 0 label --outline labels --overlay overlay.ppm --colors colors.ppm shapes.pgm
look overlay.ppm 'len(set(p)) == 5'
go 0 label -o - shapes.pgm
complains '4 components' # the report steps aside
that 'labels on standard output' grep -qa '^P5' "$out"
go 0 label -o labels.npy shapes.pgm
that 'NPY has 32 bits' grep -qa "'<u4'" labels.npy
"$tool" stats grey.png >"$out" 2>"$err"
if grep -q 'build with libvips' "$err"; then
    skip 13 'this build has no libvips'
else
    go 0 label -o labels.png shapes.pgm
    go 0 stats --json labels.png
    json 'd["type"] == "u16" and c[0]["max"] == 4'
    go 0 label -o labels.tif slices.pgm
    go 0 stats --json labels.tif
    json 'd["layers"] == 2 and c[1]["max"] == 8'
    go 0 label -o back.npy --values labels.tif # a label image in, the same labels out
    go 0 label -o direct.npy slices.pgm
    that 'the same labels' cmp -s back.npy direct.npy
    # one component in every other pixel of every other row: more than 65535
    python3 - <<'PYTHON'
open("dots.pgm", "wb").write(b"P5\n520 520\n255\n" + (b"\xff\0" * 260 + bytes(520)) * 260)
PYTHON
    refused 5 '.png holds 65535 labels and there are 67600' label -o dots.png dots.pgm
    go 0 label -q -o dots.tif --json --columns label dots.pgm
    go 0 stats --json dots.tif
    json 'd["type"] == "f32" and c[0]["max"] == 67600' # u32, which is read as floats
    rm -f dots.*
    refused 5 'cannot hold f32 samples; use .tif or .npy' run label:type=f32 shapes.pgm -o none.png
    that 'no type is advised that holds no labels' test -z "$(grep -e --type "$err")"
    refused 5 'use .tif or .npy, or --type u8' run -t f32 color_invert shapes.pgm -o none.png
fi
mkdir -p labels colors
go 0 label --csv shapes.pgm half.pgm -o labels --colors colors
that 'a file for each input' test "$(find labels colors -type f | wc -l)" -eq 4

# ---- in pipelines and graphs ------------------------------------------------------------------------
go 0 label shapes.pgm -o labels.pgm
go 0 run --json label shapes.pgm -o run.pgm
json 'd["outputs"][0]["type"] == "u16" and d["outputs"][0]["channels"] == 1'
that 'the labels of the command' cmp -s labels.pgm run.pgm
go 0 run label shapes.ppm -o run.pgm
that 'what is not black' cmp -s labels.pgm run.pgm
go 0 label -c 4 --threshold otsu shapes.pgm -o labels.pgm
go 0 run 'threshold:level=@otsu | label:connectivity=4' shapes.pgm -o run.pgm
that 'a measured level' cmp -s labels.pgm run.pgm
go 0 run label:connectivity=26:type=f32 slices.pgm -o run.npy
go 0 stats --json run.npy
json 'd["type"] == "f32" and c[0]["max"] == 4 and c[1]["max"] == 4'
# number FIGURE VALUE: what a filter gets, in hundredths
number() {
    go 0 run "fill:color=0,0,0 | brightness:brightness=@#in.$1*0.01" -t f32 shapes.pgm -o run.npy
    go 0 stats --json run.npy
    json "abs(c[0]['mean'] * 100 - $2) < 1e-5"
}
number components 4
number largest.area 17
number largest.width 6
number largest.cy 3.17647059
go 0 run 'label:connectivity=4 #l | fill:color=0,0,0 | brightness:brightness=@#l.components*0.01' -t f32 \
    shapes.pgm -o run.npy
go 0 stats --json run.npy
json 'abs(c[0]["mean"] * 100 - 5) < 1e-5' # the ring's corner is another one
echo '{}' >none.json
if "$tool" run --graph none.json shapes.pgm -o none.npy 2>&1 | grep -q 'build with libjansson'; then
    skip 5 'this build has no libjansson'
else
    cat >graph.json <<'JSON'
{"inputs": ["in"], "outputs": ["labels", "counted"], "nodes": [
    {"name": "labels", "filter": "label", "in": "in", "params": {"connectivity": 4}},
    {"name": "black", "filter": "fill", "in": "in", "params": {"color": [0, 0, 0]}},
    {"name": "half", "filter": "brightness", "in": "black",
     "params": {"brightness": "@labels.components*0.01"}},
    {"name": "counted", "filter": "brightness", "in": "half",
     "params": {"brightness": "@in.largest.area*0.01"}}]}
JSON
    go 0 run --graph graph.json shapes.pgm -t f32 -o labels=labels.npy -o counted=counted.npy
    go 0 stats --json counted.npy
    json 'abs(c[0]["mean"] * 100 - 5 - 17) < 1e-4'
    go 0 stats --json labels.npy
    json 'abs(c[0]["max"] * 65535 - 5) < 1e-4'
fi
python3 - <<'PYTHON'
open("dots.pgm", "wb").write(b"P5\n131071 1\n255\n" + b"\xff\0" * 65535 + b"\xff")
PYTHON
refused 3 '65536 components, and labels of u16 end at 65535; type=f32' run label dots.pgm -o none.pgm
go 0 run label:type=f32 dots.pgm -o dots.npy
go 0 stats --json dots.npy
json 'c[0]["max"] == 65536'
refused 2 'one of 4|8|6|18|26 is wanted' run label:connectivity=5 shapes.pgm -o none.pgm
refused 2 'did you mean @components' run contrast:contrast=@component shapes.pgm -o none.pgm
refused 2 'of the largest component there are' run contrast:contrast=@largest.size shapes.pgm -o none.pgm
that 'nothing was written' test ! -e none.pgm
rm -f dots.*

# ---- the same on Vulkan -----------------------------------------------------------------------------
if [[ ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]] && "$tool" devices --json |
    grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    for how in '' '-c 4 --preset skimage' '--threshold otsu --intensity self'; do
        read -ra chosen <<<"$how"
        go 0 label --csv "${chosen[@]}" shapes.pgm -o cpu.npy
        cp "$out" cpu.csv
        go 0 label --csv "${chosen[@]}" --device vulkan shapes.pgm -o vulkan.npy
        that 'the same report' cmp -s cpu.csv "$out"
        that 'the same labels' cmp -s cpu.npy vulkan.npy
    done
    go 0 run --device vulkan 'threshold:level=@otsu | label:connectivity=4' shapes.pgm -o vulkan.pgm
    go 0 run --device cpu 'threshold:level=@otsu | label:connectivity=4' shapes.pgm -o cpu.pgm
    that 'the same pipeline' cmp -s cpu.pgm vulkan.pgm
else
    skip 15 'no Vulkan device'
fi

# ---- refusals ---------------------------------------------------------------------------------------
refused 2 'needs an input file' label
refused 2 "'are>5': expression, character 1, at \"are>5\": there is no column 'are'; did you mean area?" \
    label --keep 'are>5' shapes.pgm
refused 2 'equality is ==' label --keep 'area=5' shapes.pgm
refused 2 'comparisons do not chain' label --keep '1<area<5' shapes.pgm
refused 2 "--keep 'mean>3' needs --intensity FILE" label --keep 'mean>3' shapes.pgm
refused 2 '--columns stddev needs --intensity FILE' label --columns area,stddev shapes.pgm
refused 2 "there is no column 'perimeterr'; did you mean perimeter?" label --columns perimeterr shapes.pgm
refused 2 'area stands there twice' label --columns area,x,area shapes.pgm
refused 2 'there is no column' label --columns area, shapes.pgm
refused 2 '--columns and --preset exclude each other' label --columns area --preset clij shapes.pgm
refused 2 'allowed are default, skimage, opencv, imagej, clij' label --preset matlab shapes.pgm
refused 2 'allowed are 4, 8, 6, 18, 26' label --connectivity 5 shapes.pgm
refused 2 'a number in stored units, or a method: ' label --threshold otzu shapes.pgm
refused 2 '--values and --threshold exclude each other' label --values --threshold 3 shapes.pgm
refused 2 '--values and --fill-holes exclude each other' label --values --fill-holes shapes.pgm
refused 2 '--bins is for methods' label --bins 9 shapes.pgm
refused 2 '3 channels, and components are of one: --threshold' label rgb.ppm
refused 2 '2 channels, and components are of one: --threshold' label alpha.pam
refused 2 '--intensity self: 3 channels' label --threshold otsu --intensity self rgb.ppm
refused 2 '3 channels; --intensity takes an image of one channel' label --intensity rgb.ppm shapes.pgm
refused 2 'has 12 x 9 x 1 samples and the image of --intensity 16 x 16 x 1' \
    label --intensity ramp.pgm shapes.pgm
refused 5 'No such file' label --intensity none.pgm shapes.pgm
refused 2 'cannot be standard input' label --intensity - shapes.pgm
refused 2 'orientation is a figure of planes; connectivity 26 joins the 2 layers' \
    label -c 26 --columns orientation slices.pgm
refused 2 'circularity is a figure of planes' label -c 6 --keep 'circularity>0.5' slices.pgm
refused 2 '--preset opencv is for one layer and there are 2: --page N' label --preset opencv slices.pgm
refused 2 'leaves the image of 12x9 pixels' label --region 40x40 shapes.pgm
refused 2 'allowed are whole numbers from 0' label --largest -1 shapes.pgm
refused 2 'allowed are a colour, #rrggbb, and labels' label --overlay o.ppm --outline red shapes.pgm
refused 2 '--outline is the colour of --overlay' label --outline labels shapes.pgm
refused 2 "-o and --colors both name 'same.ppm'" label -o same.ppm --colors same.ppm shapes.pgm
refused 2 '--colors colors.xyz: the extension names no image format' label --colors colors.xyz shapes.pgm
refused 2 '--overlay one.ppm: several inputs need a folder' \
    label --overlay one.ppm shapes.pgm half.pgm
refused 2 'is an input of this command' label -o shapes.pgm shapes.pgm
refused 2 'is an input of this command' label --intensity weight.pgm --colors weight.pgm shapes.pgm
refused 2 '--json and --csv exclude each other' label --json --csv shapes.pgm
refused 3 'MB; the limit is 1e-06 MB: raise it' label --memory-limit 1 shapes.pgm
go 1 label --csv slices.pgm shapes.pgm half.pgm # other columns without layers
lines 2
csv 'len(rows) == 8'
go 1 label --json none.pgm shapes.pgm
lines 1
