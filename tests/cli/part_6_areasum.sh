# Area sums: boxes, polygons, masks, densities; what is wrong in a CSV file is named with its line.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- boxes: ramp.pgm has 16 x 16 samples 16 y + x ----------------------------------------------------
go 0 areasum --box 2x2+1+0 ramp.pgm
says 'x  y  width  height  channel  sum  mean'
says '1  0      2       2  grey      38   9.5' # 1 + 2 + 17 + 18
go 0 areasum --json --box 2x2+1+0 -b 16x16 --figure sum,mean,variance,min,max,count ramp.pgm
json 'd["schema"] == "lumagraph.areasum/1" and d["kind"] == "ripmap" and d["channels"] == ["grey"]'
json 'd["results"][0] == {"x": 1, "y": 0, "width": 2, "height": 2, "sum": [38], "mean": [9.5],
    "variance": [64.25], "min": [1], "max": [18], "count": [4]}'
json 'd["results"][1]["sum"] == [32640] and d["results"][1]["variance"] == [5461.25]'
json 'd["engine"]["device"] and d["build_seconds"] >= 0 and d["query_seconds"] >= 0'
for kind in table ripmap; do
    go 0 areasum --json --kind $kind --box 3x5+4+2 --figure sum,mean,variance,count,count_above --above 100 \
        ramp.pgm
    json "d['kind'] == '$kind'"' and d["results"][0]["sum"] == [1035] and d["results"][0]["mean"] == [69]'
    json 'd["results"][0]["count"] == [15] and d["results"][0]["count_above"] == [2]' # 101, 102
    json 'abs(d["results"][0]["variance"][0] - (256 * 2 + 2 / 3)) < 1e-9'
done
go 0 areasum --json --box 16x16 --figure histogram --bins 4 ramp.pgm
json 'd["results"][0]["histogram"] == [[64] * 4] and (d["bins"], d["lo"], d["hi"]) == (4, 0, 255)'
go 0 areasum --json --box 4x1+0+1 --figure histogram --bins 3 --range 16:19 ramp.pgm
json 'd["results"][0]["histogram"] == [[2, 1, 1]]' # 16, 17, 18 and 19
go 0 areasum --json --box 4x2 --figure histogram,count --range auto --bins 5 nan.npy
json 'd["results"][0]["histogram"] == [[2, 1, 1, 0, 1]] and d["results"][0]["count"] == [5]'
json 'd["ignored"] == 3 and (d["lo"], d["hi"]) == (0.25, 4)'
go 0 areasum --csv --box 1x2+3+0 rgb.ppm
csv '[row["name"] for row in rows] == ["r", "g", "b"]'
csv 'rows[0]["x"] == "3" and rows[0]["height"] == "2"'
csv '[int(row["sum"]) for row in rows] == [9 * 7 + 21 * 7 + 2 * 7 * k for k in range(3)]'
go 0 areasum --csv --figure histogram --bins 2 --box 16x8 ramp.pgm half.pgm
csv '[(row["bin_0"], row["bin_1"]) for row in rows] == [("128", "0"), ("64", "64")]'
go 0 areasum --json --box 300x300 deep.pgm
json 'd["results"][0]["sum"] == [65535 * 90000] and isinstance(d["results"][0]["sum"][0], int)'
go 0 areasum --json --box 2x1+0+1 --page 1 frames.pgm
json 'd["results"][0]["sum"] == [2]'
go 0 areasum --json --box 4x2 --plain nan.npy
json 'd["results"][0]["sum"] == [7.75] and d["kind"] == "table"'
go 0 areasum --json --box 2x1 --memory-limit 1K nan.npy
json 'd["results"][0]["sum"] == [3]'
go 0 areasum --box 2x2 -o sums.txt ramp.pgm
silent
that 'the report is in its file' grep -q '34   8.5' sums.txt

# layers are the third axis
go 0 areasum --json --box 2x1x2+0+1+1 frames.pgm
json 'd["results"][0] == {"x": 0, "y": 1, "z": 1, "width": 2, "height": 1, "depth": 2, "sum": [6],
    "mean": [1.5]}'
