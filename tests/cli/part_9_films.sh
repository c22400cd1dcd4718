# Films: y4m, raw frames and PNM one by one; what is written; damage; pipes whose reader goes away; memory
# that does not grow.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p made
python3 "$here/film_inputs.py" .
counts() { [[ $(grep -oa "$1" "$2" | wc -l) -eq $3 ]]; }
bodies() { tail -n +2 "$1" | cmp -s - <(tail -n +2 "$2"); } # the same bytes behind the header

# ---- a line for each frame -------------------------------------------------------------------------
go 0 stats --json film.y4m
json '[x["frame"] for x in docs] == [0, 1, 2, 3, 4] and [x["time"] for x in docs] == [0, .04, .08, .12, .16]'
json 'd["format"] == "y4m" and d["width"] == 8 and d["layers"] == 1 and docs[1]["channels"] != c'
go 0 stats --csv --frames 1:4:2 film.y4m
csv '[r["frame"] for r in rows] == ["1"] * 3 + ["3"] * 3 and rows[0]["name"] == "r"'
go 0 stats --csv --frames=3: film.y4m
csv '[r["frame"] for r in rows] == ["3"] * 3 + ["4"] * 3'
go 0 stats --frames ::4 film.y4m
says 'film.y4m, frame 4: 8 x 6, 3 channels u8, y4m'
go 0 stats --json --page 2 film.y4m
json 'len(docs) == 1 and d["frame"] == 2'
go 0 histogram --csv --frames 0:2 --bins 4 film.y4m
csv 'len(rows) == 24 and rows[-1]["frame"] == "1"'
go 0 threshold --csv --frames :3 film.y4m
csv '[r["frame"] for r in rows] == ["0", "1", "2"] and len({r["level"] for r in rows}) > 1'
go 0 label --csv --frames 2:4 -t 60 film.y4m
csv '{r["frame"] for r in rows} == {"2", "3"}'
go 0 areasum --csv --frames 0:1 --box 2x2+0+0 film.y4m
csv 'rows[0]["frame"] == "0"'
prefix=(bash -c 'cat film.y4m | "$0" "$@"')
go 0 stats --json -
json 'd["file"] == "-" and len(docs) == 5'
prefix=(bash -c 'cat film.ppm | "$0" "$@"')
go 0 stats --json --frames -
json 'len(docs) == 4 and [x["channels"][0]["mean"] for x in docs] == [0, 1, 2, 3] and d["time"] is None'
go 0 stats --json -
json 'len(docs) == 1 and d["layers"] == 4 and "frame" not in d'
go 0 stats --json --page 1 -
json 'c[0]["mean"] == 1'
go 0 stats --max-pixels 2 --frames -q -
refused 3 'one layer at a time with --frames' stats --max-pixels 7 -
prefix=()
# with an image in front, rows stay as they are
go 0 stats --csv ramp.pgm film.y4m
csv 'len(rows) == 16 and "frame" not in rows[0]'
go 0 stats --csv film.y4m ramp.pgm
csv 'len(rows) == 16 and rows[15]["frame"] == ""'
# mono is what it says; deep films have 16 bits
go 0 stats --json mono.y4m
json 'c[0]["sum"] == "515" if isinstance(c[0]["sum"], str) else c[0]["sum"] == 515'
go 0 stats --json deep.y4m
json 'd["type"] == "u16" and [k["min"] for k in c] == [65535] * 3'
go 0 stats fields.y4m
complains 'interlaced, top field first'
lines 1

# ---- colours ---------------------------------------------------------------------------------------
go 0 stats --json film.y4m
cp "$out" made/709
go 0 stats --json --video-colors bt709:limited film.y4m
figures() { grep -o '"channels".*]' "$1"; }
that 'bt709 and limited are the defaults' test "$(figures "$out")" = "$(figures made/709)"
for command in 'stats' 'histogram' 'threshold' 'label -t 60' 'areasum --box 1x1' 'run --figure mean copy'; do
    read -ra words <<<"$command"
    go 0 "${words[@]}" --video-colors bt601:full film.y4m
    go 0 "${words[@]}" --raw 8x6:nv12:bt2020@50 nv12.raw
    go 0 "${words[@]}" --frames 0:1 film.y4m
    refused 2 'is no colour of video' "${words[@]}" --video-colors pal film.y4m
