# What the tool does with mistakes: repeated options and parameters, values outside their unit, filters
# that do nothing, words from elsewhere; how wide its tables are; what completion leaves of a line.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p made
x=made/x.pgm

# ---- once is enough --------------------------------------------------------------------------------
refused 2 "--region is given twice, as '4x4+0+0' and as '8x8+0+0'" \
    stats --region 4x4+0+0 --region 8x8+0+0 ramp.pgm
refused 2 '--mask is given twice' stats --mask ramp.pgm --mask ramp.pgm ramp.pgm
refused 2 '--method is given twice' threshold -m otsu --method=mean ramp.pgm
refused 2 '--bins is given twice' histogram --bins 16 --bins 32 ramp.pgm
refused 2 '--output is given twice' stats -o made/a -o made/b ramp.pgm
refused 2 '--type is given twice' run -t u8 -t u16 contrast:contrast=2 ramp.pgm -o $x
refused 2 '--figure is given twice' areasum -f sum -f mean --box 1x1+0+0 ramp.pgm
go 0 areasum --box 1x1+0+0 --box 2x1+1+0 ramp.pgm
go 0 stats --json --json ramp.pgm
refused 5 'use .ppm, .pam or .npy' run gray_world ramp.pgm -o $x
go 0 help --help
says 'usage: lumagraph COMMAND'
refused 2 'character 34: gaussian_blur: sigma is given twice, as 2 and as 3' \
    run 'contrast | gaussian_blur:sigma=2:sigma=3' ramp.pgm -o $x
refused 2 'character 19: box_blur: radius is given twice' run box_blur:radius=2:blur_radius=3 ramp.pgm -o $x
refused 2 'over is given twice' run multiply_blend:over=#a:over=#a -i a=ramp.pgm ramp.pgm -o $x
printf '{"inputs": ["in"], "nodes": [{"name": "a", "filter": "box_blur", "in": "in",
    "params": {"radius": 1, "blur_radius": 2}}], "outputs": ["a"]}' >twice.json
refused 2 'given twice' run -g twice.json ramp.pgm -o $x

# ---- values outside their unit ---------------------------------------------------------------------
refused 2 'solid_color: color=255,128,0: components of colours are in 0..1' \
    run solid_color:color=255,128,0 rgb.ppm -o made/x.ppm
complains 'where images are of integers; is #ff8000 meant?'
refused 2 'level' run threshold:level=128 ramp.pgm -o $x
complains 'is 0.501961 meant, 128 of 255?'
complains 'luminance_threshold in threshold'
refused 2 'levels: max=200' run levels:max=200 ramp.pgm -o $x
refused 2 '-16 to 16 behind other filters' run 'gamma:gamma=2 | threshold:level=128' ramp.pgm -o $x
refused 2 '(the 2. of 2)' run 'fill:color=1 | fill:color=2' ramp.pgm -o $x
go 0 run 'exposure:exposure=2 | levels:max=4' rgb.ppm -o made/x.ppm
go 0 run -t f32 solid_color:color=255,128,0 rgb.ppm -o made/x.npy
go 0 run threshold:level=128 made/x.npy -o made/y.npy
go 0 run threshold:level=@max*2 ramp.pgm -o $x
# levels of commands are in stored units; what parts nothing, or looks like a fraction, is said
for command in 'threshold -m' 'label -t' 'areasum --box 2x2+0+0 -f count_above --above'; do
    read -ra words <<<"$command"
    go 0 "${words[@]}" 300 ramp.pgm
    complains 'u8 samples are 0 to 255, none above the level 300'
    go 0 "${words[@]}" -3 ramp.pgm
    complains 'u8 samples are 0 to 255, all above the level -3'
    go 0 "${words[@]}" 0.5 ramp.pgm
    complains 'the level 0.5 is in stored units, 0 to 255; is 127.5 meant?'
    for level in 0 1 100.5 254; do
        go 0 "${words[@]}" "$level" ramp.pgm
        that 'no note about a usual level' test ! -s "$err"
    done
done
refused 2 'levels: max=0.5 is not above min=0.5 in red' run levels:min=0.5:max=0.5 ramp.pgm -o $x
refused 2 'vignette: vignette_end=0.75 is not above vignette_start=0.8; set both' \
    run vignette:start=0.8 ramp.pgm -o $x
refused 2 'character 1: tilt_shift: bottom_focus_level=0.3 is not above top_focus_level=0.4' \
    run tilt_shift:bottom_focus_level=0.3 ramp.pgm -o $x
refused 2 'upper_threshold=0.1 is below lower_threshold=0.2; set both so that lower_threshold <=' \
    run canny_edge_detection:upper_threshold=0.1:lower_threshold=0.2 ramp.pgm -o $x

