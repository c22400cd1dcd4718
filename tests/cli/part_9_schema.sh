# What --json prints is what docs/schema describes, and every schema is met.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# collect STATUS ARGUMENTS...: the documents go to documents.jsonl.
collect() {
    go "$@"
    cat "$out" >>documents.jsonl
}
: >documents.jsonl
printf 'polygon,x,y\na,1,1\na,5,1\na,5,5\n' >polygon.csv
cat ramp.pgm half.pgm >two.pgm
go 0 run --frames copy two.pgm -o two.y4m -q
collect 0 stats --json ramp.pgm rgb.ppm nan.npy frames.pgm alpha.pam deep.pgm
collect 0 stats --json --mask half.pgm --step 2 --pipeline color_invert ramp.pgm
collect 0 stats --json --scale 0.5 --skip-transparent alpha.pam
collect 0 stats --json --planes two.y4m
collect 0 stats --json --lavfi two.y4m
collect 0 histogram --json -p 1,50 ramp.pgm nan.npy rgb.ppm frames.pgm
collect 0 threshold --json frames.pgm ramp.pgm -o masks/
collect 0 threshold --json --method multi-otsu:3 ramp.pgm
collect 0 areasum --json --box 2x2+1+0 -f sum,mean,histogram,max,count ramp.pgm rgb.ppm nan.npy
collect 0 areasum --json --box 4x4+2+2 --angle 10 --above 3 -f count_above ramp.pgm
collect 0 areasum --json --polygons polygon.csv -p 25,50 ramp.pgm
collect 0 areasum --json --mask half.pgm ramp.pgm
collect 0 areasum --json --box 0:2,1:3 -f sum,variance nan.npy
collect 0 label --json --threshold otsu frames.pgm ramp.pgm
collect 0 label --json --axes t,c=3 --channel 1 --time 0 --spacing 2,3 frames.pgm
if "$tool" --version | grep -q libtiff; then
    collect 0 stats --json --stack cells.ome.tif
    collect 0 label --json -t 50 -c 26 --channel 1 --spacing file cells.ome.tif
    collect 0 run --json --channel 0 copy cells.ome.tif -o cells.npy
fi
collect 0 label --json --keep 'area > 3' --largest 2 --intensity self half.pgm -o labels.npy \
    --overlay overlay.ppm
collect 0 run --json 'levels:min=@p1:max=@p99' rgb.ppm frames.pgm -f mean -f rgb.max --profile
collect 0 run --json --explain contrast=1.5 ramp.pgm
go 0 run -q fast_corner_detection ramp.pgm rgb.ppm --points points.json
cat points.json >>documents.jsonl
collect 0 filters --json
collect 0 devices --json
collect 0 selftest --json --device cpu --cpu base
collect 0 bench moments --json --device cpu --size 64x64 --type u8 --channels 1 --content random --samples 1
# what merge makes of states has the schema of the command that measured
for i in 1 2; do
    "$tool" stats --part "$i/2" --state "stats$i.lgs" ramp.pgm rgb.ppm
    "$tool" histogram --part "$i/2" --state "histogram$i.lgs" ramp.pgm
    "$tool" areasum --box 4x4+1+1 --part "$i/2" --state "areasum$i.lgs" ramp.pgm
    "$tool" label -t otsu --intensity self --part "$i/2" --state "label$i.lgs" ramp.pgm
done
for command in stats histogram areasum label; do
    collect 0 merge --json "$command"1.lgs "$command"2.lgs
    json 'all(x["schema"] == f"lumagraph.{command}/1" for x in docs)' command
done
collect 0 merge --json --partial histogram2.lgs
json 'd["note"] == "rows 0 to 7 of 16 are missing"'
collect 0 merge --json --partial -p 1,50 -q histogram1.lgs
go 1 stats missing.pgm ramp.pgm --state failed.lgs
collect 1 merge --json failed.lgs
json '[("error" in x) for x in docs] == [True, False]'
collect 1 stats --json missing.pgm ramp.pgm
collect 5 run --json contrast=1.5 missing.pgm -o out.pgm
wrong=$(python3 "$here/schema.py" "$root/docs/schema" documents.jsonl 2>&1)
that "documents and schemas agree: $wrong" test -z "$wrong"
# The check can fail.
sed 's/"mean"/"average"/' documents.jsonl >changed.jsonl
python3 "$here/schema.py" "$root/docs/schema" changed.jsonl >found
that 'a renamed key is found' grep -qF 'lacks mean' found

