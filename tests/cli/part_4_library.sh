# The library as it is installed, and the example of README.md as it is printed there.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

build=$(dirname "$tool") absent='' last='meson install' status=0
for program in cc meson pkg-config; do
    command -v $program >/dev/null || absent+=" $program"
done
[[ -f $build/build.ninja && -w $build/meson-logs ]] || absent+=" a build folder that can be written"
if [[ -n $absent ]]; then
    skip 4 "the installed library needs$absent"
else
    DESTDIR=$work/installed meson install -C "$build" --no-rebuild >"$out" 2>"$err" || cat "$out" >>"$err"
    folder=$(dirname "$(find "$work/installed" -name lumagraph.pc)")
    that 'the library can be installed' test -f "$folder/lumagraph.pc"
    awk '/^```/ { inside = /^```c$/; next } inside' "$root/README.md" >example.c
    last='the example of README.md' flags=()
    read -ra flags < <(PKG_CONFIG_LIBDIR=$folder PKG_CONFIG_SYSROOT_DIR=$work/installed \
        pkg-config --cflags --libs lumagraph)
    cc -std=c11 -Wall -Wextra -pedantic -Werror example.c "${flags[@]}" -o example >"$out" 2>"$err"
    status=$?
    that 'the example compiles' test $status -eq 0
    LD_LIBRARY_PATH=$(dirname "$folder") ./example >"$out" 2>"$err"
    status=$?
    that 'the example runs' test $status -eq 0
    last=$(<"$out")
    that 'the example prints what README.md says' grep -qF "\`$last\`" "$root/README.md"
fi
