# Pipelines, graphs, the catalogue, completion.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

cpu=(--device cpu)
# pixels FILE EXPRESSION: p are the samples of a binary PNM file.
pixels() {
    if python3 - "$1" "$2" <<'PYTHON'
import sys
head, p = open(sys.argv[1], "rb").read().split(b"\n255\n", 1)
sys.exit(0 if eval(sys.argv[2]) else 1)
PYTHON
    then good; else bad "$1: $2"; fi
}
mkdir -p out mine
devices=(cpu)
if [[ ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]] && "$tool" devices --json |
    grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    devices+=(vulkan)
else
    skip 1 'parts of images on Vulkan: no device'
fi

# ---- pipelines -------------------------------------------------------------------------------------
go 0 run "${cpu[@]}" contrast:contrast=3 ramp.pgm -o out/three.pgm
says 'written to out/three.pgm'
says '1 stage'
pixels out/three.pgm 'list(p) == [min(max(3 * v - 255, 0), 255) for v in range(256)]'
go 0 run contrast ramp.pgm --output out/same.pgm
pixels out/same.pgm 'list(p) == list(range(256))'
go 0 run 'contrast:contrast=3 #a | contrast:contrast=1' --threads 1 --cpu base ramp.pgm -o out/chain.pgm
that 'filters that change nothing do not show' cmp out/three.pgm out/chain.pgm
go 0 run $'\n  contrast:contrast=3\t|contrast\n' ramp.pgm -o out/chain.pgm
that 'blanks around filters' cmp out/three.pgm out/chain.pgm
go 0 run contrast:contrast=@max*3 ramp.pgm -o out/figure.pgm # the maximum is 1
that 'a figure of the input' cmp out/three.pgm out/figure.pgm
go 0 run 'contrast #a | contrast:contrast=@#a.max*2+1' ramp.pgm -o out/figure.pgm
that 'a figure of a named image' cmp out/three.pgm out/figure.pgm
go 0 run 'contrast:contrast=0 | #in | contrast:contrast=3' ramp.pgm -o out/again.pgm
that 'a pipeline goes on from #in' cmp out/three.pgm out/again.pgm
go 0 run contrast:contrast=3 rgb.ppm -o out/color.ppm
pixels out/color.ppm 'list(p) == [min(max(3 * (i * 7 % 256) - 255, 0), 255) for i in range(24)]'
go 0 run contrast frames.pgm -o out/frames.pgm
go 0 stats --json out/frames.pgm
json 'd["layers"] == 3 and [x["mean"] for x in c] == [0, 1, 2]'
go 0 run --page 2 contrast frames.pgm -o out/page.pgm
pixels out/page.pgm 'list(p) == [2] * 4'
go 0 run contrast alpha.pam -o out/alpha.pam
that 'alpha stays' cmp alpha.pam out/alpha.pam

# a picture from nothing
go 0 run "${cpu[@]}" fill:color=#102030 --size 5x3 -o out/made.ppm
pixels out/made.ppm 'p == bytes([16, 32, 48] * 15)'
go 0 run --json contrast --size 7x2 --figure max
json '(d["file"], d["format"], d["width"], d["height"]) == ("7x2", "made", 7, 2)'
json 'd["figures"][0]["values"] == [0]'
refused 2 'is instead of an input file' run contrast --size 5x3 ramp.pgm -o out/made.ppm
refused 2 'allowed is WxH' run contrast --size 5 -o out/made.ppm
refused 2 'allowed is WxH' run contrast --size 0x5 -o out/made.ppm
refused 3 'max-pixels 100' run contrast --size 11x10 --max-pixels 100 -o out/made.ppm

# figures
go 0 run "${cpu[@]}" 'contrast:contrast=@max*3 #a' ramp.pgm --figure mean --figure '#in.p100' --figure rgb.max
says 'mean: 0.5'
says '#in.p100: 1'
says 'rgb.max: 2, 2, 2, 1' # before rounding
go 0 run "${cpu[@]}" --json 'contrast:contrast=@max*3 #a' ramp.pgm -f '#in.min' -o out/figure.pgm
json '[f["name"] for f in d["figures"]] == ["contrast", "#in.min"]'
json '[(f["filter"], f["values"]) for f in d["figures"]] == [("contrast", [3]), (None, [0])]'
go 0 run --json contrast ramp.pgm -o out/figure.pgm
json '"figures" not in d'
refused 2 'did you mean @mean' run contrast ramp.pgm --figure men
refused 2 'curve' run contrast ramp.pgm --figure cdf

# sample types
go 0 run --type u16 contrast ramp.pgm -o out/wide.pgm
go 0 stats --json out/wide.pgm
json 'd["type"] == "u16" and c[0]["max"] == 65535 and c[0]["sum"] == 32640 * 257'
go 0 run -t f32 contrast:contrast=3 ramp.pgm -o out/float.npy
go 0 stats --json out/float.npy
json 'd["type"] == "f32" and c[0]["min"] == -1 and c[0]["max"] == 2'
go 0 run -t u8 contrast out/wide.pgm -o out/narrow.pgm
that 'u16 and back' cmp out/same.pgm out/narrow.pgm
go 0 run -t f16 contrast ramp.pgm -o out/half.npy
go 0 stats --json out/half.npy
json 'd["type"] == "f16"'
refused 5 'f32' run -t f32 contrast ramp.pgm -o out/float.pgm

# channels
for device in "${devices[@]}"; do
    go 0 run --device "$device" --channels 1 contrast rgb.ppm -o out/grey.pgm
    luma='0.2125 * q[3*i] + 0.7154 * q[3*i+1] + 0.0721 * q[3*i+2]'
    pixels out/grey.pgm "(q := [i * 7 % 256 for i in range(24)]) and len(p) == 8 and \
        all(abs(p[i] - eval('$luma', {'q': q, 'i': i})) <= 0.51 for i in range(8))"
    go 0 run --device "$device" --channels 3 contrast ramp.pgm -o out/three.ppm
    pixels out/three.ppm 'list(p) == [v for v in range(256) for _ in range(3)]'
    go 0 run --device "$device" --channels 4 contrast ramp.pgm -o out/four.pam
    go 0 run --device "$device" --channels 1 contrast out/four.pam -o out/back.pgm
    that 'there and back' cmp out/same.pgm out/back.pgm
    go 0 run --device "$device" --json --channels 3 contrast alpha.pam -o out/no-alpha.ppm --figure a.min
    json 'd["outputs"][0]["channels"] == 3 and d["figures"][0]["values"][0] < 1'
