# States: what is measured in shards of inputs and in parts of rows merges into the report of one run.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p states
python3 - <<'PYTHON'
import random, struct
r = random.Random(7)
def pnm(name, kind, width, height, channels, maximum=255):
    n = width * height * channels * (2 if maximum > 255 else 1)
    open(f"states/{name}", "wb").write(b"%s\n%d %d\n%d\n" % (kind, width, height, maximum) + r.randbytes(n))
pnm("grey.pgm", b"P5", 71, 53, 1)
pnm("color.ppm", b"P6", 41, 37, 3)
pnm("deep.pgm", b"P5", 40, 33, 1, 65535)
pnm("flat.pgm", b"P5", 50, 1, 1)
pnm("large.pgm", b"P5", 120, 90, 1, 65535)
pnm("large.ppm", b"P6", 90, 80, 3)
with open("states/large-stack.pgm", "wb") as f:
    for _ in range(3):
        f.write(b"P5\n131 79\n255\n" + r.randbytes(131 * 79))
with open("states/real.pfm", "wb") as f:
    f.write(b"Pf\n30 20\n-1.0\n" + b"".join(struct.pack("<f", r.gauss(0, 1e9)) for _ in range(600)))
with open("states/stack.pgm", "wb") as f:
    for _ in range(3):
        f.write(b"P5\n31 23\n255\n" + r.randbytes(31 * 23))
open("states/broken.pgm", "wb").write(b"P5\n31 23\n255\nshort")
open("states/mask.pgm", "wb").write(b"P5\n71 53\n255\n" + bytes(r.choice((0, 255)) for _ in range(71 * 53)))
PYTHON
cd states || exit
files=(grey.pgm color.ppm deep.pgm flat.pgm real.pfm stack.pgm)

# equal FILE FILE: reports are those of the same figures; what computed is left out.
equal() {
    if python3 - "$1" "$2" <<'PYTHON'
import json, sys
a, b = ([json.loads(line) for line in open(n)] for n in sys.argv[1:])
for d in a + b:
    for key in ("engine", "kind", "bytes", "build_seconds", "query_seconds"):
        d.pop(key, None)
sys.exit(a != b or not a)
PYTHON
    then good; else bad "the merged report differs"; fi
}
# whole COMMAND ARGUMENTS...: the report of one run, in whole.json.
whole() { "$tool" "$@" --json >whole.json 2>/dev/null; }
# shuffled FILES...: the names in another order.
shuffled() { printf '%s\n' "$@" | shuf --random-source=<(yes); }