# ---- channels without spread -----------------------------------------------------------------------
python3 - <<'PYTHON'
row = [bytes([40 + i, 0, 0]) for i in range(64)]
open("red.ppm", "wb").write(b"P6\n64 8\n255\n" + b"".join(row) * 8)
stars = bytearray(6400)
stars[::1600] = b"\xc8" * 4
open("stars.pgm", "wb").write(b"P5\n80 80\n255\n" + stars)
PYTHON
go 0 run auto_levels red.ppm -o made/red.ppm
go 0 stats --json made/red.ppm
json '[k["max"] for k in c] == [255, 0, 0] and c[0]["min"] == 0'
go 0 run auto_levels stars.pgm -o made/stars.ppm
go 0 stats --json made/stars.ppm
json 'all(k["min"] == 0 and k["max"] == 200 and k["sum"] == 800 for k in c)'
go 0 run levels:min=@p1:max=@p99 red.ppm -o made/red.ppm
go 0 stats --json made/red.ppm
json '[k["max"] for k in c] == [255, 0, 0]'

# ---- filters that do nothing -----------------------------------------------------------------------
go 0 run 'sharpen | contrast:contrast=1.5 | gamma' ramp.pgm -o $x
complains 'note: sharpen changes nothing with sharpness=0'
complains 'note: gamma changes nothing with gamma=1'
lines 2
go 0 run -q 'sharpen | gamma' ramp.pgm rgb.ppm -o made/
that 'a quiet run says nothing' test ! -s "$err" -a ! -s "$out"
go 0 run contrast:contrast=@max*1 ramp.pgm -o $x
that 'a measured parameter may change something' test ! -s "$err"
go 0 filters sharpen
says 'changes nothing with: sharpness=0'
go 0 filters vignette
says 'a grey image becomes RGB'
go 0 filters bilateral
says 'another spelling'
says 'OpenCV'

# ---- where a value is wrong ------------------------------------------------------------------------
refused 2 'pipeline, character 39: gaussian_blur: sigma=x: a number is wanted' \
    run 'gaussian_blur:sigma=1 | gaussian_blur:sigma=x' ramp.pgm -o $x
refused 2 'character 11: threshold: level=@foo: unknown figure' run threshold:level=@foo ramp.pgm -o $x
refused 2 'over=foo: an image is wanted, over=#NAME; did you mean over=#foo?' \
    run multiply_blend:over=foo -i foo=ramp.pgm ramp.pgm -o $x
refused 2 'figures are multiplied, not divided: @otsu*0.5' run threshold:level=@otsu/2 ramp.pgm -o $x
refused 2 'joined by |, not by a comma' run gaussian_blur:sigma=2,contrast:contrast=2 ramp.pgm -o $x

# ---- words from elsewhere --------------------------------------------------------------------------
while read -r word meant; do
    refused 2 "did you mean '$meant" run "$word" ramp.pgm -o $x
done <<'WORDS'
blur gaussian_blur
invert color_invert
equalize histogram_equalization
lut lookup
mirror flip
thumbnail resize
GPUImageGaussianBlurFilter gaussian_blur
GPUImageSepia sepia
detection canny_edge_detection', '
WORDS
refused 2 'did you mean otsu?' threshold --method ostu ramp.pgm
refused 2 'did you mean f32?' run -t f23 contrast:contrast=2 ramp.pgm -o $x
go 2 --verison
complains 'did you mean --version?'
go 0 threshold --method 100 --json ramp.pgm
json 'd["level"] == 100'
go 0 threshold --method 100 ramp.pgm
that 'no nan for a level that was given' test "$(grep -c nan "$out")" -eq 0
go 2 bench $'x\e[31m'
that 'no escape is printed' test "$(grep -c $'\e' "$err")" -eq 0

# ---- outputs ---------------------------------------------------------------------------------------
rm -rf new
go 0 run color_invert ramp.pgm alpha.pam -o new/
that 'a folder is made' test -s new/ramp.pgm -a -s new/alpha.pam
rm -rf new
go 0 run color_invert ramp.pgm alpha.pam -o new
that 'a folder is made for several inputs' test -s new/ramp.pgm -a -s new/alpha.pam
rm -rf new
go 0 threshold ramp.pgm -o new/
that 'a slash means a folder' test -s new/ramp.png -o -s new/ramp.pgm
refused 2 'several inputs need a folder' run color_invert ramp.pgm alpha.pam -o new.pgm
refused 5 'cannot be made' run color_invert ramp.pgm -o none/of/these/
rm -rf new
# A container may have no terminals to give.
terminals=yes
python3 -c 'import os; os.openpty()' 2>/dev/null || terminals=no
last='run -o - on a terminal'
if [[ $terminals == no ]]; then
    skip 1 'output on a terminal: this machine has no pseudo-terminals'
else
    python3 - "$tool" >"$out" 2>"$err" <<'PYTHON'
import os, pty, sys
code = pty.spawn([sys.argv[1], "run", "color_invert", "ramp.pgm", "-o", "-"], lambda fd: os.read(fd, 4096))
sys.exit(os.waitstatus_to_exitcode(code))
PYTHON
    status=$?
    that 'an image does not go to a terminal' test "$status" -eq 2
    says 'standard output is a terminal'
fi