done
refused 2 'allowed are 1, 3, 4' run --channels 2 contrast ramp.pgm -o out/grey.pgm

# a part of the image
python3 - <<'PYTHON'
with open("part.pgm", "wb") as f:
    f.write(b"P5\n16 16\n255\n" + bytes(255 if (x + y) % 3 else 0 for y in range(16) for x in range(16)))
PYTHON
# each: what pixel v at (x, y) becomes
each() {
    pixels out/part.pgm "list(p) == [$1 for v, (x, y) in enumerate((i % 16, i // 16) for i in range(256))]"
}
for device in "${devices[@]}"; do
    on=(--device "$device")
    go 0 run "${on[@]}" --region 8x4+2+5 color_invert ramp.pgm -o out/part.pgm
    each '255 - v if 2 <= x < 10 and 5 <= y < 9 else v'
    go 0 run "${on[@]}" --mask part.pgm color_invert ramp.pgm -o out/part.pgm
    each '255 - v if (x + y) % 3 else v'
    go 0 run "${on[@]}" --mask part.pgm --region 16x8+0+8 color_invert ramp.pgm -o out/part.pgm
    each '255 - v if (x + y) % 3 and y >= 8 else v'
    go 0 run "${on[@]}" --json --region 16x2+0+4 --channels 1 'levels:min=@min:max=@max' ramp.pgm \
        -f max -f '#in.mean' -o out/part.pgm
    json '[f["values"][0] for f in d["figures"]][:2] == [0.2509804, 0.37254903]'
    json '[f["values"][0] for f in d["figures"]][-2:] == [1, 0.31176472]'
    each 'round((v - 64) / 31 * 255) if 4 <= y < 6 else v'
    go 0 run "${on[@]}" --region 8x4+2+5 box_blur:radius=3 ramp.pgm -o out/part.pgm
    go 0 run "${on[@]}" box_blur:radius=3 ramp.pgm -o out/whole.pgm
    each 'open("out/whole.pgm", "rb").read()[v - 256] if 2 <= x < 10 and 5 <= y < 9 else v'
    go 0 run "${on[@]}" --region 1x1+0+0 -t u16 --channels 3 color_invert ramp.pgm -o out/part.ppm
    go 0 stats --json out/part.ppm
    json '[x["sum"] for x in c] == [(32640 + 255) * 257] * 3'
    go 0 run "${on[@]}" --region 2x1+0+0 fill:color=#ffffff ramp.pgm --channels 4 -o out/part.pam
    go 0 stats --json out/part.pam
    json '[x["sum"] for x in c] == [32640 + 510 - 1] * 3 + [255 * 256]'
    go 0 run "${on[@]}" --profile --region 16x2+0+4 --channels 1 'levels:min=@min:max=@max' ramp.pgm \
        -o out/profile.pgm
done
refused 2 'leaves the image' run --region 16x4+2+5 color_invert ramp.pgm -o out/part.pgm
refused 2 "so the output must have the input's size; the pipeline makes 8 x 8 of 16 x 16" \
    run --region 8x4+2+5 resize:width=8 ramp.pgm -o out/part.pgm
refused 2 'the output has labels' run --region 8x4+2+5 label ramp.pgm -o out/part.pgm
go 0 run -q -t u16 contrast ramp.pgm -o out/deep.pgm
refused 2 'the output has labels' run --region 8x4+2+5 label out/deep.pgm -o out/part.pgm
refused 2 'is of an image of 8 x 8 x 1' \
    run --mask part.pgm 'resize:width=8 #a | #in | brightness:brightness=@#a.mean' ramp.pgm -o out/part.pgm
refused 2 'mask has' run --mask rgb.ppm color_invert ramp.pgm -o out/part.pgm
refused 2 'input of this command' run --mask part.pgm color_invert ramp.pgm -o part.pgm

# standard input and output
go 0 run contrast:contrast=3 - -o - <ramp.pgm
that 'standard output is the image alone' cmp "$out" out/three.pgm
that 'nothing is reported beside it' test ! -s "$err"
go 0 run --format npy contrast ramp.pgm -o -
that 'the format of standard output' grep -q NUMPY "$out"
go 0 run --json contrast ramp.pgm -o -
that 'the report steps aside' grep -q lumagraph.run/1 "$err"

# reports
go 0 run --json contrast:contrast=3 ramp.pgm rgb.ppm -o out
json 'len(docs) == 2 and d["schema"] == "lumagraph.run/1" and d["pipeline"] == "contrast:contrast=3"'
json 'd["outputs"][0]["file"] == "out/ramp.pgm" and docs[1]["outputs"][0]["channels"] == 3'
json '[(x["name"], x["bytes"]) for x in d["stages"]] == [("contrast", 512)] and d["stages"][0]["seconds"] > 0'
json 'd["engine"]["variant"] == "1 stage" and d["engine"]["seconds"]["compute"] > 0'
go 0 run --profile contrast ramp.pgm
says 'of a copy'
go 0 run --profile --json contrast ramp.pgm
json 'd["stages"][0]["share_of_copy"] > 0 and d["outputs"][0]["file"] is None'
go 0 run --explain 'contrast | contrast' ramp.pgm
says '1  contrast + contrast'
go 0 run --explain --json contrast ramp.pgm -o out/never.pgm
json 'd["plan"][0].startswith("1  contrast")'
that 'explaining writes nothing' test ! -e out/never.pgm