# ---- parts of rows, in any order ---------------------------------------------------------------------
# parts N COMMAND ARGUMENTS...
parts() {
    local n=$1 i
    shift
    rm -f ./*.lgs
    for ((i = 1; i <= n; i++)); do
        "$tool" "$@" --part "$i/$n" --state "part$i.lgs" >"$out" 2>"$err" ||
            bad "part $i of $n of $*"
        silent
    done
    whole "$@"
    mapfile -t order < <(shuffled part*.lgs)
    go 0 merge --json "${order[@]}"
    equal whole.json "$out"
}
for n in 1 2 7 64; do parts "$n" stats "${files[@]}"; done
parts 3 histogram "${files[@]}" --bins 16
parts 3 histogram color.ppm --space hsv
parts 2 histogram grey.pgm deep.pgm --range auto
parts 3 histogram grey.pgm --range 10:99.5 --space luma --luma bt601
parts 3 stats stack.pgm --stack
parts 3 stats stack.pgm --page 1
parts 4 stats grey.pgm --step 3
parts 3 stats grey.pgm --region 50x31+17+20
parts 3 stats grey.pgm --mask mask.pgm
parts 3 stats grey.pgm --skip-transparent --nan error
parts 3 stats grey.pgm --memory 70K

# boxes, also of several layers, in bands too
flat=(-b 40x25+0+3 -b 1x1+7+9 -b 12x30+20+1 -f "sum,mean,variance,min,max,count")
solid=(-b 31x23x3+0+0+0 -b 5x9x1+7+8+2 -b 5x9x2+7+8+1 -b 31x1x1+0+22+2 -f "mean,sum")
for n in 1 3 33; do parts "$n" areasum deep.pgm "${flat[@]}"; done
parts 2 areasum color.ppm -b 41x37+0+0 -b 3x2+38+35
parts 4 areasum stack.pgm "${solid[@]}"
parts 3 areasum stack.pgm --page 1 -b 31x23+0+0
printf 'x,y,width,height\n0,0,71,53\n70,52,1,1\n5,6,7,8\n' >boxes.csv
parts 5 areasum grey.pgm --boxes boxes.csv
for file in large.pgm large.ppm; do # the reader holds 64 KiB
    whole areasum $file -b 33x75+0+3 "${flat[@]:2}"
    go 0 areasum --json $file -b 33x75+0+3 "${flat[@]:2}" --memory 70K
    json 'd["kind"] == "sums" and d["bytes"] == 0'
    equal whole.json "$out"
done
whole areasum large-stack.pgm "${solid[@]}" -b 131x79x2+0+0+1
go 0 areasum --json large-stack.pgm "${solid[@]}" -b 131x79x2+0+0+1 --memory 70K
json 'd["kind"] == "sums"'
equal whole.json "$out"
go 0 areasum large-stack.pgm "${solid[@]}" --memory 70K
says '4 shapes added up'
go 0 areasum stack.pgm "${solid[@]}" --resume --state boxes.lgs
go 0 merge --csv boxes.lgs
csv 'len(rows) == 4 and rows[0]["depth"] == "3"'
state=(areasum grey.pgm --state a.lgs -b 3x3+9+9)
refused 2 'no state can be made: figures other than sum, mean' "${state[@]}" -f sum,mx
refused 2 'no state can be made: polygons, masks' "${state[@]}" --angle 9
refused 2 'no state can be made: floats' areasum real.pfm -b 3x3+0+0 --state a.lgs
refused 2 'no state can be made: --kind' areasum grey.pgm -b 3x3+0+0 --kind ripmap --state a.lgs
refused 2 '--state is of images' areasum grey.pgm -b 0:3,0:4 --state a.lgs
go 0 areasum grey.pgm -b 3x3+0+0 --part 1/2 --state one.lgs
go 0 areasum grey.pgm -b 3x3+1+0 --part 2/2 --state two.lgs
refused 2 'it was measured with' merge one.lgs two.lgs

# a tree of merges has the bytes of one
parts 7 stats "${files[@]}"
go 0 merge part1.lgs part4.lgs part7.lgs --state left.lgs
go 0 merge part6.lgs part2.lgs --state middle.lgs
go 0 merge part3.lgs middle.lgs part5.lgs left.lgs --state tree.lgs
go 0 merge part*.lgs --state all.lgs
that 'merges in other orders are the same bytes' cmp tree.lgs all.lgs
go 0 merge tree.lgs --json
equal whole.json "$out"
go 0 merge tree.lgs
says 'on 1 merged state'
go 0 merge --csv tree.lgs -o merged.csv
"$tool" stats --csv "${files[@]}" >whole.csv
that 'CSV is that of one run' cmp merged.csv whole.csv
"$tool" histogram grey.pgm --state h.lgs
go 0 merge h.lgs --percentile 50 --plot h.svg --log -q
that 'a plot was drawn' test -s h.svg

# ---- shards of inputs ----------------------------------------------------------------------------------
rm -f ./*.lgs
printf '%s\n' "${files[@]}" >list.txt
printf '%s\0' "${files[@]}" >list.zero
for i in 1 2 3 4; do go 0 stats --files-from list.txt --shard "$i/4" --state "$i.lgs"; done
whole stats "${files[@]}"
go 0 merge 3.lgs 1.lgs 4.lgs 2.lgs --json
equal whole.json "$out"
for i in 8 9; do go 0 stats --files-from list.zero --shard "$i/9" --state "nothing$i.lgs"; done
go 0 merge nothing8.lgs 1.lgs 2.lgs 3.lgs 4.lgs nothing9.lgs --json # shards without an input
equal whole.json "$out"
printf '%s\n' ./[1-4].lgs >states.txt
go 0 merge --files-from states.txt --json
equal whole.json "$out"
go 0 stats --json --files-from list.zero
equal whole.json "$out"
go 0 stats --json --files-from - <list.txt
equal whole.json "$out"
{ printf '\xef\xbb\xbf' && printf '%s\r\n' "${files[@]}"; } >list.crlf # as editors of Windows write it
go 0 stats --json --files-from list.crlf
equal whole.json "$out"
go 0 stats --json --shard 2/3 "${files[@]}"
json '[d["file"] for d in docs] == ["color.ppm", "real.pfm"]'
for command in threshold label areasum; do
    arguments=()
    [[ $command = areasum ]] && arguments=(--box 5x5+0+0)
    go 0 "$command" --json --files-from list.txt --shard 1/6 "${arguments[@]}"
    json 'len(docs) == 1 and d["file"] == "grey.pgm"'
done
go 0 run contrast --files-from list.txt --shard 1/6 -o made/
that 'the first of six shards is one file' test "$(ls made)" = grey.pgm
go 0 histogram --json --files-from list.txt --shard 1/6
json 'len(docs) == 1'

# runs of one file each, as from xargs or GNU parallel: by name
for file in "${files[@]}"; do "$tool" stats "$file" --state "one-$file.lgs"; done
go 0 merge one-*.lgs --json
json '[d["file"] for d in docs] == sorted(d["file"] for d in docs) and len(docs) == 6'

# ---- what is missing -----------------------------------------------------------------------------------
refused 5 '1 input of the runs are in no state, the first is number 3' merge 1.lgs 2.lgs 4.lgs --json
go 0 merge --partial 1.lgs 2.lgs 4.lgs --json
json 'len(docs) == 5'
complains 'the first is number 3'
"$tool" stats grey.pgm --part 1/2 --state half.lgs
refused 5 'rows 26 to 52 of 53 are missing' merge half.lgs
go 0 merge --partial --json half.lgs
json 'c[0]["count"] == 71 * 26'
complains 'rows 26 to 52 of 53 are missing'

# inputs that fail, in one run and merged
go 1 stats grey.pgm broken.pgm none.pgm --state failed.lgs
"$tool" stats --json grey.pgm broken.pgm none.pgm >whole.json 2>/dev/null
go 1 merge --json failed.lgs
equal whole.json "$out"
complains 'broken.pgm'
cp grey.pgm none.pgm
go 5 stats grey.pgm broken.pgm none.pgm --shard 2/3 --state again.lgs
go 0 stats grey.pgm broken.pgm none.pgm --shard 3/3 --state third.lgs
go 1 merge failed.lgs third.lgs --json # what failed once and was measured later is there
json '[("error" in d) for d in docs] == [False, True, False]'
rm none.pgm

# ---- what does not go together -------------------------------------------------------------------------
refused 2 'rows 0 to 25 of grey.pgm are there already' merge half.lgs half.lgs
complains 'half.lgs: '
"$tool" stats grey.pgm --part 2/3 --state overlap.lgs
refused 2 'overlap.lgs: rows 17 to 25 of grey.pgm are there already' merge half.lgs overlap.lgs
"$tool" histogram grey.pgm --part 2/2 --state foreign.lgs
refused 2 "foreign.lgs: it was measured with 'command histogram', the state before with 'command stats'" \
    merge half.lgs foreign.lgs
"$tool" stats grey.pgm --part 2/2 --step 3 --state foreign.lgs
refused 2 "'step 3'" merge half.lgs foreign.lgs
"$tool" stats grey.pgm --part 2/2 --mask mask.pgm --state foreign.lgs
refused 2 "the state before with 'mask none'" merge half.lgs foreign.lgs
"$tool" stats grey.pgm color.ppm --part 2/2 --state foreign.lgs
refused 2 'grey.pgm is an input of another run as well' merge half.lgs foreign.lgs
cp grey.pgm kept.pgm
cp deep.pgm grey.pgm
"$tool" stats grey.pgm --part 2/2 --state foreign.lgs
refused 2 "grey.pgm is another image there: 'size 40x33', not 'size 71x53' as before" \
    merge half.lgs foreign.lgs
python3 -c 'b = bytearray(open("kept.pgm", "rb").read()); b[-1] ^= 1; open("grey.pgm", "wb").write(b)'
"$tool" stats grey.pgm --part 2/2 --state foreign.lgs
refused 2 'grey.pgm is another image there' merge half.lgs foreign.lgs # of the same size
cp kept.pgm grey.pgm
go 1 stats grey.pgm grey.pgm --state twice.lgs
complains 'or twice of one'

head -c 200 half.lgs >cut.lgs
refused 5 'they end early' merge cut.lgs
python3 -c 'b = bytearray(open("half.lgs", "rb").read()); b[90] ^= 1; open("bad.lgs", "wb").write(b)'
refused 5 'bad.lgs: these bytes are no state of measurements: the check sum is wrong' merge bad.lgs
refused 5 'the first 8 are not LGSTATES' merge grey.pgm
refused 5 'cannot read' merge absent.lgs
for option in --json --csv '-o r' '--percentile 5' '--plot a.svg'; do
    # shellcheck disable=SC2086 # two words
    refused 2 'is of the report, which' histogram grey.pgm --state a.lgs $option
done
refused 2 'there is none' merge half.lgs --json --state a.lgs
refused 2 '--pipeline and --state exclude each other' stats grey.pgm --state a.lgs --pipeline contrast
refused 2 '--part is of states' stats grey.pgm --part 1/2
refused 2 '--resume is of states' stats grey.pgm --resume
refused 2 'allowed are I/N' stats grey.pgm --shard 3/2
refused 2 'no state can be made: --range auto' histogram real.pfm --range auto --state a.lgs
refused 2 'is an input of this command' stats grey.pgm --state grey.pgm
refused 2 'cannot read' stats --files-from absent.txt
refused 5 'absent/a.lgs' stats grey.pgm --state absent/a.lgs
that 'the image is still there' cmp grey.pgm kept.pgm

# ---- killed and resumed ----------------------------------------------------------------------------------
# A pipe that is open and silent holds the run up behind two inputs.
mkfifo slow.pgm
exec 7<>slow.pgm
rm -f run.lgs run.lgs.journal
"$tool" stats grey.pgm color.ppm slow.pgm --state run.lgs --resume 2>/dev/null &
pid=$!
for _ in $(seq 200); do
    [[ $(stat -c %s run.lgs.journal 2>/dev/null || echo 0) -gt 1000 ]] && break
    sleep 0.05
done
kill -KILL $pid
wait $pid 2>/dev/null
exec 7>&-
that 'a killed run has no state yet' test ! -e run.lgs -a -s run.lgs.journal
rm slow.pgm
cp deep.pgm slow.pgm
head -c 300 run.lgs.journal >torn # half of an entry behind the whole ones
cat torn >>run.lgs.journal
mv grey.pgm away.pgm # what was measured is not looked at again
go 0 stats grey.pgm color.ppm slow.pgm --state run.lgs --resume
mv away.pgm grey.pgm
that 'the journal is gone' test ! -e run.lgs.journal
whole stats grey.pgm color.ppm slow.pgm
go 0 merge run.lgs --json
equal whole.json "$out"
mv grey.pgm away.pgm
go 0 stats grey.pgm color.ppm slow.pgm --state run.lgs --resume # there is nothing left to do
mv away.pgm grey.pgm
go 0 merge run.lgs --json
equal whole.json "$out"
# Killed at random moments: nothing twice, nothing lost.
RANDOM=3
many=()
for i in $(seq 80); do
    ln -f grey.pgm "many$i.pgm"
    many+=("many$i.pgm")
done
for _ in $(seq 8); do
    "$tool" histogram "${many[@]}" --state many.lgs --resume 2>/dev/null &
    pid=$!
    sleep "0.0$((RANDOM % 5))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
done
go 0 histogram "${many[@]}" --state many.lgs --resume
whole histogram "${many[@]}"
go 0 merge many.lgs --json
equal whole.json "$out"
that 'no journal is left' test ! -e many.lgs.journal
refused 2 'cannot be resumed' stats grey.pgm --step 2 --state run.lgs --resume
refused 2 'cannot be resumed' stats color.ppm grey.pgm slow.pgm --state run.lgs --resume
go 5 stats grey.pgm lost.pgm --part 1/2 --shard 2/2 --state retried.lgs --resume
cp grey.pgm lost.pgm
go 0 stats grey.pgm lost.pgm --part 1/2 --shard 2/2 --state retried.lgs --resume # what failed is tried again
go 0 merge --partial --json retried.lgs
json '"error" not in d'
go 0 histogram grey.pgm --part 1/2 --state resumed.lgs --resume
cd ..