# Graphs that are read, and wrong ones that a schema can refuse. `run` checks those of all other parts.
# graph MEMBERS [FILTER]: of one node, with these members besides a name and a filter
graph() {
    printf '{"inputs": ["in"], "nodes": [{"name": "a", "filter": "%s", %s}], "outputs": ["a"]}\n' \
        "${2:-contrast}" "$1"
}
value() { graph '"in": "in", "params": {"contrast": '"$1"'}'; }
{
    echo '{"inputs": ["in"], "nodes": [], "outputs": ["in"], "comment": [1]}'
    echo '{"inputs": ["in", "b"], "nodes": [{"name": "a", "filter": "add_blend", "in": "in", "over": "b"}],' \
        '"outputs": ["a"]}'
    graph '"comment": 7, "in": "in", "over": "a@-064", "first": "in", "params": {"mix": "0.5"}' dissolve_blend
    graph '"in": "in@-2", "first": "in", "params": {"min": [0, 0.1, 0], "max": "@in.p99"}' levels
} >graphs.jsonl
{
    cat <<'GRAPHS'
[]
{"inputs": ["in"], "noods": [], "nodes": [], "outputs": ["in"]}
{"nodes": [], "outputs": ["in"]}
{"inputs": ["in"], "outputs": ["in"]}
{"inputs": ["in"], "nodes": [], "outputs": []}
{"inputs": [], "nodes": [], "outputs": ["in"]}
{"inputs": [1], "nodes": [], "outputs": ["in"]}
{"inputs": ["in", "in"], "nodes": [], "outputs": ["in"]}
{"inputs": ["in"], "nodes": [], "outputs": ["in", "in"]}
{"inputs": ["prev"], "nodes": [], "outputs": ["prev"]}
{"inputs": ["a b"], "nodes": [], "outputs": ["a b"]}
{"inputs": ["in"], "nodes": {}, "outputs": ["in"]}
{"inputs": ["in"], "nodes": [{"filter": "contrast", "in": "in"}], "outputs": ["in"]}
{"inputs": ["in"], "nodes": [{"name": "a", "in": "in"}], "outputs": ["a"]}
GRAPHS
    graph '"params": {}' # no "in"
    graph '"in": "in", "parameters": {}'
    graph '"in": "in", "params": []'
    value null
    value '["1"]'
    value '{}'
    value "\"$(printf '%600s' 1)\""
    graph '"in": ["in"]'
    graph '"in": "in@-0"'
    graph '"in": "in@-65"'
    graph '"in": "in@-2x"'
    graph '"in": "in@-1", "first": "in@-1"'
    graph '"in": "in", "first": "in"'
} >wrong.jsonl
wrong=$(python3 "$here/schema.py" --graph "$root/docs/schema/graph.json" graphs.jsonl 2>&1)
that "graphs are as their schema says: $wrong" test -z "$wrong"
python3 "$here/schema.py" --graph "$root/docs/schema/graph.json" wrong.jsonl >found 2>"$err"
that 'the schema refuses every wrong one' test "$(wc -l <found)" -eq "$(wc -l <wrong.jsonl)"
if "$tool" --version | grep -q '^jansson'; then
    while read -r line; do
        echo "$line" >graph.json
        more=()
        [[ $line == *'"in", "b"'* ]] && more=(--input b=half.pgm)
        go 0 run --explain --graph graph.json "${more[@]}" half.pgm
    done <graphs.jsonl
    while read -r line; do
        echo "$line" >graph.json
        refused 2 'lumagraph: ' run --graph graph.json half.pgm -o refused.pgm
    done <wrong.jsonl
else
    skip 31 'this build has no libjansson'
fi
