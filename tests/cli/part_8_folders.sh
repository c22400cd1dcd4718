# Folders as inputs, names of outputs with fields.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p photos/2019/june photos/2020 photos/.hidden empty nest/one
cp ramp.pgm photos/b.pgm
cp ramp.pgm photos/2019/a.pgm
cp rgb.ppm photos/2019/june/c.PPM
cp ramp.pgm photos/2020/a.pgm
cp ramp.pgm photos/.hidden/no.pgm
cp ramp.pgm photos/.no.pgm
echo text >photos/notes.txt
ln -s .. photos/2020/up # a circle

# ---- inputs ----------------------------------------------------------------------------------------
go 0 stats --csv photos
csv '[r["file"] for r in rows] == ["photos/b.pgm"]'
complains '1 other file is left out, such as .txt'
go 0 stats --csv -r photos/
csv 'list(dict.fromkeys(r["file"] for r in rows)) == [
    "photos/" + name for name in ("2019/a.pgm", "2019/june/c.PPM", "2020/a.pgm", "b.pgm")]'
for command in histogram threshold 'areasum --box 2x1+0+0'; do
    read -ra words <<<"$command"
    go 0 "${words[@]}" -q --json --recursive photos/2020
    json 'len(docs) == 1 and d["file"] == "photos/2020/a.pgm"'
done
go 0 label -q -r --json --threshold 100 photos
json 'len(docs) == 4 and docs[1]["file"] == "photos/2019/june/c.PPM"'
go 0 stats -q --json ramp.pgm photos/2020
json '[x["file"] for x in docs] == ["ramp.pgm", "photos/2020/a.pgm"]'
refused 5 'no images are in this folder' stats empty
refused 5 '; -r takes those of the folders in it' stats nest
go 1 stats -q --json empty ramp.pgm
json '"no images" in d["error"] and docs[1]["file"] == "ramp.pgm"'

# ---- folders of outputs ----------------------------------------------------------------------------
go 0 run -q color_invert -r photos -o photos/small/
there() { for name in "$@"; do that "$name is there" test -f "$name"; done; }
there photos/small/2019/june/c.PPM photos/small/2020/a.pgm photos/small/b.pgm
go 0 run color_invert -r photos -o photos/small --json # what was written is no input
json 'len(docs) == 4 and docs[3]["outputs"][0]["file"] == "photos/small/b.pgm"'
go 0 run -q color_invert photos -o 'photos/small/'
go 1 run -q color_invert photos/2019 photos/2020 -o both/
complains 'tell inputs apart'
refused 2 'several inputs need a folder' run color_invert photos -o x.pgm

# ---- fields ----------------------------------------------------------------------------------------
rm -r photos/small
go 0 run -q color_invert -r photos -o 'fields/{below}/{index}_{name}.{ext}'
there fields/2019/0_a.pgm fields/2019/june/1_c.PPM fields/3_b.pgm
go 0 run -q color_invert photos/2020/a.pgm ramp.pgm --format pam -o 'fields/{name}.{ext}'
that 'ext is that of --format' test -f fields/a.pam -a -f fields/ramp.pam
go 0 run -q color_invert photos/2020/a.pgm -o '{folder}/{name}-inverted.pgm'
that 'beside the input' cmp photos/2020/a-inverted.pgm fields/2020/2_a.pgm
go 0 run -q color_invert ramp.pgm -o '{folder}/{name}-inverted.pgm'
that 'the folder at work' cmp ramp-inverted.pgm photos/2020/a-inverted.pgm
go 0 threshold -q --method value:100 -r photos/2019 -o 'masks/{name}.pgm' --csv
csv 'rows[0]["file"] == "photos/2019/a.pgm"'
there masks/a.pgm masks/c.pgm
go 0 label -q -t 100 --csv photos/2019/a.pgm -o 'labels/{name}-l.npy' --colors 'labels/{name}-c.ppm' \
    --overlay 'labels/{name}-o.ppm'