# --device auto: a GPU only for what takes the processor long, and never software that plays one
gpu=$("$tool" devices --json | python3 -c 'import json, sys
print(int(any(d["device"] != "cpu" and d["usable"] and d["hardware"] and d["compiler"]
              for d in json.load(sys.stdin)["devices"])))')
processor=$("$tool" run --explain --json --device cpu color_invert ramp.pgm |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["device"])')
{
    printf 'P5\n2000 2000\n255\n'
    head -c 4000000 /dev/zero
} >out/large.pgm
auto=(run --explain --json --threads 1)
go 0 "${auto[@]}" contrast ramp.pgm
json 'd["device"] == processor and "no GPU" not in d["reason"]' processor
go 0 "${auto[@]}" bilateral:radius=8 out/large.pgm
json 'd["device"] == processor and "no GPU" not in d["reason"]' processor
json 'd["reason"].startswith("auto: 96.9 ms on the processor, 505 ms on a GPU")'
go 0 "${auto[@]}" bilateral:radius=32 out/large.pgm
that 'no remark on the search for a GPU' test ! -s "$err"
json '(d["device"] != processor) == (gpu == "1")' gpu processor
json '("no GPU can be used" in d["reason"]) == (gpu == "0")' gpu
json 'd["reason"].startswith("auto: 1.54 s on the processor, 550 ms on a GPU")'
go 0 "${auto[@]}" --device cpu bilateral:radius=32 out/large.pgm
json 'd["device"] == processor and d["reason"] == "asked for with --device"' processor
many=()
for _ in {1..10}; do many+=(out/large.pgm); done
"$tool" "${auto[@]}" bilateral:radius=8 "${many[@]}" >out/many.json
head -1 out/many.json >"$out"
json 'd["reason"].startswith("auto: 969 ms on the processor, 550 ms on a GPU")'
json '(d["device"] != processor) == (gpu == "1")' gpu processor
if "$tool" devices --json | grep -q '"device":"vulkan:'; then
    loads() {
        LD_DEBUG=files "$tool" "${auto[@]}" "$1" out/large.pgm 2>&1 | grep -q 'init.*libvulkan'
    }
    that 'the driver is loaded for a long task' loads bilateral:radius=32
    that 'and not for a short one' eval '! loads bilateral:radius=8'
else
    skip 2 'no Vulkan driver is here'
fi
go 0 run --threads 1 bilateral:radius=8 out/large.pgm --profile
says 'auto: 96.9 ms on the processor, 505 ms on a GPU expected'

# batches: the next file is read meanwhile; outputs, order and failures are those of single files
head -c 30 rgb.ppm >out/short.ppm
batch=(ramp.pgm rgb.ppm none.pgm alpha.pam out/short.ppm frames.pgm rgb.ppm deep.pgm)
go 1 run --json gaussian_blur "${batch[@]}" -o out/batch/
names=$(python3 -c 'import json, sys
for line in sys.stdin: d = json.loads(line); print(d["file"], "error" in d)' <"$out")
that 'a report each, in order' test "$names" = 'ramp.pgm False
rgb.ppm False
none.pgm True
alpha.pam False
out/short.ppm True
frames.pgm False
rgb.ppm True
deep.pgm False'
lines 3
for name in ramp.pgm rgb.ppm alpha.pam frames.pgm deep.pgm; do
    "$tool" run -q gaussian_blur $name -o out/alone.${name#*.}
    that "$name as alone" cmp out/batch/$name out/alone.${name#*.}
done
mkfifo out/second.pgm
exec 9<>out/second.pgm # the pipe has a writer: who reads it waits
has_second() { readlink "/proc/$1/fd/"* | grep -q 'out/second.pgm'; }
until_true() { for _ in {1..200}; do "$@" && return; sleep 0.02; done; }
"$tool" run -q --device cpu --threads 1 bilateral:radius=16 out/large.pgm out/second.pgm -o out/batch/ 9>&- &
until_true has_second $!
that 'the second file is read while the first is computed' test ! -e out/batch/large.pgm
until_true test -e out/batch/large.pgm
cat ramp.pgm >&9
exec 9>&-
wait $!
that 'and is done then' test -s out/batch/second.pgm
mkdir out/ended
exec 9<>out/second.pgm
"$tool" run -q contrast:contrast=3 ramp.pgm out/second.pgm ramp.pgm -o out/ended/ 9>&- &
until_true test -e out/ended/ramp.pgm
kill -TERM $!
wait $!
that 'a signal ends a batch whose next file is awaited' test $? -eq 143
exec 9>&-
that 'and leaves what was done' test "$(ls -A out/ended)" = ramp.pgm

go 0 run -q contrast ramp.pgm -o out/quiet.pgm

# ---- on Vulkan, where there is one
if "$tool" devices --json | grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    go 0 run --device vulkan --json 'contrast:contrast=3 #a | contrast:contrast=@#a.max*0+1' ramp.pgm \
        -o out/vulkan.pgm
    json 'd["engine"]["seconds"]["upload"] is not None'
    that 'the same image' cmp out/vulkan.pgm out/three.pgm
else
    skip 4 'no Vulkan device can be used here'
fi

# ---- several files ---------------------------------------------------------------------------------
mkdir -p batch
go 0 run contrast:contrast=3 ramp.pgm half.pgm 'ti*.pgm' -o batch
that 'names are kept' test -f batch/ramp.pgm -a -f batch/half.pgm -a -f batch/tiny.pgm
that 'the same as one by one' cmp batch/ramp.pgm out/three.pgm
go 0 run --format pam contrast rgb.ppm - -o batch <ramp.pgm
that 'names with another format' test -f batch/rgb.pam -a -f batch/stdin.pam
go 1 run color_invert ramp.pgm none.pgm cut.pgm half.pgm -o batch
lines 2
complains 'none.pgm: cannot read'
go 1 run color_invert ramp.pgm ./ramp.pgm -o batch
complains 'another input was already written'
# the previous file's figures, as long as the shape stays: half.pgm has a maximum of 1, small.pgm of 0
cp small.pgm dark.pgm
printf 'P5\n4 4\n255\n' >light.pgm
head -c 16 /dev/zero | tr '\0' '\377' >>light.pgm
mkdir -p stream
go 0 run contrast:contrast=@prev.max*3 light.pgm dark.pgm -o stream
pixels stream/dark.pgm 'list(p) == [0] * 16' # 3 x (0 - 0.5) + 0.5 is below 0; its own maximum gave grey
go 0 run contrast:contrast=@max*3 dark.pgm -o stream
pixels stream/dark.pgm 'set(p) <= {127, 128}'

# ---- refused ---------------------------------------------------------------------------------------
refused 2 "did you mean 'contrast'" run kontrast ramp.pgm -o out/x.pgm
refused 2 "did you mean 'contrast'" run contrast:contrats=2 ramp.pgm -o out/x.pgm
refused 2 'allowed is 0 to 4' run contrast:contrast=9 ramp.pgm -o out/x.pgm
refused 2 'allowed is 0 to 4' run contrast:contrast=-1e30 ramp.pgm -o out/x.pgm
refused 2 'a number is wanted' run contrast:contrast=nan ramp.pgm -o out/x.pgm
refused 2 'a number is wanted' run contrast:contrast= ramp.pgm -o out/x.pgm
refused 2 'unknown figure' run contrast:contrast=@mea ramp.pgm -o out/x.pgm
refused 2 'no image before it is called #b' run contrast:contrast=@#b.mean ramp.pgm -o out/x.pgm
refused 2 'character 11: a filter is missing' run 'contrast | | contrast' ramp.pgm -o out/x.pgm
refused 2 'character 1: a filter is missing' run '' ramp.pgm -o out/x.pgm
refused 2 'character 10: expected | or #NAME' run 'contrast contrast' ramp.pgm -o out/x.pgm
refused 2 'character 10: parameters are written' run 'contrast:contrast' ramp.pgm -o out/x.pgm
refused 2 'two images are called #a' run 'contrast #a | contrast #a' ramp.pgm -o out/x.pgm
refused 2 "did you mean #in" run '#inn | contrast' ramp.pgm -o out/x.pgm
refused 2 'no second image' run 'contrast:over=#in' ramp.pgm -o out/x.pgm
refused 2 'the pipeline comes first' run ramp.pgm contrast -o out/x.pgm
refused 3 '16384 characters' run "$(printf 'contrast |%.0s' {1..2000})" ramp.pgm -o out/x.pgm
refused 2 'needs -o OUT' run contrast ramp.pgm
refused 2 'a pipeline and an input file' run contrast -o out/x.pgm
refused 2 'a pipeline and an input file' run
refused 2 'needs an input file' run --graph none.json -o out/x.pgm
refused 2 'several inputs need a folder' run contrast ramp.pgm rgb.ppm -o out/none.ppm
refused 2 'names no image format' run contrast ramp.pgm -o out/x.xyz
refused 2 'extensions of images' run --format xyz contrast ramp.pgm -o -
refused 2 'allowed are u8, u16, f16, f32' run --type i8 contrast ramp.pgm -o out/x.pgm
refused 2 'NAME=FILE' run --input tex contrast ramp.pgm -o out/x.pgm
refused 2 'NAME=FILE' run --input =ramp.pgm contrast ramp.pgm -o out/x.pgm
refused 2 'no name of an image' run --input 'a b=rgb.ppm' contrast ramp.pgm -o out/x.pgm
refused 2 'two images are called #in' run --input in=rgb.ppm contrast ramp.pgm -o out/x.pgm
refused 5 'none.pgm: cannot read' run --input tex=none.pgm contrast ramp.pgm -o out/x.pgm
refused 5 'cut.pgm: truncated' run -i tex=cut.pgm contrast ramp.pgm -o out/x.pgm
refused 5 'none.pgm: cannot read' run contrast none.pgm -o out/x.pgm
refused 5 'cannot write' run contrast ramp.pgm -o none/x.pgm
refused 5 'cannot hold 3 channels' run contrast rgb.ppm -o out/x.pgm
refused 3 'max-pixels' run --max-pixels 255 swirl ramp.pgm -o out/x.pgm
refused 3 'max-side' run --max-side 15 contrast ramp.pgm -o out/x.pgm
refused 2 'no page 7' run --page 7 contrast frames.pgm -o out/x.pgm
refused 4 'Vulkan' run --device vulkan:77 contrast ramp.pgm -o out/x.pgm
that 'nothing was written' test ! -e out/x.pgm
cp ramp.pgm mine/input.pgm
refused 2 'is an input' run contrast mine/input.pgm -o mine/input.pgm
refused 2 'is an input' run contrast mine/input.pgm -o mine
refused 2 'is an input' run -i tex=mine/input.pgm contrast ramp.pgm -o mine/input.pgm
that 'the input is as it was' cmp ramp.pgm mine/input.pgm

# two images: the first --input by default, and sizes that differ
if "$tool" filters add_blend >/dev/null 2>&1; then
    go 0 run -i over=half.pgm add_blend ramp.pgm -o out/blend.pgm
    pixels out/blend.pgm 'list(p) == [255 if v % 16 < 8 else v for v in range(256)]'
    go 0 run -i x=ramp.pgm -i over=half.pgm 'add_blend:over=#over' ramp.pgm -o out/named.pgm
    that 'the second image by its name' cmp out/blend.pgm out/named.pgm
    refused 2 'add_blend needs a second image' run add_blend ramp.pgm -o out/x.pgm
    go 0 run -i x=small.pgm normal_blend:fit=tile ramp.pgm -o out/tile.pgm
    go 0 run canvas:width=16:height=16:outside=tile small.pgm -o out/tiled.pgm
    that 'a second image that is repeated' cmp out/tile.pgm out/tiled.pgm
    go 0 run -i x=small.pgm normal_blend ramp.pgm -o out/wide.pgm
    go 0 run resize:width=16:height=16:method=bilinear small.pgm -o out/resized.pgm
    that 'a second image that is stretched' cmp out/wide.pgm out/resized.pgm
    refused 2 'one of stretch|none|cover' run -i x=small.pgm add_blend:fit=no ramp.pgm -o out/x.pgm
else
    skip 16 'the catalogue has no add_blend'
fi

# ---- .cube tables ----------------------------------------------------------------------------------
go 0 stats --json look.cube
json 'd["format"] == "cube" and (d["width"], d["height"], d["layers"], d["type"]) == (3, 3, 3, "f32")'
json '[x["mean"] for x in c[:3]] == [0.5, 0.5, 0] and c[8]["mean"] == 1' # red is x, green y, blue the layer
go 0 run --input look=look.cube lookup rgb.ppm -o out/looked.ppm
pixels out/looked.ppm 'list(p) == [i * 7 % 256 for i in range(24)]' # the identity
go 0 run -i look=turn.cube 'contrast | lookup:over=#look' rgb.ppm -o out/turned.ppm
pixels out/turned.ppm 'list(p) == [(3 * (i // 3) + (i + 1) % 3) * 7 % 256 for i in range(24)]' # g b r
go 0 run -i unused=ramp.pgm -i look=turn.cube 'lookup:over=#look' rgb.ppm -o out/looked.ppm
that 'the image of a name' cmp out/looked.ppm out/turned.ppm
refused 2 'lookup needs a second image: --input NAME=FILE' run lookup rgb.ppm -o out/x.ppm
refused 2 'did you mean #look' run -i look=turn.cube lookup:over=#lok rgb.ppm -o out/x.ppm
refused 5 'none.cube: cannot read' run -i look=none.cube lookup rgb.ppm -o out/x.ppm
refused 5 'line 21 with 20 rows' run -i look=cut.cube contrast rgb.ppm -o out/x.ppm
go 0 run -i look=curve.cube lookup rgb.ppm -o out/looked.ppm
pixels out/looked.ppm 'list(p) == [(255 - i * 7 % 256) if i % 3 == 0 else i * 7 % 256 for i in range(24)]'
go 0 run -i look=curves.acv lookup rgb.ppm -o out/curved.ppm
that 'the curves of a file' cmp out/looked.ppm out/curved.ppm
go 0 run -i look=curves.acv tone_curve:over=#look rgb.ppm -o out/curved.ppm
that 'tone_curve with the curves of a file' cmp out/looked.ppm out/curved.ppm
refused 5 'truncated: the file ends after 12 bytes' run -i look=cut.acv lookup rgb.ppm -o out/x.ppm
refused 2 'layout=hald wants a square' run -i look=turn.cube lookup:layout=hald rgb.ppm -o out/x.ppm
go 0 stats --json curves.acv
json 'd["format"] == "acv" and (d["width"], d["height"], d["layers"], d["type"]) == (1025, 1, 1, "f32")'

# ---- graphs ----------------------------------------------------------------------------------------
graph() { printf '%s' "$1" >graph.json; }
# whole NODES OUTPUTS: a graph with one input.
whole() { printf '{"inputs": ["in"], "nodes": [%s], "outputs": [%s]}' "$1" "$2"; }
node() { printf '{"name": "%s", "filter": "contrast", "in": "%s", "params": {%s}}' "$1" "$2" "${3:-}"; }
graph "$(whole "$(node b a '"contrast": 1'), $(node a in '"contrast": 3')" '"b", "a"')"
"$tool" run --graph graph.json --explain ramp.pgm >"$out" 2>"$err"
if grep -q 'build with libjansson' "$err"; then
    skip 62 'this build has no libjansson'
    printf 'run --graph x\nrun -g x\n' >>"$args"
else
    go 0 run --graph graph.json ramp.pgm -o a=out/a.pgm -o b=out/b.pgm
    that 'nodes in any order' cmp out/a.pgm out/three.pgm
    that 'several outputs' cmp out/b.pgm out/three.pgm
    go 0 run --json -g graph.json ramp.pgm -o a=out/a.pgm -o b=out/b.pgm
    json '[x["name"] for x in d["outputs"]] == ["b", "a"] and d["graph"] == "graph.json"'
    mkdir -p first second
    go 0 run -g graph.json ramp.pgm half.pgm -o a=first -o b=second
    that 'an output is a folder' cmp first/ramp.pgm second/ramp.pgm
    refused 2 'several outputs' run -g graph.json ramp.pgm -o out/a.pgm
    refused 2 "output 'b' goes nowhere" run -g graph.json ramp.pgm -o a=out/a.pgm
    refused 2 'another output goes there' run -g graph.json ramp.pgm -o a=out/a.pgm -o b=out/a.pgm
    refused 2 'already goes to' run -g graph.json ramp.pgm -o a=out/a.pgm -o a=out/b.pgm
    # each refusal: the text of a graph, what is said
    delayed='{"name": "a", "filter": "contrast", "in": "@-1", "first": "b"}'
    while IFS='~' read -r expected what text; do
        graph "$text"
        refused "$expected" "$what" run --graph graph.json ramp.pgm -o out/x.pgm
    done <<TEXT
2~line 1, column 13~{"inputs": [}
2~line 1, column 0~
2~a graph is~[]
2~did you mean "nodes"~{"inputs": ["in"], "noods": [], "nodes": [], "outputs": ["in"]}
2~"inputs" has to be a list~{"nodes": [], "outputs": ["in"]}
2~"outputs" has to be a list~{"inputs": ["in"], "nodes": [], "outputs": []}
2~a list of names~{"inputs": [1], "nodes": [], "outputs": ["in"]}
2~did you mean 'in'~{"inputs": ["in"], "nodes": [], "outputs": ["inn"]}
2~node number 1~$(whole '{"filter": "contrast"}' '"in"')
2~two images are called 'in'~$(whole "$(node in in)" '"in"')
2~a <- b <- a~$(whole "$(node a b), $(node b a)" '"a"')
2~a <- a~$(whole "$(node a in '"contrast": "@a.mean"')" '"a"')
2~did you mean 'blur'~$(whole "$(node blur in), $(node b blr)" '"b"')
2~node 'a': there is no filter 'contrats'~$(whole '{"name": "a", "filter": "contrats", "in": "in"}' '"a"')
2~has no "filter"~$(whole '{"name": "a", "in": "in"}' '"a"')
2~has no "in"~$(whole '{"name": "a", "filter": "contrast"}' '"a"')
2~has no second image~$(whole '{"name": "a", "filter": "contrast", "in": "in", "over": "in"}' '"a"')
2~did you mean "params"~$(whole '{"name": "a", "filter": "contrast", "in": "in", "parameters": {}}' '"a"')
2~allowed is 0 to 4~$(whole "$(node a in '"contrast": 40')" '"a"')
2~did you mean 'contrast'~$(whole "$(node a in '"contras": 1')" '"a"')
2~a number is wanted~$(whole "$(node a in '"contrast": [1, 2]')" '"a"')
2~has to be a number~$(whole "$(node a in '"contrast": null')" '"a"')
2~contrast: no input and no node is called 'inn'~$(whole "$(node a in '"contrast": "@inn.mean"')" '"a"')
2~unknown figure~$(whole "$(node a in '"contrast": "@in.avg"')" '"a"')
2~--input tex=FILE~{"inputs": ["in", "tex"], "nodes": [], "outputs": ["in"]}
2~no name of an image~$(whole "$(node 'a b' in)" '"a b"')
2~NAME@-RUNS, with 1 to 64 runs~$(whole "$(node a in@-0)" '"a"')
2~NAME@-RUNS, with 1 to 64 runs~$(whole "$(node a in@-65)" '"a"')
2~NAME@-RUNS, with 1 to 64 runs~$(whole "$(node a in@-2x)" '"a"')
2~did you mean 'in'~$(whole "$(node a inn@-1)" '"a"')
2~this node has none~$(whole '{"name": "a", "filter": "contrast", "in": "in", "first": "in"}' '"a"')
2~an image of this run~$(whole '{"name": "a", "filter": "contrast", "in": "in@-1", "first": "in@-1"}' '"a"')
2~b <- a <- b~$(whole "$(node b a), ${delayed/@-1/b@-1}" '"a"')
2~duplicate~{"inputs": ["in"], "inputs": ["in"], "nodes": [], "outputs": ["in"]}
TEXT
    that 'nothing was written' test ! -e out/x.pgm
    graph "$(whole "$(node a in '"contrast": "@in.max*3"')" '"a"')"
    go 0 run -g graph.json ramp.pgm -o out/a.pgm
    that 'a figure of an input' cmp out/a.pgm out/three.pgm
    go 0 run -g - ramp.pgm -o out/a.pgm <graph.json
    graph "$(whole "$(node a in), $(node b in '"contrast": "@prev.a.luma.max*3"')" '"b"')"
    go 0 run -g graph.json ramp.pgm -o out/a.pgm
    that 'a figure of a node that is called as a channel' cmp out/a.pgm out/three.pgm
    graph '{"inputs": ["in", "look"], "nodes": [{"name": "a", "filter": "lookup", "in": "in", "over": "look",
        "params": {"interpolation": "tetrahedral", "intensity": 1}, "comment": "g b r"}], "outputs": ["a"]}'
    go 0 run -g graph.json -i look=turn.cube rgb.ppm -o out/looked.ppm
    that 'a second image in a graph' cmp out/looked.ppm out/turned.ppm
    refused 2 '--input look=FILE' run -g graph.json rgb.ppm -o out/x.ppm
    refused 2 "did you mean 'look'" run -g graph.json -i look=turn.cube -i lok=rgb.ppm rgb.ppm -o out/x.ppm
    refused 2 'given twice' run -g graph.json -i look=turn.cube -i look=turn.cube rgb.ppm -o out/x.ppm
    graph '{"inputs": ["in", "x"], "nodes": [{"name": "a", "filter": "normal_blend", "in": "in", "over": "x",
        "params": {"fit": "tile"}}], "outputs": ["a"]}'
    go 0 run -g graph.json -i x=small.pgm ramp.pgm -o out/a.pgm
    that 'a second image of another size in a graph' cmp out/a.pgm out/tile.pgm
    graph "$(whole '{"name": "a", "filter": "lookup", "in": "in"}' '"a"')"
    refused 2 'lookup needs a second image' run -g graph.json rgb.ppm -o out/x.ppm
    node='{"name": "a", "filter": "levels", "in": "in", "params": {"min": [0.25, 0.25, 0.25]}}'
    graph "$(whole "$node" '"a"')"
    go 0 run -g graph.json ramp.pgm -o out/a.ppm
    go 0 run levels:min=0.25,0.25,0.25 ramp.pgm -o out/b.ppm
    that 'a list of numbers' cmp out/a.ppm out/b.ppm
    # a filter that stands for a pipeline is a node like others
    short=$("$tool" filters | awk '$2 == "pipeline" && $3 == 1 { print $1; exit }')
    if [[ -n $short ]]; then
        node=$(printf '{"name": "a", "filter": "%s", "in": "b"}' "$short")
        graph "$(whole "$node, $(node b in)" '"a"')"
        go 0 run -g graph.json rgb.ppm -o out/a.ppm
        go 0 run "contrast | $short" rgb.ppm -o out/b.ppm
        that "$short in a graph" cmp out/a.ppm out/b.ppm
    else
        skip 3 'the catalogue has no filter that stands for a pipeline of one image'
    fi
    graph "$(whole "$(node a in)" '"a"')"
    refused 2 'no such further input' run -g graph.json -i tex=rgb.ppm ramp.pgm -o out/x.pgm
    cp graph.json graph.pgm
    refused 2 'is an input' run -g graph.pgm ramp.pgm -o graph.pgm
    that 'the graph is as it was' cmp graph.json graph.pgm
    refused 5 'none.json' run -g none.json ramp.pgm -o out/x.pgm
    # the graph that docs/cli.md shows
    awk '/^```json/ { inside = 1; next } /^```/ { inside = 0 } inside' "$root/docs/cli.md" >graph.json
    go 0 run -g graph.json -i paper=half.pgm ramp.pgm -o print=out/print.pam -o soft=out/soft.pam
    # limits: just too many nodes, and far too many, which is said at once
    python3 - <<'PYTHON'