printf 'x,y,z,width,height,depth\n0,0,0,1,1,3\n' >solid.csv
go 0 areasum --csv --boxes solid.csv frames.pgm
csv 'rows[0]["depth"] == "3" and rows[0]["sum"] == "3"'
refused 2 '3 layers; boxes need z and depth' areasum --box 1x1 frames.pgm
refused 2 'without z and depth' areasum --boxes solid.csv ramp.pgm
refused 2 'two axes, or all three' areasum --box 1x1 --box 1x1x1 ramp.pgm
printf 'P5\n2 2\n255\n\377\0\0\377' >two.pgm
go 0 areasum --json --mask two.pgm -f sum,count frames.pgm
json 'd["results"][0]["count"] == [6] and d["results"][0]["sum"] == [6] and d["definitions"]["layers"] == 3'
go 0 areasum --json --mask two.pgm --layers 1+2 -f count -p 50 frames.pgm
json 'd["definitions"]["first_layer"] == 2 and "50" in d["results"][0]["percentiles"]'
refused 2 '3 layers; --layers 2+2 reaches beyond them' areasum --mask two.pgm --layers 2+2 frames.pgm
refused 2 'allowed is N+Z' areasum --mask two.pgm --layers 2 frames.pgm
refused 2 'is for polygons and masks' areasum --box 1x1x1 --layers 1+0 frames.pgm
go 0 areasum --csv -b 16x16 -p 0,50,100 ramp.pgm
csv '[rows[0][p] for p in ("p0", "p50", "p100")] == ["0", "127.5", "255"]'
go 0 areasum --json -b 2x1+0+0 -b 16x16 -f mx,var_x,cov_xy,sum ramp.pgm
json 'd["results"][0] == {"x": 0, "y": 0, "width": 2, "height": 1, "mx": [1], "var_x": [0], "cov_xy": [0],
    "sum": [1]}'
json 'd["results"][1]["mx"][0] == sum(x * (16 * y + x) for x in range(16) for y in range(16)) / 32640'
refused 2 'is of boxes' areasum --mask half.pgm -f my ramp.pgm
go 0 areasum -b 16x16 -p 25 -f sum ramp.pgm
says 'p25'
refused 2 'percentiles needs a ripmap' areasum --kind table -b 1x1 -p 50 ramp.pgm

# CSV files: with a header and without, quotes, blanks, other line ends
printf 'X,Y,Width,Height\n1,0,2,2\n' >head.csv
printf '1,0,2,2' >bare.csv
printf '\xef\xbb\xbf"x","y","width","height"\r\n\r\n 1, "0",2 ,\t2\r\n' >odd.csv
for file in head bare odd; do
    go 0 areasum --csv --boxes $file.csv ramp.pgm
    csv 'len(rows) == 1 and rows[0]["sum"] == "38"'
done
go 0 areasum --csv --boxes - ramp.pgm <head.csv
csv 'rows[0]["sum"] == "38"'

# the same boxes, one by one and added up here
python3 - <<'PYTHON'
import random
random.seed(4)
with open("many.csv", "w") as out, open("many.txt", "w") as sums:
    for _ in range(3000):
        x, y = random.randrange(16), random.randrange(16)
        w, h = random.randrange(1, 17 - x), random.randrange(1, 17 - y)
        out.write("%d,%d,%d,%d\n" % (x, y, w, h))
        sums.write("%d\n" % sum(16 * j + i for j in range(y, y + h) for i in range(x, x + w)))
PYTHON
go 0 areasum --csv --boxes many.csv --figure sum ramp.pgm
csv '[row["sum"] for row in rows] == open("many.txt").read().split()'

# ---- polygons and masks ------------------------------------------------------------------------------
printf '%s\n' polygon,x,y left,0,0 left,8,0 left,8,16 left,0,16 tip,1,1 tip,3.5,1 tip,1,3.5 \
    away,90,0 away,99,0 away,99,9 >polygons.csv
go 0 areasum --json --polygons polygons.csv --figure sum,count,mean,max ramp.pgm
json '[x["polygon"] for x in d["results"]] == ["left", "tip", "away"]'
json 'd["results"][0]["count"] == [128] and d["results"][0]["sum"] == [15808]'
json 'd["results"][0]["max"] == [247]'
json 'd["results"][1]["count"] == [3] and d["results"][1]["sum"] == [17 + 18 + 33]' # not 34, on the slope
json 'd["results"][2] == {"polygon": "away", "sum": [0], "count": [0], "mean": [None], "max": [None]}'
printf 'polygon,ring,x,y\n' >rings.csv
for ring in '0 4' '1 3'; do
    read -r low high <<<"$ring"
    printf "a,$ring,%s,%s\n" "$low" "$low" "$high" "$low" "$high" "$high" "$low" "$high" >>rings.csv
