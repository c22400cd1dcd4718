# Code is loaded from trusted places only. A trap is a library that leaves a file behind when it is loaded.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # prefix, module, tool, work ... are those of run

folder=$work/folder sprung=$work/sprung
mkdir -p "$folder/below" "$folder/bin" "$work/open"
cc -shared -fPIC -x c -o "$work/trap.so" - <<TRAP
#include <stdio.h>
__attribute__((constructor)) static void spring(void)
{
    FILE *file = fopen("$sprung", "w");
    if (file)
        fclose(file);
}
TRAP
for place in "$folder" "$work/open"; do
    for name in liblumagraph-shaderc.so libshaderc.so.1 libvulkan.so.1; do
        cp "$work/trap.so" "$place/$name"
    done
done
mkdir -p "$folder/lib" "$folder/lumagraph"
cp "$work/trap.so" "$folder/lib/liblumagraph-shaderc.so"
cp "$work/trap.so" "$folder/lumagraph/liblumagraph-shaderc.so"
ln -s "$tool" "$folder/lumagraph-link"
chmod 777 "$work/open"
filter=(run --device vulkan sepia "$work/in.pgm" -o "$work/o.ppm")

# safe WHAT COMMAND...: no trap was sprung.
safe() {
    rm -f "$sprung"
    bare "${@:2}"
    that "no foreign code: $1" test ! -e "$sprung"
}
# caught WHAT COMMAND...: a trap was sprung: it works, and its place is one that is looked at.
caught() {
    rm -f "$sprung"
    bare "${@:2}"
    that "the trap works: $1" test -e "$sprung"
}

# every_attack: by folders, names and variables. Each is a place that one version or another looked at.
every_attack() {
    local path name
    for path in "$folder" "$folder/below" "$folder/bin"; do
        cd "$path" || exit 2
        with=(PATH="$prefix/bin:/usr/bin:/bin")
        safe "the tool by PATH in ${path#"$work"/}, $1" lumagraph "${filter[@]}"
        with=()
        safe "the tool by its path in ${path#"$work"/}, $1" "$tool" "${filter[@]}"
        for name in lumagraph ./lumagraph ../lumagraph "$folder/lumagraph" "$folder/bin/lumagraph" ''; do
            safe "the name '$name' in ${path#"$work"/}, $1" \
                bash -c 'exec -a "$1" "$2" "${@:3}"' _ "$name" "$tool" "${filter[@]}"
        done
        safe "the static library in ${path#"$work"/}, $1" "$work/programs/filter-static" vulkan
        safe "the shared library in ${path#"$work"/}, $1" "$work/programs/filter-shared" vulkan
    done
    cd "$folder" || exit 2
    safe "a link to the tool, $1" ./lumagraph-link "${filter[@]}"
    with=(PATH=.:/usr/bin:/bin)
    safe "a link to the tool by PATH, $1" lumagraph-link "${filter[@]}"
    for path in . : ./ '' bin/.. "$work/open" ":$work/open" "$work/none:."; do
        with=(LD_LIBRARY_PATH="$path")
        safe "LD_LIBRARY_PATH='$path', $1" "$tool" "${filter[@]}"
        safe "the static library, LD_LIBRARY_PATH='$path', $1" "$work/programs/filter-static" vulkan
    done
    cd below || exit 2
    for path in .. ../ "../../folder"; do
        with=(LD_LIBRARY_PATH="$path")
        safe "LD_LIBRARY_PATH='$path', $1" "$tool" "${filter[@]}"
    done
    with=()
    cd "$work" || exit 2
}

every_attack 'with the module'
cd "$folder" || exit 2
for path in . "$work/open"; do
    with=(LD_LIBRARY_PATH="$path")
    bare "$tool" "${filter[@]}"
    that "filters on Vulkan with LD_LIBRARY_PATH=$path" test $? -eq 0 -a ! -s "$err"
done
with=()
cd "$work" || exit 2

if [[ -z $module ]]; then
    skip 1 'this build has no compiler module of its own, whose places could be tried'
    return
fi
modules=$(dirname "$module")
mv "$module" "$work/module.so"
every_attack 'without the module'
bare "$work/programs/filter-static" vulkan
that 'without a compiler there is an answer' grep -qF "neither beside lumagraph nor in $modules" "$err"

# The trap in the place of the module is run, so it would be from elsewhere; but not where others can write.
cp "$work/trap.so" "$module"
caught 'in the place of the module' "$tool" "${filter[@]}"
chmod 777 "$modules"
safe 'a folder that everybody can write to' "$tool" "${filter[@]}"
bare "$work/programs/filter-static" vulkan
that 'and the reason is said' grep -qF "$modules can be written by everybody" "$err"
chmod 755 "$modules"
chmod 666 "$module"
safe 'a file that everybody can write to' "$tool" "${filter[@]}"
chmod 755 "$module"
rm "$module"
ln -s "$work/open/liblumagraph-shaderc.so" "$module"
safe 'a link to a folder that everybody can write to' "$tool" "${filter[@]}"
rm "$module"
if ((EUID == 0)); then
    cp "$work/trap.so" "$module"
    chown 65534 "$module"
    safe 'a file of another user' "$tool" "${filter[@]}"
    chown 0 "$module" && chown 65534 "$modules"
    safe 'a folder of another user' "$tool" "${filter[@]}"
    chown 0 "$modules" && chgrp 65534 "$modules" && chmod 775 "$modules"
    safe "a folder of another group" "$tool" "${filter[@]}"
    chgrp 0 "$modules" && chmod 755 "$modules" && rm "$module"
else
    skip 3 'only root can make files of other users'
fi
cp "$work/trap.so" "$prefix/bin/liblumagraph-shaderc.so"
caught 'beside the tool' "$tool" "${filter[@]}"
chmod 777 "$prefix/bin"
safe 'beside the tool, where everybody can write' "$tool" "${filter[@]}"
chmod 755 "$prefix/bin"
rm "$prefix/bin/liblumagraph-shaderc.so"
mv "$work/module.so" "$module"
bare "$tool" "${filter[@]}"
that 'in its place again the module is used' test $? -eq 0 -a ! -s "$err"
