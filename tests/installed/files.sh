# What is there, and what the module shows.
# shellcheck shell=bash disable=SC2154 # prefix, module, root ... are those of run

that 'the tool is installed' test -x "$prefix/bin/lumagraph"
for command in $("$tool" help | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p'); do
    page=$prefix/share/man/man1/lumagraph-$command.1
    [[ $command == help ]] || that "$command has a manual page" test -s "$page"
done
that 'nothing names the folder that it was built in' not grep -rqF "$root" "$prefix"
if [[ -z $module ]]; then
    skip 6 'this build has no compiler module of its own'
else
    symbols=$(nm -D --defined-only "$module" | awk '{ print $NF }')
    that "the module exports its one symbol, not: ${symbols:0:200}" test "$symbols" = lg_shaderc_module
    notice=$(dirname "$module")/liblumagraph-shaderc.NOTICE
    that 'notices lie beside the module' test -s "$notice"
    for text in 'The Shaderc Authors' '3Dlabs' 'Redistributions in binary form must reproduce' \
        'TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION'; do
        that "the notices have '$text'" grep -qF "$text" "$notice"
    done
fi