done
go 0 stats --json --raw 8x6:nv12@50 nv12.raw
json 'len(docs) == 5 and docs[1]["time"] == .02 and d["format"] == "raw"'
refused 2 "there is no format 'nv13' of raw frames" stats --raw 8x6:nv13 nv12.raw
refused 2 'raw frames are WxH:FORMAT' stats --raw nv12 nv12.raw
refused 2 'counted from 0' stats --frames=4:2 film.y4m
refused 2 'counted from 0' stats --frames=1:2:0 film.y4m
refused 2 'counted from 0' stats --frames=x film.y4m

# ---- what is written -------------------------------------------------------------------------------
for film in film fields deep mono; do
    go 0 run copy $film.y4m -o made/$film.y4m
    that "$film.y4m is copied bit for bit" bodies $film.y4m made/$film.y4m
done
says '1 frame written to made/mono.y4m'
go 0 run '#in' --raw 8x6:nv12@25 nv12.raw -o made/raw.y4m
that 'raw frames are those of y4m' bodies film.y4m made/raw.y4m
that 'the header of raw frames' \
    grep -q '^YUV4MPEG2 W8 H6 F25:1 Ip A0:0 C420mpeg2 XCOLORRANGE=LIMITED$' made/raw.y4m
go 0 run --frames 1:5:2 copy film.y4m -o made/part.y4m
that 'two frames of five at half the rate' grep -qa 'F25:2' made/part.y4m
that 'two frames of five' counts FRAME made/part.y4m 2
go 0 run resize:width=4 film.y4m -o made/small.y4m
that 'a smaller film' \
    grep -qa '^YUV4MPEG2 W4 H3 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED$' made/small.y4m