done
go 0 areasum --csv --polygons rings.csv --figure count,sum,histogram --bins 2 --range 0:50 ramp.pgm
csv 'rows[0]["polygon"] == "a" and rows[0]["count"] == "12"'
csv 'rows[0]["sum"] == "306" and rows[0]["bin_0"] == "6"'
go 0 areasum --csv --polygons rings.csv --winding non-zero --figure count ramp.pgm
csv 'rows[0]["count"] == "16"'
go 0 areasum --json --mask half.pgm --figure sum,count,variance,min ramp.pgm
json 'd["results"] == [{"mask": "half.pgm", "sum": [15808], "count": [128], "variance": [5445.25],
    "min": [0]}]'
refused 2 'the mask has 4x4 pixels; it must have 16x16' areasum --mask small.pgm ramp.pgm

# ---- densities: boxes of Gaussians, against the error function -----------------------------------------
within() { # so many deviations to either side, along so many axes
    json "abs(d['results'][0]['probability'][0] - math.erf($1 / math.sqrt(2)) ** $2) < 1e-6"
}
go 0 areasum --json --density --box 80x1+280+0 gauss1.npy # deviation 40: one to each side
within 1 1
go 0 areasum --json --density --box 80x80+120+120 gauss2.npy # deviation 20: two
within 2 2
go 0 areasum --json --density --kind ripmap --box 80x80+120+120 gauss2.npy
within 2 2
go 0 areasum --json --density --box 20x20x20+30+30+30 gauss3.npy # deviation 5: two
within 2 3
go 0 areasum --csv --density --figure sum --box 8x16 ramp.pgm
csv 'rows[0]["sum"] == "15808" and float(rows[0]["probability"]) == 15808 / 32640'
refused 2 'nowhere negative' areasum --density --box 1x1 minus.npy
refused 2 'add up to 0' areasum --density --box 1x1 small.pgm

# ---- arrays of any number of axes: boxes of ranges -----------------------------------------------------
python3 - <<'PYTHON'
import itertools, struct


def write(name, kind, letter, shape, fortran, value):
    axes = [range(n) for n in shape]
    order = sorted(itertools.product(*axes), key=(lambda i: i[::-1]) if fortran else None)
    samples = struct.pack("<%d%s" % (len(order), letter), *map(value, order))
    head = "{'descr': '<%s', 'fortran_order': %s, 'shape': (%s,), }" % (
        kind, fortran, ", ".join(map(str, shape)))
    head = head.ljust(117) + "\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + samples)


def digits(index):
    return sum(i * 10 ** (len(index) - 1 - axis) for axis, i in enumerate(index)) - 1000


for fortran in (False, True):
    write("four_%s.npy" % "cf"[fortran], "i4", "i", (2, 3, 4, 2), fortran, digits)
write("one_axis.npy", "f4", "f", (5,), False, lambda i: i[0] / 4)
write("seven.npy", "f4", "f", (1,) * 7, False, lambda i: 1)
write("wide.npy", "i8", "q", (3,), False, lambda i: 10 ** (5 * i[0]))
write("ramp.npy", "i4", "i", (9, 9), False, lambda i: 9 * i[0] + i[1])
write("smooth.npy", "i4", "i", (9,), False, lambda i: 3 * (i[0] == 3))
write("wide_rows.npy", "i4", "i", (3, 65537), False, lambda i: 2 ** 31 - 1)
write("past.npy", "i8", "q", (2,), False, lambda i: 2 ** 53 + i[0])
write("doubles.npy", "f8", "d", (4,), True, lambda i: (1e16, 1, -1e16, 0)[i[0]])
write("large.npy", "i4", "i", (3, 2), False, lambda i: 2 ** 31 - 1)
PYTHON
for order in c f; do
    go 0 areasum --json -b 1:2,:,1:3,0:1 -b 0:1,2:,:1,1:2 -f sum,mean,min,max,count four_$order.npy
    json 'd["shape"] == [2, 3, 4, 2] and d["type"] == "i32" and d["channels"] == ["value"]'
    json 'd["results"][0] == {"first": [1, 0, 1, 0], "end": [2, 3, 3, 1], "sum": [690], "mean": [115],
        "min": [10], "max": [220], "count": [6]}'
    json 'd["results"][1] == {"first": [0, 2, 0, 1], "end": [1, 3, 1, 2], "sum": [-799], "mean": [-799],
        "min": [-799], "max": [-799], "count": [1]}'