there labels/a-l.npy labels/a-c.ppm labels/a-o.ppm
go 0 run -q copy --frames frames.pgm -o 'films/{name}-{frame}.pgm'
that 'a file for each frame' test -f films/frames-000002.pgm
go 0 run -q copy --frames frames.pgm -o 'films/{name}.y4m'
go 0 stats --json films/frames.y4m
json 'len(docs) == 3'
refused 2 '{stem} is no field; {name}, {ext}, {folder}, {below}, {index} and {frame} are' \
    run copy ramp.pgm -o '{stem}.pgm'
refused 2 'the extension names no image format' run copy ramp.pgm -o '{name}.xyz'
go 0 run -q color_invert - -o '{name}.pgm' <ramp.pgm
that 'standard input has a name' cmp stdin.pgm ramp-inverted.pgm

# ---- several at a time -----------------------------------------------------------------------------
mkdir -p many
for i in $(seq 10 33); do go 0 run -q "brightness:brightness=0.$i" ramp.pgm -o "many/$i.pgm"; done
head -c 100 ramp.pgm >many/20.pgm # one of them is damaged
printf 'P5\n2 1\n255\nab' >many/25.pgm # one has another size
for command in stats histogram threshold 'label -t 90' 'areasum -b 2x1+0+0'; do
    read -ra words <<<"$command --csv"
    go 1 "${words[@]}" -q many
    cp "$out" one.csv
    go 1 "${words[@]}" -q -j 5 many
    that "the same report of $command" cmp "$out" one.csv
done
# report STATUS ARGUMENTS...: documents without times and names of outputs.
report() {
    go "$@"
    python3 -c 'import json, sys
for line in open(sys.argv[1]):
    d = json.loads(line)
    d.pop("engine", 0), d.pop("stages", 0), d.pop("outputs", 0)
    print(json.dumps(d))' "$out" >"$2.json.txt" || bad 'documents'
}
for jobs in 1 2 7 40; do
    report 1 run --json --jobs $jobs 'contrast:contrast=@mean*3 #a' --figure mean many -o "jobs$jobs/"
    mv run.json.txt jobs$jobs.txt
    that "documents with $jobs jobs" cmp jobs$jobs.txt jobs1.txt
    that "images with $jobs jobs" diff -r jobs$jobs jobs1
done
that 'all but one' test "$(find jobs1 -type f | wc -l)" -eq 23
that 'documents are in order' test "$(sed -n 11p jobs7.txt | grep -c '"error"')" -eq 1
# what is taken from the file before
for jobs in 1 4; do
    go 1 run -q --jobs $jobs 'contrast:contrast=@prev.mean*2 | dissolve_blend:over=#out@-1 #out' many \
        -o before$jobs/
done
that 'so many' test "$(find before4 -type f | wc -l)" -eq 23
that 'the file before' diff -r before1 before4
go 1 run --jobs 3 contrast=1.5 many -o jobs-text/
that 'a report for each' test "$(grep -c '^written to' "$out")" -eq 23
go 1 run -q --jobs 3 --points points.csv 'threshold:level=0.9' many -o jobs-points/
cp points.csv points3.csv
go 1 run -q --jobs 1 --points points.csv 'threshold:level=0.9' many -o jobs-points/
that 'points' cmp points.csv points3.csv
go 5 run -q --jobs 3 contrast=1.5 --type f32 many -o jobs-bad/ --format jpg
complains 'many/10.pgm: output jobs-bad/10.jpg: .jpg cannot hold f32 samples'
complains 'or --type u8'
refused 2 'whole numbers from 1 to 64' stats -j 0 ramp.pgm

# decoders of libvips side by side: what fails has its own message
if "$tool" stats grey.png 2>&1 | grep -q 'cannot be loaded\|all that this build reads'; then
    skip 1 'decoders side by side: libvips is not here'
else
    mkdir -p pngs
    for i in $(seq 10 40); do cp photo.jpg "pngs/$i.jpg"; done
    cp cut.png pngs/15.png
    cp empty.png pngs/25.png
    head -c 20000 photo.jpg >pngs/35.jpg
    go 1 stats --csv pngs
    cp "$out" one.csv
    cp "$err" one.txt
    lines 3
    for jobs in 3 8; do
        go 1 stats --csv --jobs $jobs pngs
        that "figures with $jobs decoders" cmp "$out" one.csv
        that "messages with $jobs decoders" cmp "$err" one.txt
    done
fi