go 0 run copy film.y4m -o made/film.ppm
that 'five images in PPM' counts P6 made/film.ppm 5
go 0 run --frames copy film.ppm -o made/444.y4m
that 'RGB becomes 4:4:4' grep -qa 'C444 XCOLORRANGE=LIMITED' made/444.y4m
go 0 run --channels 1 copy film.y4m -o made/grey.y4m
that 'grey becomes mono' grep -qa 'Cmono XCOLORRANGE=FULL' made/grey.y4m
go 0 threshold film.y4m -o made/mask.y4m
that 'masks become mono' grep -qa 'Cmono XCOLORRANGE=FULL' made/mask.y4m
go 0 run box_blur:radius=2 film.y4m -o made/frames/
that 'a file for each frame' test "$(echo made/frames/*)" = "$(echo made/frames/film-00000{0,1,2,3,4}.pnm)"
go 0 label -q -t 60 --overlay made/found/ film.y4m
that 'an overlay for each frame' test -f made/found/film-000004.png -o -f made/found/film-000004.ppm
go 0 histogram -q --frames 1:3 --plot made/plot.svg film.y4m
that 'a plot for each frame' test "$(echo made/plot*)" = 'made/plot-000001.svg made/plot-000002.svg'
refused 2 'must be a folder' label -q -t 60 -o made/labels.pgm film.y4m
refused 2 'frames are written as y4m' run copy film.y4m -o made/film.npy
refused 5 'integer samples' run -t f32 copy film.y4m -o made/f32.y4m
that 'no film without a frame' test ! -e made/f32.y4m
go 0 run copy rgb.ppm -o made/one.y4m
that 'an image is a film of one frame' counts FRAME made/one.y4m 1
go 0 run --format y4m copy rgb.ppm -o -
says 'YUV4MPEG2'
go 0 run --explain contrast film.y4m
that 'one plan for all frames' test "$(grep -c '^1  ' "$out")" -eq 1
# stages in a row, each with a line for each frame at once
prefix=(bash -c '"$0" run box_blur:radius=1 film.y4m -o - | "$0" run sharpen:sharpness=1 - -o - |
    "$0" "$@"')
go 0 stats --json -
json 'len(docs) == 5 and d["format"] == "y4m"'
prefix=()

# ---- from frame to frame ---------------------------------------------------------------------------
go 0 run --json 'threshold:level=@prev.mean' --frames film.pgm -o made/x.pgm
json '[round(x["figures"][0]["values"][0] * 510) for x in docs] == [100, 100, 101, 102]'
go 0 run --type f32 --figure min 'subtract_blend:over=#in@-1' --json --frames film.pgm
json '[round(x["figures"][0]["values"][0] * 255) for x in docs] == [0, 0, 0, 0]'
go 0 run --type f32 --figure min --json '#in@-1' --frames film.pgm
json '[round(x["figures"][0]["values"][0] * 255) for x in docs] == [0, 0, 1, 2]'
go 0 stats --json --pipeline '#in@-1' --frames film.pgm
json '[x["channels"][0]["min"] for x in docs] == [0, 0, 1, 2]'
go 0 run --points made/points.csv 'threshold:level=0.2' --frames film.pgm
that 'points of frames' test "$(sed -n 2p made/points.csv | cut -d, -f1,2)" = film.pgm,0

# ---- several on their way --------------------------------------------------------------------------
# the same film and the same lines whatever is on its way, but for seconds
plain() { sed -E 's/"(seconds|bytes_per_second|decode|upload|compute|download)":[^,}]*//g' "$1"; }
pipelines=('gaussian_blur:sigma=1.5 | sharpen' 'threshold:level=@prev.mean' 'low_pass:strength=0.7'
    'brightness:brightness=@mean*-1+0.5')
for pipeline in "${pipelines[@]}"; do
    go 0 run --json --depth 1 "$pipeline" film.y4m -o made/depth.y4m
    plain "$out" >made/depth-1.json
    cp made/depth.y4m made/depth-1.y4m
    json '[x["frame"] for x in docs] == [0, 1, 2, 3, 4]'
    for depth in 2 3 8; do
        go 0 run --json --depth $depth "$pipeline" film.y4m -o made/depth.y4m
        plain "$out" >made/depth-n.json
        that "$pipeline, depth $depth" cmp made/depth.y4m made/depth-1.y4m
        that "$pipeline, depth $depth: the report" cmp made/depth-n.json made/depth-1.json
    done
done
go 0 run --json --depth 8 --figure mean --figure r.max color_invert film.y4m -o made/depth.y4m
cp "$out" made/invert.json
go 0 run --json --depth 1 --figure mean --figure r.max color_invert film.y4m -o made/depth.y4m
that 'figures of frames' cmp <(plain made/invert.json) <(plain "$out")
# frames of several sizes: each size has its plan, and the order stays
python3 - <<'PYTHON'
sizes = [(4, 3), (4, 3), (6, 2), (6, 2), (6, 2), (4, 3), (5, 5)]
open("sizes.ppm", "wb").write(b"".join(
    b"P6\n%d %d\n255\n" % s + bytes([i] * s[0] * s[1] * 3) for i, s in enumerate(sizes)))
PYTHON
go 0 run --json --frames '#in | color_invert' sizes.ppm -o made/sizes/
json '[x["outputs"][0]["width"] for x in docs] == [4, 4, 6, 6, 6, 4, 5]'
json '[x["frame"] for x in docs] == list(range(7))'
that 'every frame its own' cmp made/sizes/sizes-000003.ppm \
    <(printf 'P6\n6 2\n255\n' && printf '\374%.0s' {1..36})
# what is damaged ends it behind the frames before
go 1 run --depth 8 contrast cut.y4m -o made/cut.y4m
that 'whole frames of a cut film, several on their way' counts FRAME made/cut.y4m 4
go 1 run --depth 8 --json contrast cut.y4m -o made/cut.y4m
json '[x.get("frame") for x in docs] == [0, 1, 2, 3, None] and "truncated" in docs[4]["error"]'
if [[ -w /dev/full ]]; then
    python3 - <<'PYTHON'
open("many.y4m", "wb").write(b"YUV4MPEG2 W96 H64 F25:1 C420jpeg\n" + (b"FRAME\n" + bytes(9216)) * 60)
PYTHON
    go 5 run contrast many.y4m --format y4m -o /dev/full
    complains 'No space left on device'
fi
# what is left out is counted
go 0 run --live --depth 1 --json gaussian_blur:sigma=2 film.y4m -o made/live.y4m
left=$(sed -nE 's/.*: ([0-9]+) frames? (was|were) left out.*/\1/p' "$err")
that 'frames and those left out' test $(($(wc -l <"$out") + ${left:-0})) -eq 5
that 'frames are written' counts FRAME made/live.y4m "$(wc -l <"$out")"
that 'frames are in order' python3 -c '
import json, sys
frames = [json.loads(line)["frame"] for line in open(sys.argv[1])]
sys.exit(frames != sorted(set(frames)) or frames[-1] != 4)' "$out"
refused 2 'depth' run --depth 0 contrast film.y4m -o made/x.y4m
refused 2 'depth' run --depth 9 contrast film.y4m -o made/x.y4m
refused 2 '' stats --depth 2 film.y4m
# ---- on a terminal ---------------------------------------------------------------------------------
printf 'P6 2 2 255 \1\2\3\4\5\6\7\10\11\12\13\14' >four.ppm
drawn xterm run --preview copy four.ppm
that 'it ends with status 0' test "$status" -eq 0
that 'two pixels a character' \
    grep -qaF $'\e[38;2;1;2;3m\e[48;2;7;8;9m\u2580\e[38;2;4;5;6m\e[48;2;10;11;12m\u2580\e[0m' "$out"
drawn xterm run --preview --type f32 copy four.ppm
that 'it ends with status 0' test "$status" -eq 0
that 'floats too' grep -qaF $'\e[38;2;1;2;3m' "$out"
drawn xterm run --preview copy rgb.ppm
that 'it ends with status 0' test "$status" -eq 0
that 'no wider than the terminal' test "$(head -1 "$out" | grep -oa $'\u2580' | wc -l)" -le 20
drawn xterm run --preview copy film.y4m
that 'it ends with status 0' test "$status" -eq 0
that 'the frames of a film' grep -qaF $'\e[0m' "$out"
drawn xterm-kitty run --preview copy four.ppm
that 'it ends with status 0' test "$status" -eq 0
that 'the protocol of kitty' \
    grep -qaF $'\e_Ga=T,f=24,s=2,v=2,r=1,i=1,p=1,q=2,C=1,m=0;AQIDBAUGBwgJCgsM\e\\' "$out"
drawn dumb run --preview copy film.y4m
that 'no colours for a terminal without them' test "$status" -eq 2 -a ! -s "$out"
complains 'TERM is dumb'
refused 2 'draws on a terminal, and standard output is none' run --preview copy film.y4m

# ---- damage ----------------------------------------------------------------------------------------
go 1 stats --csv cut.y4m
complains 'cut.y4m: frame 4, which begins at byte 351: truncated'
csv 'len(rows) == 12'
lines 1
go 1 run copy cut.y4m -o made/cut.y4m
that 'whole frames of a cut film' counts FRAME made/cut.y4m 4
go 1 stats --json bad.y4m
complains 'a line that begins with FRAME is missing'
json '"frame 1" not in d and docs[-1]["status"] == 5 and "frame" in docs[-1]["error"]'
refused 5 'the film has no frame' stats none.y4m
refused 5 'C410 is not known' stats odd.y4m
refused 2 'there is no frame 7; the film has 5' stats --frames 7: film.y4m
prefix=(bash -c 'echo rubbish | "$0" "$@"')
refused 5 'frames of a pipe are y4m' stats --frames -
prefix=()
refused 5 'its frames are read one by one' stats --mask film.y4m ramp.pgm

# ---- pipes whose reader goes away ------------------------------------------------------------------
python3 - <<'PYTHON'
frame = b"FRAME\n" + bytes(96 * 64 * 3 // 2)
open("long.y4m", "wb").write(b"YUV4MPEG2 W96 H64 F25:1 C420jpeg\n" + frame * 400)
PYTHON
for command in 'run copy long.y4m -o -' 'stats --json long.y4m' 'run contrast:contrast=2 long.y4m -o -'; do
    read -ra words <<<"$command"
    last="$command | head -c 100" status=0
    "$tool" "${words[@]}" 2>"$err" | head -c 100 >"$out"
    status=${PIPESTATUS[0]}
    that 'a closed pipe ends it by SIGPIPE' test "$status" -eq 141
    that 'nothing is said' test ! -s "$err"
done
no_leftovers

# ---- memory ----------------------------------------------------------------------------------------
# Peak of resident memory in KiB, and most descriptors, of a run over so many frames.
peak() {
    python3 - "$tool" "$@" <<'PYTHON'
import os, resource, subprocess, sys, threading
tool, kind, count, *words = sys.argv[1:]
frame = {"y4m": b"FRAME\n" + bytes(64 * 48 * 3 // 2), "ppm": b"P6\n64 48\n255\n" + bytes(64 * 48 * 3)}[kind]
p = subprocess.Popen([tool, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
if kind == "y4m":
    p.stdin.write(b"YUV4MPEG2 W64 H48 F25:1 C420jpeg\n")
most = 0
for i in range(int(count)):
    p.stdin.write(frame)
    if i % 50 == 49:
        p.stdin.flush()
        most = max(most, len(os.listdir("/proc/%d/fd" % p.pid)))
p.stdin.close()
p.wait()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, most, p.returncode)
PYTHON
}
# memory KIND ARGUMENTS: 1000 frames need at most 3 % more than 100, and 1 MiB for the noise of the
# system.
# With LUMAGRAPH_TEST_FULL=1 it is 100000 frames, 2 % more than 1000.
few_frames=100 many_frames=1000 percent=103
[[ ${LUMAGRAPH_TEST_FULL:-} = 1 ]] && few_frames=1000 many_frames=100000 percent=102
memory() {
    local few many descriptors rc more
    last="$*" status=0
    read -r few descriptors rc < <(peak "$1" $few_frames "${@:2}")
    read -r many more rc < <(peak "$1" $many_frames "${@:2}")
    that "memory grows with the film: $few KiB, then $many KiB" \
        test "$many" -le $((few * percent / 100 + 1024))
    that "descriptors: $descriptors, then $more" test "$more" -le "$descriptors" -a "$rc" -eq 0
}
memory y4m stats --json -
memory ppm stats --frames --csv -
memory y4m histogram --csv -
memory y4m threshold -q -
memory y4m label -t otsu -q -
memory ppm run --frames --depth 8 'gaussian_blur:sigma=1' - -o -
memory y4m run 'dissolve_blend:over=#out@-1 #out' - -o -
memory y4m run 'threshold:level=@prev.mean' --json - -o made/frames.y4m

# ---- planes as they are stored ---------------------------------------------------------------------
go 0 stats --lavfi --csv film.y4m
csv '[r["YMIN"] for r in rows] == ["40", "42", "44", "46", "48"] and rows[3]["YDIF"] == "2"'
csv '[r["UMIN"] for r in rows] == ["95"] * 5 and rows[0]["VMAX"] == "111" and rows[0]["YDIF"] == "0"'
csv 'rows[4]["YMAX"] == "189" and rows[1]["scene"] == "0.00784313725490196"'
go 0 stats --lavfi --json film.y4m
json 'd["schema"] == "lumagraph.lavfi/1" and len(d["figures"]) == 28 and docs[2]["time"] == .08'
json 'd["figures"]["YAVG"] == 110.5 and docs[4]["frame"] == 4 and docs[1]["scene"] == 2 / 255'
go 0 stats --lavfi --frames 2:3 film.y4m
that 'ffmpeg prints it so' grep -q '^frame:2    pts:2       pts_time:0.08$' "$out"
says 'lavfi.signalstats.YAVG=114.5'
says 'lavfi.signalstats.YDIF=0'
says 'lumagraph.scene=0.000000'
go 0 stats --lavfi --raw 8x6:nv12@50 nv12.raw
says 'pts_time:0.08'
go 0 stats --lavfi --json mono.y4m
json '[k for k in d["figures"]] == ["YMIN", "YLOW", "YAVG", "YHIGH", "YMAX", "YDIF", "YBITDEPTH"]'
refused 5 '--lavfi is of planes of video' stats --lavfi ramp.pgm
refused 5 '--lavfi is of planes of video' stats --lavfi --frames film.ppm
refused 2 'leave out --region' stats --lavfi --region 1x1 film.y4m
refused 2 'leave out --pipeline' stats --lavfi --pipeline contrast film.y4m
memory y4m stats --lavfi -
go 0 stats --planes --csv film.y4m
csv '[r["name"] for r in rows] == ["y", "cb", "cr"] * 5 and rows[0]["count"] == "48"'
csv 'rows[0]["min"] == "40" and rows[1]["count"] == "12" and rows[12]["min"] == "48"'
go 0 stats --planes --json --raw 8x6:nv12@50 nv12.raw
json 'docs[2]["channels"][0]["mean"] == 114.5 and c[2]["name"] == "cr" and len(docs) == 5'
go 0 stats --planes --csv mono.y4m
csv 'len(rows) == 1 and rows[0]["name"] == "y"'
refused 5 '--planes is of planes of video' stats --planes ramp.pgm
refused 2 'leave out --region' stats --planes --region 1x1 film.y4m
refused 2 'leave out --planes' stats --planes --lavfi film.y4m
refused 2 'leave out --space' histogram --planes --space luma film.y4m
refused 2 'leave one of the two out' stats --planes --plane y film.y4m
for command in stats histogram threshold 'label -t otsu'; do
    read -ra words <<<"$command"
    go 0 "${words[@]}" --plane cb --json film.y4m
    json 'len(docs) == 5 and d["plane"] == "cb" and (d["width"], d["height"]) == (4, 3)'
    refused 5 '--plane is of planes of video' "${words[@]}" --plane y ramp.pgm
    refused 2 'has the plane y alone' "${words[@]}" --plane cr mono.y4m
    refused 2 'allowed are y, cb, cr' "${words[@]}" --plane u film.y4m
done
go 0 stats --plane y --region 2x1+0+0 --csv --frames :1 film.y4m
csv 'rows[0]["name"] == "y" and rows[0]["max"] == "43"'
go 0 histogram --planes --csv --bins 2 film.y4m
csv '[r["name"] for r in rows] == ["y", "y", "cb", "cb", "cr", "cr"] * 5'
last='planes against the same samples in PGM' status=0
python3 "$here/stored_planes.py" "$tool" >"$out" 2>"$err"
that 'planes are measured as grey images are' grep -q '^planes: [0-9]* passed, 0 failed$' "$out"
memory y4m stats --planes --csv -

# ---- pipelines on planes ---------------------------------------------------------------------------
go 0 run --json --figure '#in.y.mean' --figure '#in.cb.min' --figure mean color_invert film.y4m \
    -o made/inverted.y4m
json '[s["name"] for s in d["stages"]] == ["color_invert", "copy", "planes"]'
json '[f["name"] for f in d["figures"]] == ["#in.y.mean", "#in.cb.min", "mean"]'
json '[round(f["values"][0] * 255, 4) for f in d["figures"][:2]] == [110.5, 95]'
go 0 run --json 'brightness:brightness=@cr.mean*0' film.y4m -o made/same.ppm
json '[s["name"] for s in d["stages"]] == ["brightness"]'
go 0 run copy film.y4m -o made/copy.ppm
that 'a figure of a plane leaves the pixels alone' cmp -s made/same.ppm made/copy.ppm
refused 2 'stored as planes' run --figure y.mean copy film.ppm
refused 2 'stored as planes' run 'color_invert | brightness:brightness=@y.mean' film.y4m -o made/never.y4m
go 0 run --explain color_invert film.y4m
says '<- planes 0'
last='films against exact rational arithmetic' status=0
python3 "$here/planes_rational.py" "$tool" >"$out" 2>"$err"
that 'colours and codes are the nearest' grep -q '^planes: [0-9]* passed, 0 failed$' "$out"

# ---- against ffmpeg, both ways ---------------------------------------------------------------------
if command -v ffmpeg >/dev/null; then
    for pixels in yuv420p yuvj420p yuv411p yuv422p yuv444p yuva444p gray yuv420p10le yuv422p12le \
        yuv444p16le; do
        last="run copy, $pixels" status=0
        ffmpeg -v error -f lavfi -i testsrc2=s=31x17:r=25 -frames:v 3 -pix_fmt $pixels -strict -1 \
            -f yuv4mpegpipe - 2>"$err" | tee made/theirs.y4m | "$tool" run copy - -o - 2>>"$err" |
            ffmpeg -v error -i - -strict -1 -f framemd5 - 2>>"$err" | sed '/^#/d' >"$out"
        ffmpeg -v error -i made/theirs.y4m -strict -1 -f framemd5 - 2>>"$err" | sed '/^#/d' >made/md5
        that "ffmpeg reads what it wrote as $pixels" cmp -s "$out" made/md5
        that 'three frames' test "$(wc -l <"$out")" -eq 3
        that 'ffmpeg says nothing' test ! -s "$err"
    done
    # figures of planes, to the last digit; more than 8 bits at even sizes, as ffmpeg 5.1 cannot do others
    for case in 65x33:yuv420p 65x33:yuv411p 63x47:yuv422p 33x17:yuv444p 64x48:yuv420p10le 64x48:yuv422p12le \
        64x48:yuv444p16le; do
        size=${case%:*} pixels=${case#*:}
        for source in testsrc2 mandelbrot 'rgbtestsrc=s=80x80:r=25,noise=alls=60:allf=t'; do
            last="stats --lavfi, $source of $pixels" status=0
            [[ $source == *=* ]] || source+='=s=80x80:r=25'
            ffmpeg -v error -f lavfi -i "$source,format=${pixels},crop=${size/x/:}:exact=1" -frames:v 3 \
                -strict -1 -f yuv4mpegpipe - >made/case.y4m
            ffmpeg -v error -i made/case.y4m -vf signalstats,metadata=print:file=- -f null - >made/theirs
            "$tool" stats --lavfi made/case.y4m 2>"$err" | grep -v '^lumagraph' >"$out"
            that 'figures of signalstats' cmp -s "$out" made/theirs
            that 'three frames of figures' counts 'YBITDEPTH' "$out" 3
        done
    done
    last='colours and planes against libswscale' status=0
    python3 "$here/against_swscale.py" "$tool" >"$out" 2>"$err"
    that 'both agree, and differ as documented' grep -q '^swscale: [0-9]* passed, 0 failed$' "$out"
    # the same planes as ffmpeg makes of them, or for packed colours two frames of the right size
    for pair in nv12:yuv420p nv21:yuv420p nv24:yuv444p p010le:yuv420p10le yuv422p10le:yuv422p10le \
        bgr24: rgba: argb: rgb48le: gray16le:gray16le; do
        pixels=${pair%:*} planar=${pair#*:}
        last="--raw, $pixels" status=0
        ffmpeg -v error -f lavfi -i testsrc2=s=34x18:r=25 -frames:v 2 -pix_fmt "$pixels" -f rawvideo - \
            >made/raw
        "$tool" run copy --raw "34x18:${pixels%le}@25" made/raw -q -o made/raw.y4m 2>"$err" ||
            bad 'raw frames'
        if [[ $planar ]]; then
            ffmpeg -v error -f rawvideo -s 34x18 -pix_fmt "$pixels" -i made/raw -pix_fmt "$planar" \
                -strict -1 -f yuv4mpegpipe - >made/theirs.y4m
            that "planes of $pixels" bodies made/raw.y4m made/theirs.y4m
        else
            that "frames of $pixels" counts FRAME made/raw.y4m 2
        fi
    done
else
    skip 83 'no ffmpeg'
fi
