# What goes wrong while large images are measured: kills at random moments, a full disk, a tile that cannot be
# read, a file that is cut, a file that changes while it is read.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- killed at random moments: tests/long/kills.py with fewer kills ---------------------------------
if "$root/tests/long/kills.py" "$tool" 8 >kills.log 2>&1; then good; else
    bad "runs that were killed and resumed: $(cat kills.log)"; fi

mkdir -p broken
python3 - <<'PYTHON'
import random, struct, zlib
r = random.Random(3)
W, H, T = 320, 480, 32
rows = [bytes(r.choice((0, 0, 255)) for _ in range(W)) for _ in range(H)]
open("broken/whole.pgm", "wb").write(b"P5\n%d %d\n255\n" % (W, H) + b"".join(rows))
# One tile has bytes that are no deflate stream, or lies behind the end of the file, as does the table of
# all; or samples lie open, and the file states other sizes of them.
def tiled(name, damaged):
    plain = damaged == "sizes"
    out, offsets, counts = bytearray(b"II*\0\0\0\0\0"), [], []
    for y in range(0, H, T):
        for x in range(0, W, T):
            data = b"".join(row[x:x + T] for row in rows[y:y + T])
            data = data if plain else zlib.compress(data)
            offsets.append(len(out))
            counts.append(100 if plain else len(data))
            out += data
    if damaged == "bytes":
        at = offsets[21]
        out[at + 2:at + 12] = b"\xff" * 10
    if damaged == "place":
        offsets[21] = 1 << 30
    at = {}
    for key, values in (("offsets", offsets), ("counts", counts)):
        out += b"\0" * (len(out) % 2)
        at[key] = len(out)
        out += struct.pack("<%dI" % len(values), *values)
    n = len(offsets)
    if damaged == "table":
        at["counts"] = 1 << 20
    tags = [(256, 4, 1, W), (257, 4, 1, H), (258, 3, 1, 8), (259, 3, 1, 1 if plain else 8),
            (262, 3, 1, 1), (277, 3, 1, 1), (322, 4, 1, T), (323, 4, 1, T),
            (324, 4, n, at["offsets"]), (325, 4, n, at["counts"])]
    struct.pack_into("<I", out, 4, len(out))
    out += struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    open(f"broken/{name}", "wb").write(out)
tiled("good.tif", None)
tiled("bytes.tif", "bytes")
tiled("place.tif", "place")
tiled("table.tif", "table")
tiled("sizes.tif", "sizes")
data = open("broken/whole.pgm", "rb").read()
open("broken/cut.pgm", "wb").write(data[:len(data) * 2 // 3])
data = open("broken/good.tif", "rb").read()
open("broken/cut.tif", "wb").write(data[:len(data) // 2])
PYTHON
cd broken || exit
areasum=(areasum -b 30x100+5+20)
# in_bands COMMAND...: at this limit images are measured in bands.
in_bands() { go "$1" "${@:2}" --memory 128K; }

# ---- a tile that cannot be read --------------------------------------------------------------------
in_bands 0 run --explain contrast=2 whole.pgm -o no.pgm
says 'in bands of rows'
go 0 stats -q --json whole.pgm
cp "$out" whole.json
in_bands 0 stats -q --json good.tif
sum=$(python3 -c 'import json; print(json.load(open("whole.json"))["channels"][0]["sum"])')
json 'str(c[0]["sum"]) == sum' sum
in_bands 0 stats -q --json sizes.tif
json 'str(c[0]["sum"]) == sum' sum
in_bands 5 stats table.tif
complains 'truncated: the file ends inside the table of its tiles'
for file in bytes.tif place.tif table.tif cut.tif cut.pgm; do
    for command in stats histogram threshold "${areasum[*]}" 'label -t 100'; do
        read -ra words <<<"$command"
        in_bands 1 "${words[@]}" -q --json $file good.tif # the other input is measured
        json '[d["file"] for d in docs] == [file, "good.tif"]' file
        json '[d.get("status") for d in docs] == [5, None]'
    done
    in_bands 5 run contrast=2 -q $file -o "no.tif"
    that 'no output is left' test ! -e no.tif
    go 1 stats -q --state broken.lgs $file good.tif
    go 1 merge -q --json broken.lgs
    json '[d["file"] for d in docs if "error" in d] == [file]' file
done
go 0 stats -q --json --region 32x32+0+0 bytes.tif # what is not asked for is not read
json 'c[0]["count"] == 1024'
in_bands 5 stats -q --region 40x40+20+50 bytes.tif
complains 'bytes.tif: '

# ---- a full disk: a limit on the size of files stands for it ---------------------------------------
prefix=(bash -c 'trap "" XFSZ; ulimit -f 1; exec "$@"' limit)
for ((i = 0; i < 12; i++)); do cp good.tif "$i.tif"; done
go 5 stats -q --state full.lgs {0..11}.tif
complains 'full.lgs: '
that 'no half state' test ! -e full.lgs
go 5 stats -q --state full.lgs --resume {0..11}.tif
that 'no half state beside a journal' test ! -e full.lgs
in_bands 5 run contrast=2 -q whole.pgm -o full.pgm
in_bands 5 label -q whole.pgm -t 100 -o full.npy
in_bands 5 label -q whole.pgm -t 100 --overlay full.ppm
in_bands 5 threshold -q --method value:9 whole.pgm -o full.tif
in_bands 5 label -q --scratch . --connectivity 4 --largest 0 whole.pgm # rows of the table have no room
complains 'writing a scratch file in '
that 'no scratch files are left' test -z "$(find . -name 'lumagraph-*')"
that 'no half picture' test ! -e full.pgm -a ! -e full.npy -a ! -e full.ppm -a ! -e full.tif
prefix=()
go 0 stats -q --state full.lgs --resume {0..11}.tif # there is room again
go 0 merge -q --json full.lgs
json 'len(docs) == 12 and all(str(d["channels"][0]["sum"]) == sum for d in docs)' sum

# ---- a file that changes while it is read ----------------------------------------------------------
# It is written again and again: a run fails, or has the figures of one of the contents, never of a mixture.
# Between changes the clock of the file system goes on. tests/rows_files.c changes a file between two bands.
python3 - <<'PYTHON'
for name, value in (("one", 1), ("two", 2)):
    open(name, "wb").write(b"P5\n3000 3000\n255\n" + bytes([value]) * 9000000)
PYTHON
cp one changing.pgm
(for _ in $(seq 12); do
    cat two >changing.pgm
    sleep 0.05
    cat one >changing.pgm
    sleep 0.05
done) &
changes=$!
mixtures=0
for _ in 1 2 3 4 5 6; do
    "$tool" stats -q --json --memory 200K changing.pgm >changed.json 2>/dev/null ||
        grep -q '"error"' changed.json || mixtures=$((mixtures + 1))
    python3 -c '
import json, sys
d = json.load(open("changed.json"))
c = d.get("channels", [{}])[0]
sys.exit(not ("error" in d or c["min"] == c["max"]))' || mixtures=$((mixtures + 1))
done
wait $changes
that 'no figures of two contents of a file' test $mixtures = 0
