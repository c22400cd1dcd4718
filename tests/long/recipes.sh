#!/usr/bin/env bash
# The recipe of packaging/ for Conan, with the libraries of this system in place of Conan Center's.
# usage: tests/long/recipes.sh TOOL
#   CONAN=conan           Conan 2 (pip install conan); without it the recipe is skipped
#   LUMAGRAPH_CPU_LEVELS  as Meson's option cpu_levels, for fewer minutes
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/lumagraph-recipes.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
levels=${LUMAGRAPH_CPU_LEVELS:-v2,v3,v4,neon}
passed=0 failed=0 skipped=0
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $*"
}
# judge STATUS WHAT LOG
judge() {
    if (($1 == 0)); then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $2"
        tail -n 30 "$3" | sed 's/^/    | /'
    fi
}

# ---- Conan -----------------------------------------------------------------------------------------

conan=${CONAN:-conan}
export CONAN_HOME=$work/conan
version_of() { pkg-config --modversion "$1"; }
# What the recipe asks for, as this system has it; Vulkan is left out, as its parts have no version that
# Conan knows.
write_profile() {
    "$conan" profile detect >"$work/log" 2>&1 || return
    {
        cat "$CONAN_HOME/profiles/default"
        printf '[platform_requires]\nlibtiff/%s\n' "$(version_of libtiff-4)"
        printf 'jansson/%s\n' "$(version_of jansson)"
        printf '[platform_tool_requires]\nmeson/%s\n' "$(meson --version)"
        printf "[conf]\ntools.meson.mesontoolchain:extra_machine_files=['%s']\n" "$work/levels.ini"
        printf 'tools.cmake.cmake_layout:test_folder=%s\n' "$work/programs" # the sources stay as they are
    } >"$work/profile"
    printf "[project options]\ncpu_levels = ['%s']\n" "${levels//,/"', '"}" >"$work/levels.ini"
}
if ! command -v "$conan" >/dev/null || ! command -v cmake >/dev/null; then
    skip 'Conan: no conan (pip install conan) or no cmake on this machine'
elif ! pkg-config --exists libtiff-4 jansson; then
    skip 'Conan: the recipe takes libtiff and Jansson of this system, and they are not here'
elif write_profile; then
    for shared in True False; do
        "$conan" create "$root/packaging/conan" --no-remote --profile:all "$work/profile" \
            -o '&:vulkan=False' -o "&:shared=$shared" >"$work/log" 2>&1
        judge $? "conan create, shared=$shared" "$work/log"
    done
else
    judge 1 'conan has no profile' "$work/log"
fi

echo "recipes: $passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed + skipped > 0))