done
go 0 areasum --csv -b 1:4 -f sum,count,variance one_axis.npy
csv 'rows[0]["first_0"] == "1" and rows[0]["end_0"] == "4" and rows[0]["name"] == "value"'
csv '(rows[0]["sum"], rows[0]["count"], float(rows[0]["variance"])) == ("1.5", "3", 1 / 24)'
go 0 areasum -b 1:2,:,1:3,0:1 four_c.npy
says 'four_c.npy: array of 2 x 3 x 4 x 2, i32, npy'
says '1:2,0:3,1:3,0:1  value    690   115'
printf 'first_0,first_1,first_2,first_3,end_0,end_1,end_2,end_3\n1,0,1,0,2,3,3,1\n' >ranges.csv
go 0 areasum --csv --boxes ranges.csv -f sum -p 0,100 four_f.npy
csv 'rows[0]["sum"] == "690" and rows[0]["end_1"] == "3"'
go 0 areasum --json --density -b 1:4 one_axis.npy
json 'd["results"][0]["probability"] == [0.6]'
go 0 areasum --json -b :,: -f sum large.npy
json 'd["results"][0]["sum"] == [6 * (2 ** 31 - 1)]'
go 0 areasum --json -b : - <one_axis.npy
json 'd["results"][0]["sum"] == [2.5] and d["file"] == "-"'
go 0 areasum --json -b 3:6 -b 0:3 -f smooth,mean --order 2 smooth.npy
json 'd["results"] == [{"first": [3], "end": [6], "smooth": [2 / 3], "mean": [1]},
    {"first": [0], "end": [3], "smooth": [3 / 8], "mean": [0]}]'
json 'd["definitions"]["order"] == 2 and d["definitions"]["smooth_unit"] == 1'
go 0 areasum --csv -b 3x3+5+5 -f smooth ramp.pgm
csv 'float(rows[0]["smooth"]) == 16 * 6 + 6' # of a ramp: the centre
go 0 areasum --json -b 4x2+6+7 --angle 90 --parts 1 -f sum,count,mean ramp.pgm
json 'd["results"][0]["boxes"] == 1 and d["results"][0]["missing"] == d["results"][0]["extra"] == 0'
json 'd["results"][0]["sum"] == [sum(16 * y + x for y in (6, 7, 8, 9) for x in (7, 8))]'
json 'd["results"][0]["count"] == [8] and (d["definitions"]["angle"], d["definitions"]["parts"]) == (90, 1)'
go 0 areasum --csv -b 10x4+3+6 -b 3x3 --angle 30 -f count,max -p 50 ramp.pgm
csv 'rows[0]["count"] == rows[0]["pixels"] and rows[0]["missing"] == "0" and int(rows[1]["boxes"]) <= 16'
go 0 areasum -b 10x4+3+6 --angle 30 --parts 2 ramp.pgm
says 'boxes turned by 30 degrees: at most 2 boxes for each'
go 0 areasum --json -b 2:5,1:8 --angle -45 --parts 3 -f sum ramp.npy
json 'd["results"][0]["boxes"] <= 3'
refused 2 'a number of degrees' areasum -b 3x3 --angle steep ramp.pgm
refused 2 'is for boxes that are turned' areasum -b 3x3 --parts 4 ramp.pgm
refused 2 'turns boxes, not polygons' areasum --mask half.pgm --angle 4 ramp.pgm
refused 2 'is of boxes that are not turned' areasum -b 3x3 --angle 4 -f smooth ramp.pgm
refused 2 'has 4 axes; --angle turns boxes of two' areasum -b :,:,:,: --angle 4 four_c.npy
refused 2 'box 2 has a side of 2; a window' areasum -b 3x3 -b 2x3 -f smooth ramp.pgm
refused 2 '--order is that of --figure smooth' areasum -b 3x3 --order 2 ramp.pgm
refused 3 'do not fit 64 bits' areasum -b :,: -f smooth --order 4 wide_rows.npy
refused 2 'is of boxes' areasum --mask half.pgm -f smooth ramp.pgm
refused 2 'the shape (2, 3, 4, 2), 4 axes; a box has 2 ranges' areasum -b 1:2,: four_c.npy
refused 2 'the shape (5,), 1 axis; a box has 2 ranges' areasum -b 1:2,: one_axis.npy
refused 2 '--box 0:6 reaches outside the array of shape (5,): along axis 0, 0:5' areasum -b :6 one_axis.npy
refused 2 '--box 5:5 is empty: axis 0 of the shape (5,) ends at 5' areasum -b 5: one_axis.npy
refused 2 'END must be above FIRST' areasum -b 3:3 one_axis.npy
refused 2 'END must be above FIRST' areasum -b 3:4,,: one_axis.npy
refused 2 'up to 6 axes' areasum -b :,:,:,:,:,:,: seven.npy
refused 2 '7 axes; area sums take 1 to 6' areasum -b : seven.npy
refused 2 'do not go together' areasum -b 1:2 -b 4x4 one_axis.npy
refused 2 'the same number of ranges; the first has 1' areasum -b 1:2 -b 1:2,: one_axis.npy
refused 2 '--page is of images' areasum -b 1:2 --page 0 one_axis.npy
refused 5 'is not an .npy file' areasum -b 1:2,: ramp.pgm
go 0 areasum --json -b : wide.npy
json 'd["type"] == "f64" and d["results"][0]["sum"] == [10000100001]'
refused 5 'element 1 of the file is 9007199254740993; area sums take integers' areasum -b : past.npy
go 0 areasum --json -b : -f sum,mean,min,max,count doubles.npy
json 'd["results"][0] == {"first": [0], "end": [4], "sum": [1.0], "mean": [0.25], "min": [-1e16],
    "max": [1e16], "count": [4]} and d["unit"] < 2.0 ** -60'
