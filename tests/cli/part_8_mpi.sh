# One image on several processes of MPI: reports and files are those of one process, byte for byte.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

if [[ $("$tool" --version) != *'MPI:     '*module* ]]; then
    refused 2 'no launcher of MPI' stats --mpi grey.pgm
    skip 1 'MPI: no module in this build'
    return
fi
mkdir -p mpi/one mpi/all
python3 - <<'PYTHON'
import random, struct
r = random.Random(31)
def pnm(name, kind, width, height, samples, maximum=255):
    open(f"mpi/{name}", "wb").write(b"%s\n%d %d\n%d\n" % (kind, width, height, maximum) + samples)
def blobs(width, height, step):
    across, down = range(width // step + 1), range(height // step + 1)
    rows = [[r.choice((0, 0, 150 + r.randrange(99))) for _ in across] for _ in down]
    return b"".join(bytes(rows[y // step][x // step] for x in range(width)) for y in range(height))
pnm("grey.pgm", b"P5", 97, 71, blobs(97, 71, 4))
pnm("color.ppm", b"P6", 41, 37, r.randbytes(41 * 37 * 3))
pnm("deep.pgm", b"P5", 40, 33, r.randbytes(40 * 33 * 2), 65535)
pnm("flat.pgm", b"P5", 50, 2, r.randbytes(100))  # fewer rows than ranks
with open("mpi/real.pfm", "wb") as f:
    f.write(b"Pf\n30 20\n-1.0\n" + b"".join(struct.pack("<f", r.gauss(0, 1e9)) for _ in range(600)))
pnm("large.pgm", b"P5", 3000, 3000, bytes(3000 * 3000))
open("mpi/broken.pgm", "wb").write(b"P5\n31 23\n255\n" + r.randbytes(400))  # ends in the middle
PYTHON
cd mpi || exit
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader
files=(grey.pgm color.ppm deep.pgm flat.pgm real.pfm)

# ranks N: `go` runs the tool on N processes.
ranks() { prefix=("$launcher" -n "$1"); }
alone() { prefix=(); }
# equal NAME: standard output is that of a run without MPI, and so is the file NAME of each, if it is given.
equal() {
    that "$1: the reports are equal" cmp "$1.csv" "$out"
    [[ -z ${2-} ]] || that "$2: the files are equal" cmp "one/$2" "all/$2"
}
# both NAME N FILE COMMAND ARGUMENTS...: with % for the folder of FILE.
both() {
    local name=$1 n=$2 file=$3
    shift 3
    alone
    go 0 "${@//%/one}"
    cp "$out" "$name.csv"
    ranks "$n"
    go 0 "${@//%/all}" --mpi
    equal "$name" "$file"
}

# resumed NAME N FILE COMMAND ARGUMENTS...: journals of two ranks, which a second name keeps, are cut as if
# the ranks had been killed, and N ranks go on.
resumed() {
    local name=$1 n=$2 file=$3 rank cut
    shift 3
    alone
    go 0 "${@//%/one}"
    cp "$out" "$name.csv"
    rm -rf kept
    mkdir kept
    for rank in 0 1; do
        : >"journal.$rank"
        ln "journal.$rank" "kept/$rank"
    done
    ranks 2
    go 0 "${@//%/all}" --mpi --resume --journal journal
    equal "$name" "$file"
    that 'ranks keep journals' test -s kept/0 -a -s kept/1
    for cut in 45 99; do
        for rank in 0 1; do
            head -c $(($(stat -c %s "kept/$rank") * cut / 100)) "kept/$rank" >"journal.$rank"
        done
        [[ -z $file ]] || mv "all/$file" journal.rows-0-0
        ranks "$n"
        go 0 "${@//%/all}" --mpi --resume --journal journal
        equal "$name" "$file"
        that "$name: journals are gone" test -z "$(compgen -G 'journal*')"
    done
}

for launcher in mpirun.openmpi mpirun.mpich; do
    if ! command -v "$launcher" >/dev/null; then
        skip 1 "MPI: there is no $launcher"
        continue
    fi
    rm -f all/*
    alone
    go 0 stats --csv "${files[@]}"
    cp "$out" stats.csv
    for n in 1 2 3 4; do
        ranks "$n"
        go 0 stats --csv --mpi "${files[@]}"
        equal stats
    done
    # Both modules are made of one source: what is left of the commands is tried with the launcher that is
    # sooner done.
    both labels 4 labels.npy label --csv -t otsu --keep 'area > 20' --colors %/colors.ppm \
        grey.pgm -o %/labels.npy
    that 'colours are equal' cmp one/colors.ppm all/colors.ppm
    both mean 3 mean.tif run 'median:radius=2 | threshold:level=@mean' grey.pgm \
        -o %/mean.tif --compression none -q
    both tiles 3 tiles.tif run 'gaussian_blur:sigma=1' color.ppm \
        -o %/tiles.tif --compression none --tile 16x32 --pyramid -q
    both half 3 half.pgm run 'gaussian_blur:sigma=1 | resize:scale=0.5' grey.pgm -o %/half.pgm -q
    if [[ $launcher == mpirun.mpich ]]; then
        # Outputs of other heights: rows of any rank are read by others, and some ranks have none.
        both double 7 double.tif run 'resize:scale=2.3:method=bilinear | sharpen' color.ppm \
            -o %/double.tif --compression none -q
        both tiny 7 tiny.npy run 'resize:height=3:width=9:method=area' real.pfm -o %/tiny.npy -q
        both plain 7 plain.tif run 'resize:scale=2.3:method=bilinear' color.ppm \
            -o %/plain.tif --compression none --tile 32 -q
        both none 4 none.tif run contrast flat.pgm -o %/none.tif --compression none --pyramid -q
        both cut 4 cut.tif threshold --csv --method otsu grey.pgm -o '%/cut.tif[tile=16,compression=none]'
        both numbers 4 numbers.tif label --csv -t otsu grey.pgm \
            -o '%/numbers.tif[tile=32x16,pyramid,compression=none]'
        both part 3 part.pgm run 'crop:y=40:height=20:unit=px' grey.pgm -o %/part.pgm -q
        both framed 2 framed.npy run 'brightness=@mean-0.5 | pad:top=90:bottom=9 | canvas:height=200' \
            deep.pgm -o %/framed.npy -q
        both alone 1 alone.pgm run 'canvas:height=50' grey.pgm -o %/alone.pgm -q
        both histogram 3 '' histogram --csv --bins 16 grey.pgm color.ppm deep.pgm flat.pgm
        both levels 2 '' threshold --csv --method otsu "${files[@]}"
        both binary 4 binary.tif threshold --csv --method otsu grey.pgm -o '%/binary.tif[compression=none]'
        both deep 3 deep.pgm threshold --csv --method li deep.pgm -o %/deep.pgm
        both table 3 '' label --csv -t 100 --intensity self grey.pgm flat.pgm
        both blur 3 blur.npy run 'gaussian_blur:sigma=3' real.pfm -o %/blur.npy -q
        both few 4 few.pgm run 'gaussian_blur:sigma=1' flat.pgm -o %/few.pgm -q
        both shapes 7 shapes.npy label --csv --columns all -t 100 --keep 'perimeter > 9' grey.pgm \
            -o %/shapes.npy
        both corners 3 '' label --csv --columns all -t 100 -c 4 --fill-holes grey.pgm flat.pgm
        resumed stats 3 '' stats --csv --memory 68K grey.pgm color.ppm
        resumed levels 3 levels.pgm threshold --csv --method li --memory 68K deep.pgm -o %/levels.pgm
        resumed parts 2 parts.npy label --csv -t otsu --columns all --memory 68K grey.pgm -o %/parts.npy
        resumed larger 3 larger.tif run 'resize:scale=1.4' --memory 160K grey.pgm -o %/larger.tif \
            --compression none --tile 16x32 --pyramid -q
        resumed median 1 median.pgm run 'median:radius=1' --memory 72K grey.pgm -o %/median.pgm -q
        # Rows that are written are taken as they are, and a journal is of one command.
        cp kept/0 journal.0
        cp kept/1 journal.1
        cp all/median.pgm journal.rows-0-0
        printf '\1' | dd of=journal.rows-0-0 bs=1 seek=20 conv=notrunc status=none
        go 2 run 'median:radius=2' --memory 72K grey.pgm -o all/median.pgm -q --mpi --resume --journal journal
        complains 'journal of another command'
        go 0 run 'median:radius=1' --memory 72K grey.pgm -o all/median.pgm -q --mpi --resume --journal journal
        that 'written rows are not computed again' \
            test "$(cmp -l one/median.pgm all/median.pgm | wc -l)" = 1
        ranks 2
        go 0 stats --csv --link-limit 60 --mpi grey.pgm
        go 0 threshold --csv --method otsu --link-limit 60 --mpi grey.pgm
        go 0 label --csv -t 100 --link-limit 60 --mpi grey.pgm
        go 0 run contrast --link-limit 60 --mpi grey.pgm -o all/linked.pgm -q
        go 0 histogram --csv --bins 16 --link-limit 60 --mpi --resume --journal journal grey.pgm
        that 'and a journal that is not needed is gone' test -z "$(compgen -G 'journal*')"
    fi

    # Ranks of a machine take its devices in turns: the third rank takes the first device again.
    if [[ ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]] &&
        "$tool" devices --json | grep -q '"device":"vulkan:0","name":"[^"]*","usable":true'; then
        alone
        go 0 stats --csv --device vulkan:0 grey.pgm
        cp "$out" devices.csv
        ranks 3
        go 0 stats --csv --device vulkan:0,vulkan:0 --mpi grey.pgm
        equal devices
        go 0 run 'gaussian_blur:sigma=1 | resize:scale=0.5' --device vulkan:0,vulkan:0 --mpi grey.pgm \
            -o all/device.pgm -q
        that 'ranks on devices write rows of another height' cmp one/half.pgm all/device.pgm
        ranks 1
        go 0 stats --csv --device vulkan:0,vulkan:77 --mpi grey.pgm
        equal devices
        ranks 2
        go 4 stats --device vulkan:0,vulkan:77 --mpi grey.pgm
        complains 'on rank 1: there is no Vulkan device 77'
        go 4 stats --device vulkan:77,vulkan:0 --mpi grey.pgm
        complains 'there is no Vulkan device 77'
        # A rank under another name of the machine is the first one there.
        if unshare -u true 2>/dev/null; then
            there=(stats --csv --device 'vulkan:0,vulkan:77' --mpi grey.pgm)
            # shellcheck disable=SC2016 # for the shell there
            that 'each machine begins with its first device' "$launcher" \
                -n 1 "$tool" "${there[@]}" -o devices.1 : \
                -n 1 unshare -u sh -c 'echo other >/proc/sys/kernel/hostname; exec "$@"' sh \
                "$tool" "${there[@]}" -o devices.1
            that 'with the same figures' cmp devices.csv devices.1
        fi
    fi

    # What is refused is refused once, and nothing is left.
    ranks 2
    go 2 stats --mpi --nonsense grey.pgm
    that 'usage is explained once' test "$(grep -c '^lumagraph: ' "$err")" = 1
    go 5 stats --mpi absent.pgm
    that 'the failure is printed once' test "$(grep -c '^lumagraph: absent.pgm' "$err")" = 1
    go 1 stats --csv --mpi grey.pgm broken.pgm flat.pgm
    that 'the others are done' test "$(grep -c pgm "$out")" = 2
    complains 'broken.pgm: '
    go 5 run contrast grey.pgm -o all/deflate.tif --mpi
    complains 'compression=none'
    go 5 run contrast grey.pgm -o all/deflate.tif --tile 16 --mpi
    complains 'compression=none'
    go 5 run contrast grey.pgm -o all/deflate.zarr --compression none --mpi
    complains 'by one process'
    go 5 threshold --method otsu grey.pgm -o all/binary.png --mpi
    complains 'encoded one after the other'
    that 'no output is left' test ! -e all/deflate.tif -a ! -e all/binary.png

    # A rank that dies while it writes ends the job. The work would take minutes.
    "$launcher" -n 3 "$tool" run 'bilateral:radius=20|bilateral:radius=20' large.pgm -o all/killed.pgm --mpi \
        >"$out" 2>"$err" &
    job=$! last='run large.pgm --mpi'
    for ((i = 0; i < 400; i++)); do
        [[ ! -e all/.lumagraph-0.tmp ]] || break
        sleep 0.05
    done
    that 'the output was begun' test -e all/.lumagraph-0.tmp
    for process in $(pgrep -f -- '-o all/killed.pgm --mpi'); do
        ! tr '\0' '\n' <"/proc/$process/environ" | grep -qE '^(OMPI_COMM_WORLD_RANK|PMI_RANK)=1$' ||
            kill -KILL "$process"
    done
    wait "$job"
    status=$?
    that 'a rank that dies ends the job' test "$status" -ne 0
    that 'with a message' grep -qiE 'signal|killed' "$out" "$err"
    that 'and there is no output' test ! -e all/killed.pgm
    alone
    go 0 run contrast flat.pgm -o all/next.pgm -q # removes what MPICH left, which ends ranks by SIGKILL
    no_leftovers
done
alone
refused 2 '--state and --mpi exclude each other' stats --mpi --state x.lgs grey.pgm
refused 2 'say where: --journal NAME' stats --mpi --resume grey.pgm
refused 2 '--journal is of --resume' stats --mpi --journal x grey.pgm
refused 2 'beside the --state' stats --journal x grey.pgm
refused 2 '--link-limit is of --mpi' stats --link-limit 10 grey.pgm
refused 2 'openmpi and mpich' stats --mpi=lam grey.pgm
refused 2 'no launcher of MPI' stats --mpi grey.pgm
no_leftovers
cd ..
