# Bad input and bad output: one clear line, the right exit status, nothing left behind.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- usage ---------------------------------------------------------------------------------------
go 2
silent
refused 2 'did you mean stats' statz ramp.pgm
refused 2 "unknown command 'zzzzzzzz'" zzzzzzzz
refused 2 'did you mean label?' count
refused 2 'write lumagraph run gaussian_blur IMAGE -o OUTPUT' gaussian_blur
refused 2 "did you mean 'median'?" run median_filter --explain --size 8x8
refused 2 'did you mean --json' stats --jsn ramp.pgm
refused 2 'did you mean --percentile' histogram --percentil 5 ramp.pgm
refused 2 'unknown option -z' stats -z ramp.pgm
refused 2 'no option --bins' stats --bins 4 ramp.pgm
refused 2 'takes no value' stats --json=yes ramp.pgm
refused 2 'needs a value' stats ramp.pgm --region
refused 2 'exclude each other' stats --json --csv ramp.pgm
refused 2 'needs an input file' stats
refused 2 'takes no input files' devices ramp.pgm
refused 2 'WxH+X+Y' stats --region 10 ramp.pgm
refused 2 'from 1 to 65536' histogram --bins 0 ramp.pgm
refused 2 'from 1 to 65536' histogram --bins 65537 ramp.pgm
refused 2 'from 1 to 65536' histogram --bins 1e3 ramp.pgm
refused 2 'lower end' histogram --range 5:5 ramp.pgm
refused 2 'lower end' histogram --range 9:5 ramp.pgm
refused 2 'LO:HI' histogram --range nan:1 ramp.pgm
refused 2 '0 to 100' histogram --percentile 1,101 ramp.pgm
refused 2 '0 to 100' histogram --percentile 1, ramp.pgm
refused 2 'allowed are' histogram --space hvs ramp.pgm
refused 2 'allowed are' histogram --variant fast ramp.pgm
refused 2 'allowed are' stats --nan maybe ramp.pgm
refused 2 'allowed are' stats --cpu v9 ramp.pgm
refused 2 'from 1 to' stats --threads 0 ramp.pgm
refused 2 'from 1 to' stats --step 0 ramp.pgm
refused 2 'from 1 to' stats --step 99999999999999999999 ramp.pgm
refused 2 'allowed are auto, cpu' stats --device gpu ramp.pgm
refused 4 'Vulkan' stats --device vulkan:77 ramp.pgm
refused 4 'Vulkan' selftest --device vulkan:77

# ---- files that cannot be measured -----------------------------------------------------------------
refused 5 'No such file' stats none.pgm
refused 5 'No such file' stats dangling.pgm
refused 5 'folder' stats folder
refused 5 'no file matches' stats 'zz*.pgm'
refused 5 'truncated' stats cut.pgm
refused 5 'empty' stats empty.png
refused 5 'exactly' stats double.npy
refused 3 'max-pixels' stats huge.pgm
refused 5 'truncated' stats --max-pixels 100000000000 huge.pgm
refused 3 'max-pixels is 255' threshold --method value:7 --max-pixels 255 ramp.pgm -o no.webp
go 0 stats --max-pixels 256 --max-side 16 ramp.pgm
refused 3 'max-side is 15' stats --max-side 15 ramp.pgm
refused 3 'max-side is 15' histogram --max-side 15 --max-pixels 9999 ramp.pgm
refused 2 'region' stats --region 10x10+10+10 ramp.pgm
refused 2 'region' stats --region 0x10+0+0 ramp.pgm
refused 2 'the mask has 4x4 pixels; it must have 16x16' stats --mask small.pgm ramp.pgm
refused 2 'the mask has 3 layers; it must have one' stats --mask frames.pgm tiny.pgm
refused 5 'none.pgm' stats --mask none.pgm ramp.pgm
refused 2 'no page 1; the file has 1,' stats --page 1 ramp.pgm
refused 2 'no page 3; the file has 3,' stats --page 3 frames.pgm
refused 5 'truncated' stats - < <(head -c 100 ramp.pgm)
refused 5 'standard input' stats - </dev/null

# some fail, the others are done
go 1 stats --json ramp.pgm none.pgm cut.pgm half.pgm
lines 2
json '[x["file"] for x in docs] == ["ramp.pgm", "none.pgm", "cut.pgm", "half.pgm"]'
json '["error" in x for x in docs] == [False, True, True, False]'
json '[x.get("status") for x in docs] == [None, 5, 5, None]'
go 5 stats --json none.pgm cut.pgm
lines 2
json '[x["file"] for x in docs] == ["none.pgm", "cut.pgm"] and "truncated" in docs[1]["error"]'
go 1 stats --json none.pgm huge.pgm # all failed, for different reasons
lines 2
json '[x["status"] for x in docs] == [5, 3]'
go 1 histogram --json --region 8x8+8+8 small.pgm ramp.pgm
json '[x.get("status") for x in docs] == [2, None] and "region" in d["error"]'
lines 1

