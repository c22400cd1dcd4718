# A project of CMake against the installed description, and which versions it answers to.
# shellcheck shell=bash disable=SC2154 # prefix, here, work, out ... are those of run

if ! command -v cmake >/dev/null; then
    skip 14 'no cmake on this machine'
    return
fi
bare cmake -S "$here/with_cmake" -B "$work/with_cmake" -DCMAKE_PREFIX_PATH="$prefix" -DSOURCES="$here"
that 'a project of CMake finds the library' test $? -eq 0
while IFS='|' read -r request answer; do
    that "CMake asked for $request is answered $answer" grep -qF "$request: $answer" "$out"
done <<'END'
version 0.2|0
version 0.0.1|0
version 1|0
version 0.1.0;EXACT|1
version 0.1.9;EXACT|0
version 0.1.9|0
version 0.1...0.3|1
version 0.2...0.3|0
component sound|0
END
bare cmake --build "$work/with_cmake"
that 'and can be built' test $? -eq 0
for form in lumagraph lumagraph_static; do
    bare "$work/with_cmake/filter_$form" cpu
    that "its program with $form prints 255, not '$(<"$out")'" test "$(<"$out")" = 255
done
printf 'P5 2 2 255\n\1\2\41\144' >"$work/four.pgm"
bare "$work/with_cmake/measure_io" "$work/four.pgm" "$work/again.pgm"
that 'its program reads and writes files' test $? -eq 0 -a -s "$work/again.pgm"