refused 2 'these are samples of f64' areasum -b : --plain doubles.npy
refused 3 'squares of these 32-bit samples do not fit' areasum -b :,: -f variance large.npy
refused 3 '(5,): 5 elements; the limit is 4' areasum -b : --max-pixels 4 one_axis.npy
printf 'first_0,end_0\n1,2\n4,3\n' >ranges.csv
refused 2 'ranges.csv: line 3: the box is empty: along axis 0 it goes from 4 to 3' areasum \
    --boxes ranges.csv one_axis.npy
printf 'first_0,end_0\n1,2\n-1,3\n' >ranges.csv
refused 2 'ranges.csv: line 3: box -1:3 reaches outside' areasum --boxes ranges.csv one_axis.npy

# ---- the same figures on Vulkan -------------------------------------------------------------------------
if [[ ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]] && "$tool" devices --json |
    grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    for shapes in '--boxes many.csv' '--polygons polygons.csv' '--mask half.pgm'; do
        for figures in sum,mean,variance,count min,max,histogram; do
            read -ra chosen <<<"$shapes --figure $figures"
            go 0 areasum --csv "${chosen[@]}" ramp.pgm
            cp "$out" cpu.csv
            go 0 areasum --csv "${chosen[@]}" --device vulkan ramp.pgm
            that 'the same report' cmp -s cpu.csv "$out"
        done
    done
    go 0 areasum --json --density --device vulkan --box 80x80+120+120 gauss2.npy
    within 2 2
    go 0 areasum --json --device vulkan -b 1:2,:,1:3,0:1 four_f.npy
    json '"axes" in d["engine"]["fallback"] and d["results"][0]["sum"] == [690]'
    go 0 areasum --json --device vulkan -b 3x3+5+5 -f sum,smooth ramp.pgm
    json 'not d["engine"].get("fallback") and d["results"][0]["smooth"] == [102]'
    go 0 areasum --json --device vulkan -b : -f sum,variance doubles.npy
    json 'not d["engine"].get("fallback") and d["results"][0]["sum"] == [1]'
    go 0 areasum --json --device vulkan -b 1:4 one_axis.npy
    json 'not d["engine"]["fallback"] and d["results"][0]["sum"] == [1.5]'
else
    skip 29 'no Vulkan device'
fi

