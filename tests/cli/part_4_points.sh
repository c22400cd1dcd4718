# Lists out of pictures: run --points; rectangles of crop.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

devices=(cpu)
if [[ ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]] && "$tool" devices --json |
    grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    devices+=(vulkan)
else
    skip 1 'points on Vulkan: no device'
fi
mkdir -p points
python3 - <<'PYTHON'
dark, bright = bytes(40), bytes(10) + bytes([200] * 20) + bytes(10)
with open("points/square.pgm", "wb") as f:
    f.write(b"P5\n40 40\n255\n" + dark * 10 + bright * 20 + dark * 10)
with open("points/few.pgm", "wb") as f:
    f.write(b"P5\n5 2\n255\n" + bytes([0, 51, 0, 255, 51, 0, 0, 102, 0, 0]))
PYTHON
# list EXPRESSION: rows are those of points/list.csv, d the documents of points/list.json.
list() {
    if python3 - "$1" <<'PYTHON'
import csv, json, os, sys
rows = d = None
if os.path.exists("points/list.csv"):
    text = open("points/list.csv", newline="", encoding="utf-8").read()
    assert text.endswith("\r\n")
    rows = list(csv.DictReader(text.splitlines(), strict=True))
if os.path.exists("points/list.json"):
    d = [json.loads(line) for line in open("points/list.json", encoding="utf-8")]
p = [(int(r["x"]), int(r["y"]), round(float(r["strength"]), 6)) for r in rows or []]
sys.exit(0 if eval(sys.argv[1]) else 1)
PYTHON
    then good; else bad "points: $1"; fi
}

for device in "${devices[@]}"; do
    on=(--device "$device")
    go 0 run "${on[@]}" contrast points/few.pgm --points points/list.csv
    says '4 points'
    list 'p == [(3, 0, 1.0), (2, 1, 0.4), (1, 0, 0.2), (4, 0, 0.2)] and rows[0]["file"] == "points/few.pgm"'
    go 0 run "${on[@]}" contrast points/few.pgm --points points/list.csv --max-points 2
    list 'p == [(3, 0, 1.0), (2, 1, 0.4)]'
    go 0 run "${on[@]}" --json contrast points/few.pgm frames.pgm --points points/list.json --max-points 3
    json '[x["points"] for x in docs] == [4, 8]'
    list '[x["found"] for x in d] == [4, 8] and [len(x["points"]) for x in d] == [3, 3]'
    list 'd[0]["points"][0] == {"layer": 0, "x": 3, "y": 0, "strength": 1}'
    list '[(q["layer"], q["x"], q["y"]) for q in d[1]["points"]] == [(2, 0, 0), (2, 1, 0), (2, 0, 1)]'
    go 0 run "${on[@]}" contrast points/few.pgm --points points/list.csv --region 3x1+0+0
    list 'p == [(1, 0, 0.2)]'
    go 0 run "${on[@]}" contrast points/few.pgm --points points/list.csv --mask points/few.pgm --max-points 0
    list 'p == []'
    for detector in fast_corner_detection:non_maximum_suppression=no harris_corner_detection \
        noble_corner_detection shi_tomasi_feature_detection; do
        go 0 run "${on[@]}" $detector:output=score points/square.pgm --points points/list.csv
        list 'len(p) >= 4 and all(min(abs(x - 10), abs(x - 29)) <= 3 >= min(abs(y - 10), abs(y - 29))
                                  for x, y, s in p[:4])'
        list 'p == sorted(p, key=lambda q: (-q[2], q[1], q[0])) and p[0][2] not in (0, 1)'
        cp points/list.csv "points/$detector-$device.csv"
        that "$detector: both devices find the same" \
            cmp "points/$detector-cpu.csv" "points/$detector-$device.csv"
        go 0 run "${on[@]}" $detector points/square.pgm --points points/list.csv
        list 'len(p) >= 4 and all(s == 1 for x, y, s in p)'
    done
    go 0 run "${on[@]}" harris_corner_detection:output=score points/square.pgm --points points/list.csv \
        -o points/corners.pgm # bytes
    list 'len(p) >= 4 and all(abs(s * 255 - round(s * 255)) < 1e-3 for x, y, s in p)'
done
refused 2 'must end in .csv or .json' run contrast points/few.pgm --points points/list
refused 2 'of a list of points' run contrast points/few.pgm --max-points 3 -o points/x.pgm
refused 5 'No such' run contrast points/few.pgm --points points/none/list.csv
cp points/few.pgm points/few.csv
refused 2 'input of this command' run contrast points/few.csv --points points/few.csv
that 'an input stays' cmp points/few.pgm points/few.csv
rm points/list.csv
go 5 run contrast missing.pgm --points points/list.csv
that 'no list of no input' test ! -e points/list.csv

# ---- crop ----------------------------------------------------------------------------------------
go 0 run crop:box=4x3+2+5 ramp.pgm -o points/box.pgm
go 0 run crop:unit=px:x=2:y=5:width=4:height=3 ramp.pgm -o points/numbers.pgm
that 'a rectangle in one word' cmp points/box.pgm points/numbers.pgm
go 0 stats --json --region 4x3+2+5 ramp.pgm
figures=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["channels"][0]["sum"])' <"$out")
go 0 stats --json --pipeline crop:box=4x3+2+5 ramp.pgm
json 'str(c[0]["sum"]) == figures' figures
refused 2 'WxH+X+Y' run crop:box=4 ramp.pgm -o points/box.pgm
refused 2 'box and width exclude each other' run crop:box=4x3:width=3 ramp.pgm -o points/box.pgm
go 0 filters crop
says 'WxH+X+Y'
go 0 filters --json crop
json '[p for p in d["filters"][0]["params"] if p["name"] == "box"][0]["default"] is None'
