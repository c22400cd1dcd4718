# A GPU that cannot do what it was asked for, or fails on the way: the processor does it and the reports say
# so, or --strict makes it an error.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# Without a GPU --strict has nothing to refuse.
go 0 stats --strict --json ramp.pgm
json 'd["engine"]["fallback"] is None'
go 0 devices --json
json 'd["devices"][0]["compiler"] is True and d["devices"][0]["no_compiler"] is None'
json 'd["devices"][0]["uuid"] is None'
json 'all([len(p) for p in v["uuid"].split("-")] == [8, 4, 4, 4, 12]
    for v in d["devices"][1:] if v["usable"])'

if [[ ${LUMAGRAPH_TEST_VULKAN:-1} == 0 ]] ||
    ! "$tool" devices --json | grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    skip 148 'no Vulkan device can be used here'
    return 0
fi
processor=$("$tool" stats --json ramp.pgm |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["engine"]["device"])')
mkdir -p lost right

# Two reports but for what says where and how fast they were computed.
same_figures() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
def figures(path):
    d = json.load(open(path))
    for key in ("engine", "build_seconds", "query_seconds", "stages", "output", "outputs"):
        d.pop(key, None)
    return d
sys.exit(figures(sys.argv[1]) != figures(sys.argv[2]))
PYTHON
}

# ---- a device that is lost at its first submission -------------------------------------------------
commands=('stats' 'histogram' 'threshold -o OUT.pgm' 'areasum --box 4x4+2+2'
    'label --threshold otsu -o OUT.pgm' 'run contrast|box_blur -o OUT.pgm' 'run gaussian_blur -o OUT.pgm')
for command in "${commands[@]}"; do
    read -ra words <<<"$command"
    prefix=()
    go 0 "${words[@]//OUT/right\/out}" --json --device cpu ramp.pgm
    cp "$out" right.json
    prefix=(env LUMAGRAPH_VK_TIMEOUT=0)
    go 0 "${words[@]//OUT/lost\/out}" --json -q --device vulkan ramp.pgm
    that 'nothing on standard error with -q' test ! -s "$err"
    json 'd["engine"]["device"] == processor and "lost" in d["engine"]["fallback"]' processor
    json 'd["engine"]["seconds"]["upload"] is None and "vulkan" not in d["engine"]["variant"]'
    that 'the same figures' same_figures "$out" right.json
    if [[ $command == *OUT* ]]; then
        that 'the same image' cmp lost/out.pgm right/out.pgm
        rm lost/out.pgm
    fi
    go 0 "${words[@]//OUT/lost\/out}" --device vulkan ramp.pgm
    says 'in place of the GPU: '
    rm -f lost/out.pgm
    go 4 "${words[@]//OUT/lost\/out}" --strict --device vulkan ramp.pgm
    complains 'strict'
    silent
    that 'nothing is written' test ! -e lost/out.pgm
    go 4 "${words[@]//OUT/lost\/out}" --json --strict --device vulkan ramp.pgm
    json 'd["file"] == "ramp.pgm" and d["status"] == 4 and "strict" in d["error"]'
done

# ---- without a compiler of filters -----------------------------------------------------------------
prefix=(env LUMAGRAPH_VK_DISABLE=compiler "XDG_CACHE_HOME=$work/nothing")
for pipeline in contrast gaussian_blur box_blur bilateral canny_edge_detection label \
    'contrast | gaussian_blur'; do
    go 0 run --device cpu "$pipeline" ramp.pgm -o right/out.npy
    go 0 run -q --device vulkan --json "$pipeline" ramp.pgm -o lost/out.npy
    json 'd["engine"]["device"] == processor and "compiler" in d["engine"]["fallback"]' processor
    that 'the same image' cmp lost/out.npy right/out.npy
    rm lost/out.npy
    go 4 run --strict --device vulkan "$pipeline" ramp.pgm -o lost/out.npy
    lines 1
    that 'nothing is written' test ! -e lost/out.npy
done
go 0 run --profile --device vulkan contrast ramp.pgm
says 'in place of the GPU: '
go 0 stats --json --strict --device vulkan ramp.pgm # measurements are compiled already
json 'd["engine"]["fallback"] is None and d["engine"]["device"] != processor' processor
go 0 devices --json
json 'all(v["compiler"] == (v["device"] == "cpu") for v in d["devices"])'
json 'all("compiler" in v["no_compiler"] for v in d["devices"][1:])'
go 0 devices
says 'no filters on vulkan:0 but those that were compiled before:'
prefix=()
