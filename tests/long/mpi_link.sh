#!/bin/bash
# The connection between two machines of an MPI job is cut while they compute: with --link-limit the ranks end
# with a message, and leave no file. Machines are network namespaces. Ends with `mpi_link: N passed, N failed,
# N skipped`.
# usage: mpi_link.sh TOOL
# shellcheck disable=SC2317 # clean is called by trap
tool=$(realpath "${1:-build/lumagraph}")
passed=0 failed=0 skipped=0 limit=10
check() {
    if "${@:2}"; then
        ((passed++))
    else
        ((failed++))
        echo "FAILED: $1"
    fi
}
finish() {
    echo "mpi_link: $passed passed, $failed failed, $skipped skipped"
    exit $((failed > 0))
}
skip() {
    echo "skipped: $1"
    ((skipped++))
}

folder=$(mktemp -d) spaces=("lg$$a" "lg$$b") job=''
# What a job has left: the launcher, which is in a session of its own, those that it started, and the ranks.
end_job() {
    local process space
    [[ -n $job ]] || return
    for process in $(pgrep -s "$job") $(pgrep -f "$folder/agent"); do
        kill -KILL "$process" 2>/dev/null
    done
    for space in "${spaces[@]}"; do
        for process in $(ip netns pids "$space"); do kill -KILL "$process" 2>/dev/null; done
    done
    wait "$job" 2>/dev/null
    job=''
}
clean() {
    end_job
    ip netns del "${spaces[0]}" 2>/dev/null
    ip netns del "${spaces[1]}" 2>/dev/null
    rm -rf "$folder"
}
trap clean EXIT
trap 'exit 143' TERM INT HUP
cd "$folder" || exit 1
if ! command -v ip >/dev/null || ! ip netns add "${spaces[0]}" 2>/dev/null; then
    skip 'network namespaces need iproute2 and root'
    finish
fi
ip netns add "${spaces[1]}"

# The stand-in for ssh: [OPTION...] HOST COMMAND...
cat >agent <<AGENT
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
[[ \$1 == 10.99.0.1 ]] && space=${spaces[0]} || space=${spaces[1]}
shift
exec ip netns exec "\$space" bash -c "\$*"
AGENT
chmod +x agent
python3 -c 'open("in.pgm", "wb").write(b"P5\n2500 2500\n255\n" + bytes(2500 * 2500))'

connect() {
    ip -n "${spaces[0]}" link del lgv0 2>/dev/null
    ip -n "${spaces[0]}" link add lgv0 type veth peer name lgv1 netns "${spaces[1]}"
    for i in 0 1; do
        ip -n "${spaces[i]}" addr add 10.99.0.$((i + 1))/24 dev lgv$i
        ip -n "${spaces[i]}" link set lo up
        ip -n "${spaces[i]}" link set lgv$i up
    done
    sleep 1
}
# Processes of the tool itself, not those that started it.
ranks() {
    local process words
    for process in $(pgrep -f -- "-o $folder/out.pgm --mpi"); do
        mapfile -d '' -t words 2>/dev/null <"/proc/$process/cmdline" || continue
        [[ ${words[0]-} != "$tool" ]] || echo "$process"
    done 2>/dev/null
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=tcp,self OMPI_MCA_pml=ob1 UCX_TLS=tcp,self
declare -A launch=(
    [mpirun.openmpi]="--mca plm_rsh_agent $folder/agent -host 10.99.0.1:1,10.99.0.2:1"
    [mpirun.mpich]="-launcher ssh -launcher-exec $folder/agent -hosts 10.99.0.1:1,10.99.0.2:1"
)
for launcher in mpirun.openmpi mpirun.mpich; do
    if ! command -v "$launcher" >/dev/null; then
        skip "there is no $launcher"
        continue
    fi
    connect
    read -ra options <<<"${launch[$launcher]}"
    setsid ip netns exec "${spaces[0]}" "$launcher" "${options[@]}" -n 2 "$tool" run \
        'bilateral:radius=20|bilateral:radius=20' in.pgm -o "$folder/out.pgm" --mpi --link-limit $limit \
        >out 2>&1 &
    job=$!
    for ((i = 0; i < 600; i++)); do
        [[ ! -e .lumagraph-0.tmp ]] || break
        sleep 0.1
    done
    check "$launcher: the output was begun" test -e .lumagraph-0.tmp
    sleep 1
    ip -n "${spaces[1]}" link set lgv1 down
    # The launcher may wait for its own connection; the ranks may not. The rest is for a busy machine.
    for ((i = 0; i < 10 * limit + 300; i++)); do
        [[ -n $(ranks) ]] || break
        sleep 0.1
    done
    check "$launcher: the ranks have ended" test -z "$(ranks)"
    check "$launcher: with a message" grep -q 'has not answered for 10 s' out
    check "$launcher: there is no output" test ! -e out.pgm -a ! -e .lumagraph-0.tmp
    end_job
done
finish