# ---- refusals ----------------------------------------------------------------------------------------
refused 2 'areasum needs shapes' areasum ramp.pgm
refused 2 'exclude each other' areasum --box 1x1 --boxes head.csv ramp.pgm
refused 2 'needs an input file' areasum --box 1x1
refused 2 'cannot be the image and the shapes' areasum --boxes - - <head.csv
refused 2 'WxH+X+Y' areasum --box 0x4+1+1 ramp.pgm
refused 2 'WxH+X+Y' areasum --box 4x-4 ramp.pgm
refused 2 '--box 2x2+15+0 reaches outside the image of 16 x 16' areasum --box 2x2+15+0 ramp.pgm
refused 2 'allowed are, joined by commas, sum, mean' areasum --box 1x1 --figure sum,, ramp.pgm
refused 2 'needs a ripmap' areasum --box 1x1 --kind table --figure max ramp.pgm
refused 2 'needs --above' areasum --box 1x1 --figure count_above ramp.pgm
refused 2 'for histograms' areasum --box 1x1 --bins 3 ramp.pgm
refused 2 'allowed are ignore, error' areasum --box 1x1 --nan propagate ramp.pgm
refused 5 'not finite' areasum --box 1x1 --nan error nan.npy
refused 2 '500M or 16G' areasum --box 1x1 --memory-limit 4Q ramp.pgm
refused 3 'A table of sums needs' areasum --box 1x1 --kind ripmap --memory-limit 2K ramp.pgm
refused 3 'needs' areasum --box 1x1 --figure histogram --bins 65536 --memory-limit 1M ramp.pgm
refused 2 'is an input' areasum --boxes head.csv ramp.pgm -o head.csv
refused 5 'No such file' areasum --boxes none.csv ramp.pgm
refused 5 'is a folder' areasum --boxes folder ramp.pgm
go 1 areasum --csv --boxes many.csv small.pgm ramp.pgm
lines 1
csv 'len(rows) == 3000'

# one bad line: 'TEXT|LINES'
bad_boxes() {
    printf '%b' "$2" >bad.csv
    refused 2 "bad.csv: $1" areasum --boxes bad.csv ramp.pgm
}
bad_boxes "line 2: width 'nan' is not a whole number" 'x,y,width,height\n1,2,nan,4\n'
bad_boxes "line 2: y '' is not a whole number" '1,2,3,4\n1,,3,4\n'
bad_boxes "line 1: x 'left' is not" 'left,top,width,height\n1,2,3,4\n'
bad_boxes "line 1: height '4.5' is not" '1,2,3,4.5\n'
bad_boxes "line 1: x '99999999999999999999' is not" '99999999999999999999,2,3,4\n'
bad_boxes 'line 4: the box is empty: its width is 0' 'x,y,width,height\n1,2,3,4\n\n1,2,0,4\n'
bad_boxes 'line 2: the box is empty: its height is -4' '1,2,3,4\n1,9,3,-4\n'
bad_boxes 'line 1: has 3 columns; the columns are x,y,width,height or x,y,z' '1,2,3\n'
bad_boxes 'line 2: has 5 columns; the lines before have 4' '1,2,3,4\n1,2,3,4,5\n'
bad_boxes 'line 1: has 10 columns; the columns are x,y,width,height or x,y,z' '1,2,3,4,5,6,7,8,9,10\n'
bad_boxes 'line 2: has more than 4094 bytes' "1,2,3,4\n$(printf '%5000s' 1)"
bad_boxes 'line 1: has more than 4094 bytes, or bytes that are no text' '\0000,2,3,4\n1,2,3,4\n'
bad_boxes 'has no boxes' 'x,y,width,height\n'
bad_boxes 'has no boxes' ''
printf '1,2,3,4\n\n1,2,16,4\n-1,2,3,4\n' >bad.csv
refused 2 'bad.csv: line 3: box 16x4+1+2 reaches outside the image of 16 x 16 pixels' \
    areasum --boxes bad.csv ramp.pgm
