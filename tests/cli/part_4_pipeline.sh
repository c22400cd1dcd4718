# Filters in front of a measurement: the figures are those of the file that `run` would write.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

devices=(cpu)
if [[ ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]] && "$tool" devices --json |
    grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    devices+=(vulkan)
else
    skip 1 'filters in front of measurements on Vulkan: no device'
fi

# The document without what is said of the file and of the engine.
figures() {
    python3 - "$out" <<'PYTHON'
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    d = json.loads(line)
    for key in ("engine", "file", "format", "pipeline", "outputs", "note", "build_seconds", "query_seconds"):
        d.pop(key, None)
    print(json.dumps(d, sort_keys=True))
PYTHON
}

# same FILE EXTENSION PIPELINE TYPE ARGUMENTS...: the command on the result and on a file of it
same() {
    local file=$1 written=front/written.$2 pipeline=$3 type=(${4:+--type "$4"})
    shift 4
    for device in "${devices[@]}"; do
        go 0 run -q --device "$device" "${type[@]}" "$pipeline" "$file" -o "$written"
        go 0 "$@" --json --device "$device" "$written"
        figures >front/wanted
        go 0 "$@" --json --device "$device" --pipeline "$pipeline" "${type[@]}" "$file"
        figures >front/got
        that "the figures behind $pipeline are those of its file" cmp -s front/wanted front/got
        json 'd["pipeline"]'
    done
}
mkdir -p front
same rgb.ppm ppm contrast:contrast=2 '' stats
same rgb.ppm npy contrast:contrast=2 f32 stats
same ramp.pgm pgm contrast:contrast=2 '' histogram
same ramp.pgm npy contrast:contrast=2 u16 histogram --range auto -p 1,50,99
same ramp.pgm npy 'box_blur:radius=1 | contrast:contrast=@max*2' f16 histogram --range auto
same ramp.pgm pgm 'resize:width=7' '' stats --region 4x2+1+1
same rgb.ppm ppm 'levels:min=@p10:max=@p90' '' threshold
same ramp.pgm pgm 'box_blur:radius=2' u16 threshold -m triangle
same ramp.pgm pgm 'threshold:level=@otsu' '' label
same ramp.pgm npy 'box_blur:radius=2' f32 label -t otsu --intensity self
same ramp.pgm pgm 'transpose' u16 areasum --box 4x3+2+1 -f mean,variance
same frames.pgm pgm 'brightness:brightness=0.1' '' stats
go 0 stats --json --pipeline 'threshold:level=0.5 | label' ramp.pgm
json 'd["type"] == "u16"'
go 0 threshold --pipeline color_invert ramp.pgm -o front/binary.pgm
go 0 stats --json front/binary.pgm
json 'c[0]["mean"] == 127.5'
go 0 histogram --json --pipeline contrast:contrast=0 ramp.pgm rgb.ppm frames.pgm ramp.pgm # other shapes
json 'len(docs) == 4 and all(max(x["channels"][0]["counts"]) == x["channels"][0]["total"] for x in docs)'
go 0 stats --help
says '--pipeline PIPELINE'
refused 2 'did you mean' stats --pipeline contrats ramp.pgm
refused 2 'a pipeline is needed' stats --pipeline '' ramp.pgm
refused 2 'say which: --pipeline' histogram --type u8 ramp.pgm
refused 2 'the mask has 16x16 pixels' stats --pipeline resize:width=8 --mask ramp.pgm ramp.pgm

# ---- what --profile repeats is not the result, which the pictures of a report show -------------------
pictures() { grep -o 'data:image/[^"]*' "$1" >"$1.pictures"; }
go 0 run --report plain.html 'low_pass:strength=0.75' ramp.pgm half.pgm
go 0 run --report profiled.html --profile 'low_pass:strength=0.75' ramp.pgm half.pgm
pictures plain.html && pictures profiled.html
that 'the second run, which the first has left its image' cmp plain.html.pictures profiled.html.pictures

# ---- delayed images in graphs of JSON --------------------------------------------------------------
# delayed ARGUMENT...: a graph whose output is `a`, of nodes NAME FILTER IN MORE; both images are run.
delayed() {
    local nodes='' one
    for one in "$@"; do
        IFS=' ' read -r name filter in more <<<"$one"
        nodes+="${nodes:+, }{\"name\": \"$name\", \"filter\": \"$filter\", \"in\": \"$in\"${more:+, $more}}"
    done
    printf '{"inputs": ["in"], "nodes": [%s], "outputs": ["a"]}' "$nodes" >delayed.json
    go "${expected:-0}" run -g delayed.json ramp.pgm half.pgm -o json
}
mkdir -p json text
delayed 'a dissolve_blend in "over": "a@-1", "params": {"mix": 0.25}'
if grep -q 'build with libjansson' "$err"; then
    skip 10 'this build has no libjansson'
else
    go 0 run 'dissolve_blend:mix=0.25:over=#a@-1 #a' ramp.pgm half.pgm -o text
    that 'the result of the run before' cmp text/half.pgm json/half.pgm
    differs() { ! cmp -s "$@"; }
    that 'it is another than that of this run' differs json/half.pgm half.pgm
    # a node that comes later; the first run takes the first input, or what "first" says
    delayed 'a contrast b@-1 "params": {"contrast": 1}' 'b contrast in "params": {"contrast": 2}'
    go 0 run 'contrast:contrast=2' ramp.pgm -o text
    that 'the second run takes what the first made' cmp json/half.pgm text/ramp.pgm
    that 'the first run takes the input' cmp json/ramp.pgm ramp.pgm
    delayed 'a contrast in@-1 "first": "b", "params": {"contrast": 1}' \
        'b contrast in "params": {"contrast": 2}'
    that 'the first run takes another image' cmp json/ramp.pgm text/ramp.pgm
    that 'and the second run the delayed one' cmp json/half.pgm ramp.pgm
    delayed 'a picture_in_picture in "over": "a@-1"'
    go 0 run 'picture_in_picture:over=#a@-1 #a' ramp.pgm half.pgm -o text
    that 'a filter that stands for a pipeline' cmp text/half.pgm json/half.pgm
    expected=2 delayed 'a picture_in_picture in@-1 "over": "a@-1"'
    complains 'cannot be given'
fi