# every input has its document, of every command, also of one that fails alone; the error is the
# text of the message
commands=(stats histogram threshold 'areasum --box 2x2+0+0' label
    'run --profile color_invert' 'run --explain color_invert')
for command in "${commands[@]}"; do
    read -ra words <<<"$command"
    go 1 "${words[@]}" --json none.pgm ramp.pgm huge.pgm
    lines 2
    json '[x["file"] for x in docs] == ["none.pgm", "ramp.pgm", "huge.pgm"]'
    json '{x["schema"] for x in docs} == {"lumagraph.'"${words[0]}"'/1"}'
    json '[list(x) for x in docs[::2]] == [["schema", "file", "error", "status"]] * 2'
    json '"error" not in docs[1]'
    json '[x["status"] for x in docs[::2]] == [5, 3]'
    printf -v messages 'open("%s").read().splitlines()' "$err"
    json '["lumagraph: %s: %s" % (x["file"], x["error"]) for x in docs[::2]] == '"$messages"
    go 5 "${words[@]}" --json none.pgm
    lines 1
    json 'len(docs) == 1 and d["file"] == "none.pgm" and d["status"] == 5 and "No such file" in d["error"]'
done
go 5 stats --json 'zz*.pgm'
json 'len(docs) == 1 and d["file"] == "zz*.pgm" and d["error"] == "no file matches this pattern"'
go 5 stats --json - </dev/null
json 'd["file"] == "-" and d["status"] == 5'
go 5 stats --json -q $'none\e[31m"\xff.pgm'
json 'd["file"] == "none\x1b[31m\"\ufffd.pgm"'
lines 1
go 2 run --json label:connectivity=9 ramp.pgm # no input was tried
silent
# what concerns the whole command is no input's
refused 5 'none.pgm' stats --json --mask none.pgm ramp.pgm
refused 5 'none.pgm' label --json --intensity none.pgm ramp.pgm
refused 5 'none.pgm' run --json --profile --input second=none.pgm alpha_blend:over=#second ramp.pgm
refused 2 'is an input' stats --json ramp.pgm -o ramp.pgm
# where standard output is an image's or a plot's, and without --json, the message is all
refused 5 'No such file' threshold --json -o - none.pgm
refused 5 'No such file' run --json contrast none.pgm -o -
refused 5 'No such file' histogram --json --plot - none.pgm
refused 5 'No such file' stats --csv none.pgm
go 1 stats --json -o some.json none.pgm ramp.pgm
silent
that 'the report has every input' test "$(wc -l <some.json)" -eq 2
go 5 stats --json -o some.json none.pgm
silent
that 'a report of failures alone leaves the old file' test "$(wc -l <some.json)" -eq 2

# ---- outputs ---------------------------------------------------------------------------------------
go 0 stats --json -o report.json ramp.pgm
silent
that 'the report is in its file' python3 -c 'import json; json.load(open("report.json"))'
refused 5 'cannot write' stats -o none/report.txt ramp.pgm
refused 5 'folder' stats -o folder ramp.pgm
refused 5 'cannot write' histogram --plot none/plot.svg ramp.pgm
refused 2 'must end in .svg' histogram --plot plot.png ramp.pgm
refused 2 'scales a plot' histogram --log ramp.pgm
refused 5 'cannot write' threshold ramp.pgm -o none/mask.pgm
echo old >keep.txt
refused 5 'No such file' stats -o keep.txt none.pgm
that 'a failed report leaves the old file' grep -qx old keep.txt
ln -sf keep.txt link.txt
go 0 stats -o link.txt ramp.pgm
that 'a link stays a link' test -L link.txt
that 'its target has the report' grep -q ramp.pgm keep.txt
chmod 640 keep.txt
go 0 stats -o keep.txt ramp.pgm
that 'the mode is kept' test "$(stat -c %a keep.txt)" = 640
# an output never replaces an input
mkdir -p mine
cp ramp.pgm mine/photo.pgm
cp ramp.pgm mine/photo
ln -s photo mine/photo.svg
refused 2 'is an input' threshold mine/photo.pgm -o mine/photo.pgm
refused 2 'is an input' stats mine/photo.pgm -o mine/../mine/photo.pgm
refused 2 'is an input' histogram ramp.pgm mine/photo.pgm -o mine/photo.pgm
refused 2 'is an input' histogram mine/photo --plot mine/photo.svg
refused 2 'is an input' threshold --mask mine/photo.pgm ramp.pgm -o mine/photo.pgm
prefix=(bash -c 'exec "$@" <mine/photo.pgm' stdin)
refused 2 'is an input' threshold - -o mine/photo.pgm
prefix=()
that 'the input is as it was' cmp ramp.pgm mine/photo.pgm
that 'the other input is as it was' cmp ramp.pgm mine/photo
no_leftovers
if [[ -w /dev/full ]]; then
    refused 5 'No space' stats -o /dev/full ramp.pgm
    printf 'stats ramp.pgm\n' >>"$args"
    "$tool" stats ramp.pgm >/dev/full 2>"$err"
    status=$? last='stats ramp.pgm >/dev/full'
    that 'a full standard output is an error' test $status -eq 5
    lines 1
    for full in 'run copy ramp.pgm -o -' 'filters'; do
        read -ra words <<<"$full"
        "$tool" "${words[@]}" >/dev/full 2>"$err"
        status=$? last="$full >/dev/full"
        that 'so it is where it is an image or a list' test $status -eq 5
        complains 'No space'
        lines 1
    done
