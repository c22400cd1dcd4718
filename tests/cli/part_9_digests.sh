# Every pixel and every figure that was published stays: digests of all filters and measurements, made on the
# processor by scripts/digests.py --fold. A change of digests.txt needs its reason in docs/definitions.md.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, here, out, last ... are those of run

numpy=''
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null && numpy=$python && break
done
if [[ -z $numpy ]] || ! "$tool" stats -q "$root/images/coins.png" >/dev/null 2>&1; then
    skip 1 'digests of results: no NumPy, or a build that reads no PNG'
else
    last='digests.py' status=0
    if "$numpy" "$root/scripts/digests.py" "$tool" --check "$here/digests.txt" >"$out" 2>"$err"; then
        good
    else
        status=$?
        sed 's/^/  /' "$out"
        bad 'results changed'
    fi
fi