import json
def write(name, count):
    nodes = [{"name": "n%d" % i, "filter": "contrast", "in": "n%d" % (i - 1) if i else "in"}
             for i in reversed(range(count))]
    json.dump({"inputs": ["in"], "nodes": nodes, "outputs": ["n%d" % (count - 1)]}, open(name, "w"))
write("most.json", 4095)
write("more.json", 4096)
write("million.json", 1000000)
PYTHON
    go 0 run -g most.json ramp.pgm -o out/most.pgm
    that '4095 filters that change nothing' cmp out/most.pgm out/same.pgm
    refused 3 'at most 4096' run -g more.json ramp.pgm -o out/x.pgm
    refused 3 'at most 4096' run -g million.json ramp.pgm -o out/x.pgm
    rm million.json
fi

# ---- formats through libvips -----------------------------------------------------------------------
last=probe
"$tool" stats grey.png >"$out" 2>"$err"
if grep -q 'build with libvips' "$err"; then
    skip 25 'this build has no libvips'
else
    # has PROFILE FILE: the file holds the colour profile.
    has() {
        python3 - "$1" "$2" <<'PYTHON'
import re, sys, zlib
profile, data = (open(name, "rb").read() for name in sys.argv[1:])
start = data.find(b"iCCP")
length = int.from_bytes(data[start - 4:start], "big")
packed = re.sub(rb"^[^\0]+\0\0", b"", data[start + 4:start + 4 + length]) if start > 0 else b""
sys.exit(0 if profile in data or (packed and zlib.decompress(packed) == profile) else 1)
PYTHON
    }
    for extension in png tif jpg webp; do
        go 0 run contrast profile.png -o "out/profile.$extension"
        that "the profile is in .$extension" has rgb.icc "out/profile.$extension"
    done
    that 'the resolution is kept' grep -qa 'pHYs' out/profile.png
    go 0 run contrast grey-profile.png -o out/grey.tif
    that 'a grey profile for grey' has grey.icc out/grey.tif
    go 0 run levels grey-profile.png -o out/grey.tif
    complains 'profile of grey-profile.png is not kept'
    that 'no grey profile for colour' test -z "$(has grey.icc out/grey.tif && echo there)"
    go 0 run --strip contrast profile.png -o out/bare.png
    that 'no profile when told' test -z "$(has rgb.icc out/bare.png && echo there)"
    go 0 run contrast profile.png -o out/bare.ppm
    complains 'profile of profile.png is not kept'
    go 0 run --quiet contrast profile.png -o out/bare.ppm
    that 'no word with --quiet' test ! -s "$err"
    # 1 2 3 over 4 5 6, stored in each of the orientations of TIFF, and what is upright
    python3 - <<'PYTHON'
