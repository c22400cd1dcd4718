# Manual pages, --version, colours, short parameters, hints.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- manual pages --------------------------------------------------------------------------------
commands='stats histogram threshold areasum label merge run filters devices selftest completion bench'
go 0 help --man
says '.TH LUMAGRAPH 1'
for command in $commands; do says "lumagraph\\-$command"; done
for command in $commands; do
    go 0 help "$command" --man
    cp "$out" page.1
    says ".TH LUMAGRAPH-${command^^} 1"
    if [[ $command != bench ]]; then
        in_help=$("$tool" "$command" --help | grep -cE '^  (-[a-z], |    )--[a-z-]+')
        in_page=$(grep -cE '^\\fB\\-(\\-|[a-z]\\fR)' page.1)
        that "$in_page options in the page of $command, $in_help in its help" test "$in_help" -eq "$in_page"
    fi
    if command -v mandoc >/dev/null; then
        that "mandoc takes the page of $command" test -z "$(mandoc -Tlint -Wwarning page.1)"
    fi
done
command -v mandoc >/dev/null || skip 12 'no mandoc here'

# ---- --version -----------------------------------------------------------------------------------
go 0 --version
for line in 'lumagraph 0.' 'Vulkan: ' 'libvips: ' 'libtiff: ' 'jansson: ' 'FFmpeg: ' 'built in: PNM'; do
    says "$line"
done

# ---- colours -------------------------------------------------------------------------------------
no() { ! "$@"; }
# seen VARIABLES ARGUMENTS...: what a terminal gets, in one file.
seen() {
    local variables=$1
    shift
    last="$variables $*"
    status=0
    # shellcheck disable=SC2086 # several variables
    env -u NO_COLOR -u TERM $variables python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \
        "$tool" "$@" </dev/null >"$out" 2>"$err"
}
seen TERM=xterm stats ramp.pgm
says $'\e[1mchannel'
seen TERM=xterm stats missing.pgm
says $'\e[1;31mlumagraph:\e[0m missing.pgm'
for variables in 'TERM=xterm NO_COLOR=1' TERM=dumb NO_COLOR=; do
    seen "$variables" stats ramp.pgm
    says 'channel'
    that "no colour with $variables" no grep -q $'\e\\[1m' "$out"
done
go 0 stats ramp.pgm
that 'no colour in a file' no grep -q $'\e' "$out"

# ---- FILTER=VALUE --------------------------------------------------------------------------------
same() {
    go 0 run -q "$1" ramp.pgm -o short.pgm
    go 0 run -q "$2" ramp.pgm -o long.pgm
    that "$1 is $2" cmp -s short.pgm long.pgm
}
same contrast=1.5 contrast:contrast=1.5
same 'threshold=@otsu | brightness=0.1' 'threshold:level=@otsu | brightness:brightness=0.1'
same 'median=2:border=wrap #m' 'median:radius=2:border=wrap'
refused 2 'character 7: levels=VALUE is for filters with one parameter; levels has min, gamma' \
    run levels=2 ramp.pgm -o short.pgm
refused 2 'color_invert has none' run color_invert=2 ramp.pgm -o short.pgm
refused 2 'contrast is given twice' run contrast=2:contrast=3 ramp.pgm -o short.pgm
refused 2 'FILTER=VALUE where there is only one' run contrast:1.5 ramp.pgm -o short.pgm
refused 2 'character 13: filters are joined by |' run 'contrast=1.5, hue=20' ramp.pgm -o short.pgm
refused 2 'a parameter is part of the pipeline' run contrast 1.5 ramp.pgm -o short.pgm
refused 2 'a number is wanted' run contrast= ramp.pgm -o short.pgm

# ---- words of other programs ---------------------------------------------------------------------
while read -r word filter; do
    refused 2 "did you mean '$filter" run "$word" ramp.pgm -o short.pgm
done <<'WORDS'
blur gaussian_blur
GPUImageGammaFilter gamma
GaussianBlur gaussian_blur
medianBlur median
threshold_otsu threshold
equalizeHist equalize_histogram
lut3d lookup
WORDS
# All words lead to a filter.
sed '/ elsewhere\[\] =/,$d' "$root/src/filter/suggest.c" |
    grep -oE '\{"\w+", "\w+' | sed -E 's/.*"//' | sort -u >wanted
go 0 filters --json
lost=$(python3 -c 'import json, sys
filters = {f["name"] for f in json.load(open(sys.argv[1]))["filters"]}
print(*set(open("wanted").read().split()) - filters)' "$out")
that "hints name filters, not: $lost" test -z "$lost"