# ---- memory ----------------------------------------------------------------------------------------
# Whatever the limit: an image, or a refusal that speaks of memory. Damaged is never what it is.
python3 - <<'PYTHON'
import struct, zlib
raw = (b"\0" + bytes(6000)) * 6000
chunks = [(b"IHDR", struct.pack(">IIBBBBB", 6000, 6000, 8, 0, 0, 0, 0)),
          (b"IDAT", zlib.compress(raw, 1)), (b"IEND", b"")]
open("large.png", "wb").write(b"\x89PNG\r\n\x1a\n" + b"".join(
    struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks))
PYTHON
if ! "$tool" threshold large.png >"$out" 2>"$err"; then
    skip 1 'this build reads no PNG'
else
    last='threshold large.png with little memory' refused_memory=0
    for limit in $(seq 150000 10000 300000); do
        (ulimit -v "$limit" && exec "$tool" threshold --threads 1 --device cpu large.png) >"$out" 2>"$err"
        status=$?
        [[ $status -eq 0 ]] && break
        grep -q 'large.png' "$err" || continue # the program itself did not start
        if grep -q 'out of memory' "$err" && [[ $status -eq 3 ]]; then
            refused_memory=$((refused_memory + 1))
        else
            bad "with $limit KiB"
        fi
    done
    that 'memory ran out at least once' test $refused_memory -gt 0
    last='run -o small.png with little memory'
    for limit in $(seq 150000 10000 300000); do
        (ulimit -v "$limit" && exec "$tool" run -q --threads 1 --device cpu color_invert ramp.pgm \
            -o made/small.png) >"$out" 2>"$err"
        status=$?
        [[ $status -eq 0 ]] && break
        grep -q 'ramp.pgm' "$err" || continue
        if ! grep -q 'out of memory' "$err" || [[ $status -ne 3 ]]; then
            bad "with $limit KiB"
        fi
    done
    that 'with enough memory there is an image' test "$status" -eq 0 -a -s made/small.png
fi

# ---- widths ----------------------------------------------------------------------------------------
narrow() {
    if python3 - "$out" <<'PYTHON'
import sys
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
sys.exit(max(map(len, lines)) > 80)
PYTHON
    then good; else bad "a line is longer than 80 columns"; fi
}
for command in stats histogram threshold areasum label merge run filters devices selftest completion; do
    go 0 $command --help
    narrow
done
go 0 --help
narrow
go 0 filters
narrow
go 0 filters tone_curve bilateral color_matrix histogram_equalization
narrow
go 0 devices
narrow
go 0 label ramp.pgm
narrow
go 0 histogram -p "$(seq -s , 1 32)" ramp.pgm # more columns than bits of a word
narrow
that 'a wide table has several parts' test "$(grep -c '^channel' "$out")" -gt 1
go 0 label --columns all ramp.pgm
narrow

# ---- completion ------------------------------------------------------------------------------------
go 0 completion bash
cp "$out" completion.bash
# typed KEYS LINE: what is on the line of a real bash after these keys. A key that is bound to nothing
# else prints it, so nothing has to be waited for.
typed() {
    last="typed: $1"
    if [[ $terminals == no ]]; then
        skip 1 'completion in a real shell: this machine has no pseudo-terminals'
        return
    fi
    if python3 - "$1" "$2" >"$out" 2>"$err" <<'PYTHON'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(PS1="", TERM="dumb", INPUTRC="/dev/null", HISTFILE="")
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
os.write(fd, rb"""bind -x '"\C-x\C-l": printf "<%s>\n" "$READLINE_LINE"'; source ./completion.bash
""")
os.write(fd, sys.argv[1].encode().decode("unicode_escape").encode() + b"\x18\x0c")
text = b""
while b">\r\n" not in text.split(b"source ./completion.bash")[-1]:
    text += os.read(fd, 65536)
os.kill(pid, 9)
os.waitpid(pid, 0)
line = text.decode().rsplit(">\r\n")[0].rsplit("<")[-1]
print(text if line != sys.argv[2] else line)
sys.exit(line != sys.argv[2])
PYTHON
    then good; else bad "the line is '$(<"$out")', not '$2'"; fi
}
typed "lumagraph run 'contrast | gaussian_blur:s\t" "lumagraph run 'contrast | gaussian_blur:sigma="
typed "lumagraph run 'contrast | gaussian_blur:s\t\t\t" "lumagraph run 'contrast | gaussian_blur:sigma=@"
typed "lumagraph run 'contrast | gaussian_bl\t" "lumagraph run 'contrast | gaussian_blur"
typed "lumagraph run 'bilateral:method=gr\t" "lumagraph run 'bilateral:method=grid"
typed "lumagraph run 'contrast:contrast='\t\t" "lumagraph run 'contrast:contrast='"
typed "lumagraph run gaussian_blur:si\t" "lumagraph run gaussian_blur:sigma="
typed "lumagraph label --columns area,circ\t" "lumagraph label --columns area,circularity "
typed "lumagraph label --keep 'area > 50 && circ\t" "lumagraph label --keep 'area > 50 && circularity' "
typed "lumagraph stats --jso\t" "lumagraph stats --json "
no_leftovers