import struct
for way in range(10):
    tags = [(256, 3, 3), (257, 3, 2), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1),
            (278, 3, 2), (279, 4, 6)] + ([(274, 3, way)] if way else [])
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in sorted(tags))
    data = b"II*\0" + struct.pack("<I", 14) + bytes([10, 20, 30, 40, 50, 60])
    open(f"way{way}.tif", "wb").write(data + struct.pack("<H", len(tags)) + entries + bytes(4))
PYTHON
    upright() {
        go 0 run --auto-orient contrast "way$1.tif" -o out/upright.pgm
        pixels out/upright.pgm "[v // 10 for v in p] == [$2] and head.split()[-1] == b'$3'"
    }
    for way in 0 1 9; do
        upright $way 1,2,3,4,5,6 2
    done
    upright 2 3,2,1,6,5,4 2
    upright 3 6,5,4,3,2,1 2
    upright 4 4,5,6,1,2,3 2
    upright 5 1,4,2,5,3,6 3
    upright 6 4,1,5,2,6,3 3
    upright 7 6,3,5,2,4,1 3
    upright 8 3,6,2,5,1,4 3
    go 0 run contrast way6.tif -o out/upright.pgm
    pixels out/upright.pgm '[v // 10 for v in p] == [1, 2, 3, 4, 5, 6]'
    complains 'the orientation of way6.tif is not kept'
    go 0 run contrast way1.tif -o out/upright.pgm
    that 'nothing to turn, nothing to say' test -z "$(grep orientation "$err")"
    go 0 run contrast way6.tif -o out/turned.png # which had no EXIF
    that 'PNG says it as well' grep -qaP '\x12\x01\x03\x00\x01\x00\x00\x00\x06' out/turned.png
    that 'and so there is no note' test -z "$(grep orientation "$err")"
    for strip in '' --strip; do
        go 0 run --auto-orient $strip contrast way6.tif -o out/upright.tif
        go 0 run --auto-orient contrast out/upright.tif -o out/upright.pgm # no second time
        pixels out/upright.pgm '[v // 10 for v in p] == [4, 1, 5, 2, 6, 3]'
    done
    # a photograph with an EXIF thumbnail: the orientation stays, the thumbnail would show the old image
    python3 - "$root/images/rocket.jpg" thumbnail.jpg far.jpg <<'PYTHON'
