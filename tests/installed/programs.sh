# Programs in C and C++ by pkg-config, with the shared library, the static one, and without any loader.
# shellcheck shell=bash disable=SC2154 # prefix, here, root, work ... are those of run

mkdir -p "$work/programs" && cd "$work/programs" || exit 2
descriptions=$(dirname "$(find "$prefix" -name lumagraph.pc)")
libraries=$(dirname "$descriptions")
flags() { PKG_CONFIG_PATH=$descriptions pkg-config "$@"; } # the system has what our libraries are linked with
read -ra shared < <(flags --cflags --libs lumagraph)
read -ra static < <(flags --static --cflags --libs lumagraph)
static=("${static[@]/#-llumagraph/-l:liblumagraph.a}")
awk '/^```/ { inside = /^```c$/; next } inside' "$root/README.md" >example.c
cp "$here/filter.c" "$here/defaults.cpp" .
c=(cc -std=c11 -Wall -Wextra -pedantic -Werror)

# build NAME COMMAND...: to programs/NAME
build() {
    "${@:2}" -o "$1" >"$out" 2>"$err"
    that "$1 can be built" test $? -eq 0
}
# gives TEXT COMMAND...: status 0, exactly this line
gives() {
    bare "${@:2}"
    that "$2 ends with status 0" test $? -eq 0
    that "$2 prints '$1', not '$(<"$out")'" test "$(<"$out")" = "$1"
}

for source in example filter; do
    build $source-shared "${c[@]}" $source.c "${shared[@]}" -Wl,-rpath,"$libraries"
    build $source-static "${c[@]}" $source.c "${static[@]}"
    build $source-alone "${c[@]}" $source.c -static "${static[@]}"
done
build defaults c++ -std=c++20 -Wall -Wextra -pedantic -Werror defaults.cpp "${shared[@]}" \
    -Wl,-rpath,"$libraries"

for form in shared static alone; do
    bare ./example-$form
    that "the example runs ($form)" test $? -eq 0
    that "the example ($form) prints what README.md says: $(<"$out")" \
        grep -qF "\`$(<"$out")\`" "$root/README.md"
    gives 255 ./filter-$form cpu
done
gives 255 ./filter-shared vulkan
gives 255 ./filter-static vulkan
bare ./filter-alone vulkan
that 'a static program is refused Vulkan, status LG_ERROR_DEVICE' test $? -eq 4
that 'and told why' grep -qF 'no Vulkan in a static program' "$err"
gives 'mean 127.5, 256 bins, level 127.5, sum 24, 1 component' ./defaults

# Who has the headers alone: three tasks, and what the library says to five slips of each.
read -ra io < <(flags --cflags --libs lumagraph-io)
build user "${c[@]}" "$here/user.c" "${io[@]}" -Wl,-rpath,"$libraries"
bare ./user "$work/programs"
that 'a user gets through three tasks' test $? -eq 0
diff "$here/user.expected" "$out" >"$err"
that 'and is told what to do in between' test $? -eq 0
cd "$work" || exit 2