else
    skip 12 'no /dev/full'
fi
if [[ $(id -u) -ne 0 ]]; then
    chmod 400 keep.txt
    refused 5 'cannot write' stats -o keep.txt ramp.pgm
    chmod 600 keep.txt
    mkdir -p locked && chmod 500 locked
    refused 5 'cannot write' stats -o locked/report.txt ramp.pgm
    chmod 000 small.pgm
    refused 5 'cannot read' stats small.pgm
else
    skip 9 'read-only files do not stop root'
fi
no_leftovers

# ---- signals and pipes -----------------------------------------------------------------------------
# The report's temporary file exists while the tool waits for standard input. start_waiting COMMAND...
start_waiting() {
    mkfifo pipe
    exec 9<>pipe
    # Background jobs of a script ignore SIGINT and SIGQUIT, and all under nohup SIGHUP; env undoes that.
    "$@" "$tool" stats -o interrupted.txt - <pipe >"$out" 2>"$err" 9>&- &
    child=$!
    until [[ -n $(find . -name '.lumagraph-*') ]] || ! kill -0 $child 2>"$work/gone"; do
        sleep 0.05
    done
    that 'a temporary file is being written' kill -0 $child
}
stop_waiting() {
    wait $child 2>"$work/wait"
    status=$?
    exec 9>&-
    rm pipe
}
interrupt() {
    last="interrupted by $1"
    start_waiting env --default-signal=HUP,QUIT
    kill -s "$1" $child
    stop_waiting
    that "exit status $2 after SIG$1" test $status -eq "$2"
    that 'no half-written report' test ! -e interrupted.txt
    no_leftovers
}
ulimit -c 0
interrupt INT 130 # also where it is ignored at the start
interrupt TERM 143
for pair in HUP:129 QUIT:131 ILL:132 TRAP:133 ABRT:134 BUS:135 FPE:136 USR1:138 SEGV:139 USR2:140 \
    STKFLT:144 ALRM:142 XCPU:152 VTALRM:154 PROF:155 IO:157 PWR:158 SYS:159 RTMIN:162 RTMAX:192; do
    interrupt ${pair%:*} ${pair#*:}
done
# nohup: what the caller ignores stays ignored
last='SIGHUP under nohup'
start_waiting env --ignore-signal=HUP
kill -s HUP $child
cat ramp.pgm >&9
exec 9>&-
stop_waiting
that 'the report is written' test $status -eq 0 -a -s interrupted.txt
rm interrupted.txt
# a limit on the size of files is a failed write, not a signal
prefix=(bash -c 'ulimit -f 1; exec "$@"' limit)
refused 5 'File too large' histogram --csv --bins 65536 deep.pgm -o large.csv
refused 5 'File too large' run color_invert deep.pgm -o large.pgm
go 5 histogram --csv --bins 65536 deep.pgm
complains 'File too large'
prefix=()
that 'nothing is written in part' test ! -e large.csv -a ! -e large.pgm
no_leftovers
# what a process left that could not clean up goes when the folder is written again
last='interrupted by KILL'
start_waiting env
kill -s KILL $child
stop_waiting
that 'the file of a killed process stays' test -e .lumagraph-0.tmp
go 0 stats -o after.txt ramp.pgm
no_leftovers
# the file of a process that lives does not
: >.lumagraph-0.tmp
if command -v flock >/dev/null; then
    exec 8>>.lumagraph-0.tmp
    flock 8
    go 0 stats -o after.txt ramp.pgm
    that 'the file of another process stays' test -e .lumagraph-0.tmp
    exec 8>&-
else
    skip 2 'no flock'
fi
go 0 stats -o after.txt ramp.pgm
no_leftovers
ln -s ramp.pgm .lumagraph-0.tmp
go 0 stats -o after.txt ramp.pgm
that 'a link of that name is left alone' test -L .lumagraph-0.tmp
that 'and what it points to' test -s ramp.pgm
rm .lumagraph-0.tmp
last='histogram --csv | head'
statuses=$("$tool" histogram --csv --bins 65536 deep.pgm rgb.ppm deep.pgm 2>"$err" | head -n 1 >"$out"
    echo "${PIPESTATUS[0]}")
status=$statuses
that 'a closed pipe ends the tool quietly' test "$status" -eq 141 -a ! -s "$err"