import struct, sys
thumbnail = b"\xff\xd8" + b"thumbnail" * 5 + b"\xff\xd9"
def directory(entries, following):
    return struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *e) for e in entries) + \
        struct.pack("<I", following)
exif = b"Exif\0\0II*\0" + struct.pack("<I", 8) + directory([(0x112, 3, 1, 6)], 26) + \
    directory([(0x103, 3, 1, 6), (0x201, 4, 1, 68), (0x202, 4, 1, len(thumbnail))], 0) + thumbnail
data = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(data[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + data[2:])
far = b"Exif\0\0II*\0" + struct.pack("<I", 8) + directory([(0x112, 3, 1, 6)], 0x7ffffff0)
open(sys.argv[3], "wb").write(data[:2] + b"\xff\xe1" + struct.pack(">H", len(far) + 2) + far + data[2:])
PYTHON
    go 0 run contrast far.jpg -o out/far.jpg # its second directory lies behind the end
    for extension in jpg png; do
        go 0 run contrast thumbnail.jpg -o "out/thumbnail.$extension"
        that 'the orientation stays' grep -qaP '\x12\x01\x03\x00\x01\x00\x00\x00\x06' \
            "out/thumbnail.$extension"
        that 'the thumbnail goes' test -z "$(grep -a thumbnailthumb "out/thumbnail.$extension")"
    done
    refused 5 'drops the colours of clear pixels' run contrast:contrast=3 rgba.png -o out/rgba.webp
    go 0 run contrast:contrast=3 rgba.png -o out/rgba.png
    go 0 stats --json out/rgba.png
    json '[x["name"] for x in c] == ["r", "g", "b", "a"] and c[3]["mean"] == 95.75'
    go 0 run contrast pages.tif -o out/pages.tif
    go 0 stats --json out/pages.tif
    json 'd["layers"] == 3 and [x["mean"] for x in c] == [5, 6, 7]'
    refused 5 'layers' run contrast pages.tif -o out/x.png
    refused 5 '--type u8' run contrast grey16.png -o out/x.jpg
    refused 3 '--allow-untrusted' run contrast ink.svg -o out/x.png
    go 5 run --allow-untrusted contrast text.png -o out/x.png
    that 'nothing was written' test ! -e out/x.png
fi
printf 'run --allow-untrusted --strip x\n' >>"$args"

# ---- the catalogue ---------------------------------------------------------------------------------
go 0 filters
says 'contrast'
go 0 filters contrast
says 'factor: 0 gives mid grey'
says 'GPUImageContrastFilter'
says 'contrast=2: 0.25,0.5,0.75,0.5 -> 0,0.5,1,0.5'
go 0 filters --json
that 'the catalogue is a document' python3 - "$out" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
assert list(document) == ["schema", "filters"] and document["schema"] == "lumagraph.filters/1"
filters = document["filters"]
names = [f["name"] for f in filters]
assert names == sorted(names) and "contrast" in names
for f in filters:
    assert f["kind"] in "point blend warp window generate native pipeline command".split(), f
    assert f["summary"] and f["source"] and 0 <= f["inputs"] <= 2, f
    for p in f["params"]:
        assert p["help"] and set(p) >= set("name kind unit default min max choices".split()), (f["name"], p)
        if p["kind"] in ("number", "integer"):
            assert p["min"] is None or p["min"] <= p["default"] <= p["max"], (f["name"], p)
        if p["kind"] == "choice":
            assert p["default"] in p["choices"], (f["name"], p)
PYTHON
go 0 filters histogram
says 'kind command'
says 'lumagraph histogram FILE'
go 0 filters convert_image sepia --json
json '[f["kind"] for f in d["filters"]] == ["command", "point"] and "--type" in d["filters"][0]["formula"]'
refused 2 'histogram is no filter but a command: lumagraph histogram' run histogram ramp.pgm -o out/x.pgm
go 0 filters contrast --json -o out/contrast.json
that 'one filter is a list of one' \
    grep -q '^{"schema":".*","filters":\[{"name":"contrast","kind":"point","inputs":1' out/contrast.json
go 0 filters --json sepia contrast
json 'len(docs) == 1 and [f["name"] for f in d["filters"]] == ["sepia", "contrast"]'
refused 2 "did you mean 'contrast'" filters kontrast
refused 2 'lists them' filters qqqqqqqqqqqqqqq

# ---- completion ------------------------------------------------------------------------------------
refused 2 'bash, zsh or fish' completion
refused 2 'did you mean fish' completion fisch
refused 2 'is too much' completion bash zsh
go 0 completion fish
says "complete -c lumagraph -n '__fish_seen_subcommand_from run filters' -a contrast"
go 0 completion zsh
says bashcompinit
go 0 completion bash
cp "$out" completion.bash
# completes LINE WORDS: what bash offers at the end of the line.
completes() {
    last="completion of: $1"
    local offered
    offered=$(COMP_LINE=$1 bash -c 'source ./completion.bash
        COMP_POINT=${#COMP_LINE} COMP_WORDBREAKS=$'"' \\t\\n\"><=;|&(:'"' COMPREPLY=()
        _lumagraph; echo "${COMPREPLY[*]}"')
    if [[ $offered == "$2" ]]; then good; else bad "'$offered' was offered, '$2' expected"; fi
}
completes 'lumagraph comp' completion
completes 'lumagraph run contras' contrast
# Behind a second offer the shell leaves the quote open.
completes "lumagraph run 'contrast | contras" 'contrast | contrast contrast | contrast:'
completes "lumagraph run 'contrast'" ''
completes 'lumagraph label --columns area,circ' area,circularity
completes 'lumagraph run contrast:con' contrast=
completes 'lumagraph run contrast:contrast=@me' '@mean @median'
completes 'lumagraph run contrast:contrast=@ra' @range
completes 'lumagraph run contrast a.png --typ' --type
completes 'lumagraph run contrast a.png --type f' 'f16 f32'
completes 'lumagraph run contrast a.png --type=f' 'f16 f32'
completes 'lumagraph run --graph g.json ' ''
completes 'lumagraph filters contr' contrast
completes 'lumagraph histogram --space hs' 'hsv hsl'
completes 'lumagraph help sel' selftest
completes 'lumagraph completion ' 'bash zsh fish'

for command in run filters completion; do
    go 0 $command --help
    says "usage: lumagraph $command"
done