printf '0,0,1,1\n-1,2,3,4\n' >bad.csv
refused 2 'line 2: box 3x4-1+2 reaches outside' areasum --boxes bad.csv ramp.pgm
awk 'BEGIN { for (i = 1; i <= 1000000; i++) print i == 654321 ? "1,2,x,4" : "1,2,3,4" }' >million.csv
refused 2 "million.csv: line 654321: width 'x'" areasum --boxes million.csv ramp.pgm
bad_polygons() {
    printf '%b' "$2" >bad.csv
    refused 2 "bad.csv: $1" areasum --polygons bad.csv ramp.pgm
}
bad_polygons "line 2: polygon 'a' has 2 points; at least 3 are needed" 'polygon,x,y\na,0,0\na,1,1\n'
bad_polygons "line 1: polygon 'a' has 1 point;" 'a,0,0\nb,1,1\nb,1,2\nb,2,2\n'
bad_polygons "line 1: polygon 'a' has a ring of 1 point;" 'a,1,0,0\na,1,9,0\na,1,9,9\na,2,1,1\n'
bad_polygons "line 3: x 'nan' is not a finite number" 'polygon,x,y\na,0,0\na,nan,1\na,1,2\n'
bad_polygons "line 2: y '-inf' is not a finite number" 'a,0,0\na,0,-inf\na,1,2\n'
bad_polygons "line 7: polygon 'a' began on line 1" \
    'a,0,0\na,1,0\na,1,1\nb,0,0\nb,3,0\nb,3,3\na,3,9\na,9,9\na,9,0\n'
bad_polygons 'line 1: has 5 columns; the columns are polygon,x,y or polygon,ring,x,y' 'a,b,c,1,1\n'
printf 'a,0,0\na,1e300,1\na,1,2\n' >bad.csv
refused 2 'polygon a: point 1 of ring 0: x is 1e+300' areasum --polygons bad.csv ramp.pgm
rm million.csv

go 0 areasum --help
says 'usage: lumagraph areasum'
go 0 areasum --quiet --threads 1 --cpu base --device cpu --max-pixels 256 --max-side 16 \
    --allow-untrusted --csv --box 2x2 ramp.pgm
csv 'len(rows) == 1'
refused 3 'max-pixels is 255' areasum --max-pixels 255 --box 2x2 ramp.pgm
refused 3 'max-side is 15' areasum --max-side 15 --box 2x2 ramp.pgm

# ---- floats: one unit for a structure ------------------------------------------------------------------
python3 - <<'PYTHON'
import struct


def write(name, rows):
    height, width = len(rows), len(rows[0])
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (height, width)
    head = head.ljust(117) + "\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for row in rows:
            out.write(struct.pack("<%df" % width, *row))


write("huge.npy", [[2.0 ** 67, -(2.0 ** 67), 2.0 ** 68, 0]])
write("tiny.npy", [[2.0 ** -140, -(2.0 ** -140), 2.0 ** -139, 0]])
write("top.npy", [[2.0 ** 127, 2.0 ** 127]])
write("far.npy", [[100000 + k / 128 for k in range(16)]] * 2)
write("mixed.npy", [[0.5, -0.25, 3, 1000.125]])
PYTHON
same() { # FILE BOX: asks for extremes and bins beside the variance, and for either kind
    go 0 areasum --json --box "$2" -f sum,mean,variance "$1"
    json 'd["kind"] == "table" and open("first.txt", "w").write(repr([d["unit"],
        [d["results"][0][f] for f in ("sum", "mean", "variance")]]))'
    for how in '-f sum,mean,variance,min,histogram' '--kind ripmap -f sum,mean,variance'; do
        # shellcheck disable=SC2086 # several words
        go 0 areasum --json --box "$2" $how "$1"
        json 'd["kind"] == "ripmap" and open("first.txt").read() == repr([d["unit"],
            [d["results"][0][f] for f in ("sum", "mean", "variance")]])'
    done
}
same huge.npy 4x1
json 'd["results"][0]["variance"] == [1.25 * 2.0 ** 134]' # of 1, -1, 2, 0: 6/4 - 1/4
same tiny.npy 4x1
json 'd["results"][0]["variance"] == [1.25 * 2.0 ** -280]'
same top.npy 2x1
json 'd["results"][0]["sum"] == [2.0 ** 128] and d["results"][0]["variance"] == [0]'
same far.npy 16x2
json 'd["results"][0]["variance"] == [21.25 / 128 ** 2]' # (16² - 1) / 12
same mixed.npy 4x1
json 'd["results"][0]["variance"] == [187142.2451171875] and d["unit"] == 2.0 ** -50'
go 0 areasum --box 4x1 mixed.npy
says 'samples are rounded to multiples of 8.88e-16 (2^-50)'
go 0 areasum --json --box 4x1 --plain --kind ripmap mixed.npy
json 'd["results"][0]["sum"] == [1003.375] and "unit" not in d'
refused 2 'floats without squares' areasum --box 4x1 --plain -f variance mixed.npy
