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
    for name in liblumagraph-shaderc.so liblumagraph-vips.so liblumagraph-av.so liblumagraph-archive.so \
        liblumagraph-openmpi.so liblumagraph-mpich.so libshaderc.so.1 libvulkan.so.1; do
        cp "$work/trap.so" "$place/$name"
    done
done
mkdir -p "$folder/lib" "$folder/lumagraph"
for name in liblumagraph-shaderc.so liblumagraph-vips.so liblumagraph-av.so liblumagraph-archive.so \
    liblumagraph-openmpi.so liblumagraph-mpich.so; do
    cp "$work/trap.so" "$folder/lib/$name"
    cp "$work/trap.so" "$folder/lumagraph/$name"
done
ln -s "$tool" "$folder/lumagraph-link"
chmod 777 "$work/open"

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

# What needs a module: of_tool are arguments of the tool, of_shared and of_static are programs.
of_filter() {
    of_tool=(run --device vulkan sepia "$work/in.pgm" -o "$work/o.ppm")
    of_shared=("$work/programs/filter-shared" vulkan) of_static=("$work/programs/filter-static" vulkan)
}
of_image() {
    of_tool=(stats --device cpu "$work/four.png")
    of_shared=("$work/programs/measure_files-shared" "$work/four.png" "$work/o.pgm")
    of_static=("$work/programs/measure_files-static" "$work/four.png" "$work/o.pgm")
}
of_film() {
    of_tool=(stats --device cpu "$work/film.mkv")
    of_shared=("$tool" "${of_tool[@]}") of_static=("$tool" "${of_tool[@]}")
}

# every_attack: by folders, names and variables. Each is a place that one version or another looked at.
every_attack() {
    local path name
    for path in "$folder" "$folder/below" "$folder/bin"; do
        cd "$path" || exit 2
        with=(PATH="$prefix/bin:/usr/bin:/bin")
        safe "the tool by PATH in ${path#"$work"/}, $1" lumagraph "${of_tool[@]}"
        with=()
        safe "the tool by its path in ${path#"$work"/}, $1" "$tool" "${of_tool[@]}"
        for name in lumagraph ./lumagraph ../lumagraph "$folder/lumagraph" "$folder/bin/lumagraph" ''; do
            safe "the name '$name' in ${path#"$work"/}, $1" \
                bash -c 'exec -a "$1" "$2" "${@:3}"' _ "$name" "$tool" "${of_tool[@]}"
        done
        safe "the static library in ${path#"$work"/}, $1" "${of_static[@]}"
        safe "the shared library in ${path#"$work"/}, $1" "${of_shared[@]}"
    done
    cd "$folder" || exit 2
    safe "a link to the tool, $1" ./lumagraph-link "${of_tool[@]}"
    with=(PATH=.:/usr/bin:/bin)
    safe "a link to the tool by PATH, $1" lumagraph-link "${of_tool[@]}"
    for path in . : ./ '' bin/.. "$work/open" ":$work/open" "$work/none:."; do
        with=(LD_LIBRARY_PATH="$path")
        safe "LD_LIBRARY_PATH='$path', $1" "$tool" "${of_tool[@]}"
        safe "the static library, LD_LIBRARY_PATH='$path', $1" "${of_static[@]}"
    done
    cd below || exit 2
    for path in .. ../ "../../folder"; do
        with=(LD_LIBRARY_PATH="$path")
        safe "LD_LIBRARY_PATH='$path', $1" "$tool" "${of_tool[@]}"
    done
    with=()
    cd "$work" || exit 2
}

# works WHAT: the tool does what it was asked to.
works() {
    bare "$tool" "${of_tool[@]}"
    that "${of_tool[0]} works $1" test $? -eq 0 -a ! -s "$err"
}

# module_attacks MODULE: with the module in its place, without it, and with a trap there.
module_attacks() {
    local module=$1 modules name path
    name=${module##*/} modules=$(dirname "$module")
    every_attack "with $name"
    cd "$folder" || exit 2
    for path in . "$work/open"; do
        with=(LD_LIBRARY_PATH="$path")
        # FFmpeg itself is linked with libvulkan, which the system's loader then finds here.
        [[ $name == liblumagraph-av.so ]] || works "with LD_LIBRARY_PATH=$path"
    done
    with=()
    cd "$work" || exit 2
    mv "$module" "$work/module.so"
    every_attack "without $name"
    bare "${of_static[@]}"
    that 'without the module there is an answer' grep -qF "neither beside lumagraph nor in $modules" "$err"

    # The trap in the place of the module is run, so it would be from elsewhere; but not where others
    # can write.
    cp "$work/trap.so" "$module"
    caught 'in the place of the module' "$tool" "${of_tool[@]}"
    chmod 777 "$modules"
    safe 'a folder that everybody can write to' "$tool" "${of_tool[@]}"
    bare "${of_static[@]}"
    that 'and the reason is said' grep -qF "$modules can be written by everybody" "$err"
    chmod 755 "$modules"
    chmod 666 "$module"
    safe 'a file that everybody can write to' "$tool" "${of_tool[@]}"
    chmod 755 "$module"
    rm "$module"
    ln -s "$work/open/$name" "$module"
    safe 'a link to a folder that everybody can write to' "$tool" "${of_tool[@]}"
    rm "$module"
    if ((EUID == 0)); then
        cp "$work/trap.so" "$module"
        chown 65534 "$module"
        safe 'a file of another user' "$tool" "${of_tool[@]}"
        chown 0 "$module" && chown 65534 "$modules"
        safe 'a folder of another user' "$tool" "${of_tool[@]}"
        chown 0 "$modules" && chgrp 65534 "$modules" && chmod 775 "$modules"
        safe "a folder of another group" "$tool" "${of_tool[@]}"
        chgrp 0 "$modules" && chmod 755 "$modules" && rm "$module"
    else
        skip 3 'only root can make files of other users'
    fi
    cp "$work/trap.so" "$prefix/bin/$name"
    caught 'beside the tool' "$tool" "${of_tool[@]}"
    chmod 777 "$prefix/bin"
    safe 'beside the tool, where everybody can write' "$tool" "${of_tool[@]}"
    chmod 755 "$prefix/bin"
    rm "$prefix/bin/$name"
    mv "$work/module.so" "$module"
    works 'with the module in its place again'
}

of_filter
if [[ -n $module ]]; then
    module_attacks "$module"
else
    every_attack 'without a module'
    skip 1 'this build has no compiler module of its own, whose places could be tried'
fi
of_image
if [[ -n $vips ]]; then
    module_attacks "$vips"
else
    skip 1 'this build has no libvips'
fi
of_film
if [[ -n $av ]]; then
    module_attacks "$av"
else
    skip 1 'this build has no FFmpeg'
fi
