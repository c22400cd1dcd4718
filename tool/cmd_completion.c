// lumagraph completion: scripts for shells, made from the tables of commands, options and filters.
#include "session.h"

#include <string.h>

// ---- words --------------------------------------------------------------------------------------

static bool
is_listed(const char *word) // choices that stand for a form, such as value:V, are not words
{
    return !strchr(word, ':');
}

// 'text' for a shell.
static void quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}

static void parameter_words(const lg_filter *f, FILE *out)
{
    for (int i = 0; i < f->param_count; i++)
        if ((f->params[i].kind != LG_PARAM_TABLE || *f->params[i].unit) &&
            f->params[i].kind != LG_PARAM_ALIAS)
            fprintf(out, " %s=", f->params[i].name);
    if (f->inputs > 1)
        fputs(" over=#", out);
}

static void choice_words(const lg_filter_param *p, FILE *out)
{
    if (p->kind == LG_PARAM_FLAG)
        fputs(" yes no", out);
    for (const char *at = p->kind == LG_PARAM_CHOICE ? p->choices : ""; *at; at += *at == '|') {
        const int length = (int)strcspn(at, "|");
        fprintf(out, " %.*s", length, at);
        at += length;
    }
}

static bool has_choices(const lg_filter_param *p)
{
    return p->kind == LG_PARAM_FLAG || p->kind == LG_PARAM_CHOICE;
}

// ---- bash and zsh -------------------------------------------------------------------------------

static void shell_commands(FILE *out)
{
    fputs("_lumagraph_commands() { printf '%s\\n'", out);
    for (size_t i = 0; lg_command_at(i); i++)
        fprintf(out, " %s", lg_command_at(i)->name);
    fputs(" help --help --version; }\n\n", out);
}

// Options by command, and the words that may follow one; an option that takes a value has a pattern
// there even when no words are known.
static void shell_options(FILE *out)
{
    lg_option_info option;
    fputs("_lumagraph_options() {\n    case $1 in\n", out);
    for (size_t c = 0; lg_command_at(c); c++) {
        const lg_command *command = lg_command_at(c);
        if (!command->bit)
            continue;
        fprintf(out, "    %s) printf '%%s\\n'", command->name);
        for (size_t i = 0; lg_option_at(command, i, &option); i++)
            fprintf(out, " --%s", option.name);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\n\n_lumagraph_values() {\n    case $1:$2 in\n", out);
    for (size_t c = 0; lg_command_at(c); c++)
        for (size_t i = 0; lg_command_at(c)->bit && lg_option_at(lg_command_at(c), i, &option);
             i++) {
            const char *name = lg_command_at(c)->name;
            if (!option.value)
                continue;
            fprintf(out, "    %s:--%s", name, option.name);
            if (option.letter)
                fprintf(out, "|%s:-%c", name, option.letter);
            const bool device = strcmp(option.name, "device") == 0;
            fputs(option.choice || device ? ") printf '%s\\n'" : ") :", out);
            for (int k = 0; option.choice && option.choice(k); k++)
                if (is_listed(option.choice(k)))
                    fprintf(out, " %s", option.choice(k));
            fputs(device ? " auto cpu vulkan ;;\n" : " ;;\n", out);
        }
    fputs("    *) return 1 ;;\n    esac\n}\n\n", out);
}

static void shell_filters(FILE *out)
{
    fputs("_lumagraph_filters() { printf '%s\\n'", out);
    for (size_t i = 0; i < lg_filter_count(); i++)
        fprintf(out, " %s", lg_filter_at(i)->name);
    fputs("; }\n\n_lumagraph_params() {\n    case $1 in\n", out);
    for (size_t i = 0; i < lg_filter_count(); i++) {
        fprintf(out, "    %s) printf '%%s\\n' ''", lg_filter_at(i)->name);
        parameter_words(lg_filter_at(i), out);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\n\n_lumagraph_choices() {\n    case $1:$2 in\n", out);
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        for (int k = 0; k < f->param_count; k++) {
            if (!has_choices(&f->params[k]))
                continue;
            fprintf(out, "    %s:%s) printf '%%s\\n'", f->name, f->params[k].name);
            choice_words(&f->params[k], out);
            fputs(" ;;\n", out);
        }
    }
    fputs("    *) printf '%s\\n'", out);
    for (size_t i = 0; lg_graph_figure_at(i); i++)
        if (lg_graph_figure_at(i)->numbers > 0 && !strchr(lg_graph_figure_at(i)->name, 'N'))
            fprintf(out, " @%s", lg_graph_figure_at(i)->name);
    fputs(" ;;\n    esac\n}\n\n", out);
}

// The line is split here and not by the shell, whose words end at : and =.
static const char shell_functions[] =
    "# Offers the words of standard input that begin with $2, each with $1 in front.\n"
    "_lumagraph_offer() {\n"
    "    local word\n"
    "    while IFS= read -r word; do\n"
    "        [[ -n $word && $word == \"$2\"* ]] && COMPREPLY+=(\"$1$word\")\n"
    "    done\n"
    "}\n"
    "\n"
    "# Splits the line $1 at blanks outside quotes; lg_quote is the quote that is still open.\n"
    "_lumagraph_split() {\n"
    "    local line=$1 at letter word='' started=''\n"
    "    lg_words=() lg_quote=''\n"
    "    for ((at = 0; at < ${#line}; at++)); do\n"
    "        letter=${line:$at:1}\n"
    "        if [[ -n $lg_quote ]]; then\n"
    "            if [[ $letter == \"$lg_quote\" ]]; then lg_quote=''; else word+=$letter; fi\n"
    "        elif [[ $letter == \"'\" || $letter == '\"' ]]; then\n"
    "            lg_quote=$letter started=1\n"
    "        elif [[ $letter == ' ' || $letter == $'\\t' ]]; then\n"
    "            [[ -n $word$started ]] && lg_words+=(\"$word\")\n"
    "            word='' started=''\n"
    "        else\n"
    "            word+=$letter\n"
    "        fi\n"
    "    done\n"
    "    lg_words+=(\"$word\")\n"
    "}\n"
    "\n"
    "# Completes the last piece of the pipeline $1: a filter, a parameter, a value.\n"
    "_lumagraph_pipeline() {\n"
    "    local part=${1##*|} last head filter\n"
    "    part=${part#\"${part%%[! ]*}\"}\n"
    "    head=${1%\"$part\"}\n"
    "    if [[ $part != *:* ]]; then\n"
    "        _lumagraph_offer \"$head\" \"$part\" <<<\"$(_lumagraph_filters)\"\n"
    "        return\n"
    "    fi\n"
    "    filter=${part%%:*} last=${part##*:}\n"
    "    head=$head${part%\"$last\"}\n"
    "    if [[ $last == *=* ]]; then\n"
    "        _lumagraph_offer \"$head${last%%=*}=\" \"${last#*=}\" \\\n"
    "            <<<\"$(_lumagraph_choices \"$filter\" \"${last%%=*}\")\"\n"
    "    else\n"
    "        _lumagraph_offer \"$head\" \"$last\" <<<\"$(_lumagraph_params \"$filter\")\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "# The command's own arguments before the current word, and the option that waits for a "
    "value.\n"
    "_lumagraph_arguments() {\n"
    "    local at word\n"
    "    lg_arguments=0 lg_waits='' lg_graph=''\n"
    "    for ((at = 2; at < ${#lg_words[@]} - 1; at++)); do\n"
    "        word=${lg_words[$at]}\n"
    "        [[ $word == --graph* || $word == -g* ]] && lg_graph=1\n"
    "        if [[ -n $lg_waits ]]; then\n"
    "            lg_waits=''\n"
    "        elif [[ $word == -?* ]]; then\n"
    "            _lumagraph_values \"${lg_words[1]}\" \"$word\" >/dev/null && lg_waits=$word\n"
    "        else\n"
    "            lg_arguments=$((lg_arguments + 1))\n"
    "        fi\n"
    "    done\n"
    "}\n"
    "\n"
    "# Completes the last of several words: with commas between them, or names in an expression.\n"
    "_lumagraph_list() {\n"
    "    local last=${3##*,} option=$2\n"
    "    [[ $option == --keep || $option == -k ]] && last=${3##*[!a-z_]} option=--columns\n"
    "    _lumagraph_offer \"${3%\"$last\"}\" \"$last\" <<<\"$(_lumagraph_values \"$1\" "
    "\"$option\")\"\n"
    "}\n"
    "\n"
    "# The shell closes a quote behind a single offer; behind two that begin alike it does not.\n"
    "_lumagraph_stay_open() {\n"
    "    [[ -n $lg_quote && ${#COMPREPLY[@]} -eq 1 ]] || return\n"
    "    case ${COMPREPLY[0]} in\n"
    "    *=) COMPREPLY+=(\"${COMPREPLY[0]}@\") ;;\n"
    "    *) COMPREPLY+=(\"${COMPREPLY[0]}:\") ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_lumagraph() {\n"
    "    local lg_quote lg_arguments lg_waits lg_graph current command head line\n"
    "    local -a lg_words\n"
    "    COMPREPLY=()\n"
    "    line=${COMP_LINE:0:$COMP_POINT}\n"
    "    _lumagraph_split \"$line\"\n"
    "    # Behind a quote that was closed nothing can be added, and the shell would replace the "
    "word.\n"
    "    if [[ -z $lg_quote && $line == *[\\\'\\\"] ]]; then\n"
    "        compopt +o default +o bashdefault 2>/dev/null\n"
    "        return\n"
    "    fi\n"
    "    current=${lg_words[${#lg_words[@]} - 1]}\n"
    "    command=${lg_words[1]}\n"
    "    if ((${#lg_words[@]} < 3)); then\n"
    "        _lumagraph_offer '' \"$current\" <<<\"$(_lumagraph_commands)\"\n"
    "        return\n"
    "    fi\n"
    "    _lumagraph_arguments\n"
    "    if [[ -n $lg_waits ]]; then\n"
    "        _lumagraph_list \"$command\" \"$lg_waits\" \"$current\"\n"
    "    elif [[ $current == --*=* ]]; then\n"
    "        _lumagraph_offer \"${current%%=*}=\" \"${current#*=}\" \\\n"
    "            <<<\"$(_lumagraph_values \"$command\" \"${current%%=*}\")\"\n"
    "    elif [[ $current == -* ]]; then\n"
    "        _lumagraph_offer '' \"$current\" <<<\"$(_lumagraph_options \"$command\")\"\n"
    "    elif [[ $command == run && $lg_arguments -eq 0 && -z $lg_graph ]]; then\n"
    "        _lumagraph_pipeline \"$current\"\n"
    "        _lumagraph_stay_open\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    elif [[ $command == filters ]]; then\n"
    "        _lumagraph_offer '' \"$current\" <<<\"$(_lumagraph_filters)\"\n"
    "    elif [[ $command == help ]]; then\n"
    "        _lumagraph_offer '' \"$current\" <<<\"$(_lumagraph_commands)\"\n"
    "    elif [[ $command == completion ]]; then\n"
    "        _lumagraph_offer '' \"$current\" <<<$'bash\\nzsh\\nfish'\n"
    "    fi\n"
    "    # Outside quotes bash replaces only what follows the last : or =.\n"
    "    head=${current%\"${current##*[:=]}\"}\n"
    "    if [[ -z $lg_quote && ${COMP_WORDBREAKS-} == *:* && ${COMP_WORDBREAKS-} == *=* && -n "
    "$head ]]\n"
    "    then\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"$head\"}\")\n"
    "    fi\n"
    "}\n"
    "\n";

static void shell_script(FILE *out, bool zsh)
{
    fprintf(out, "# Completes command lines of lumagraph %s in %s.\n", lg_version(),
            zsh ? "zsh" : "bash");
    if (zsh)
        fputs("autoload -Uz compinit bashcompinit\n"
              "(( ${+functions[compdef]} )) || compinit\n"
              "bashcompinit\n\n",
              out);
    shell_commands(out);
    shell_options(out);
    shell_filters(out);
    fputs(shell_functions, out);
    fputs("complete -o default -o bashdefault -F _lumagraph lumagraph\n", out);
}

// ---- fish ---------------------------------------------------------------------------------------

static void fish_option(FILE *out, const lg_command *command, const lg_option_info *option)
{
    fprintf(out, "complete -c lumagraph -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (option->value)
        fputs(option->file ? " -r -F" : " -x", out);
    if (option->choice || strcmp(option->name, "device") == 0) {
        fputs(" -a '", out);
        for (int k = 0; option->choice && option->choice(k); k++)
            if (is_listed(option->choice(k)))
                fprintf(out, "%s ", option->choice(k));
        fputs(option->choice ? "'" : "auto cpu vulkan'", out);
    }
    fputs(" -d ", out);
    quoted(out, option->help);
    fputc('\n', out);
}

static void fish_script(FILE *out)
{
    lg_option_info option;
    fprintf(out, "# Completes command lines of lumagraph %s in fish.\n", lg_version());
    for (size_t c = 0; lg_command_at(c); c++) {
        const lg_command *command = lg_command_at(c);
        fprintf(out, "complete -c lumagraph -n __fish_use_subcommand -f -a %s -d ", command->name);
        quoted(out, command->summary);
        fputc('\n', out);
        for (size_t i = 0; command->bit && lg_option_at(command, i, &option); i++)
            fish_option(out, command, &option);
    }
    for (size_t i = 0; i < lg_filter_count(); i++) {
        fprintf(out, "complete -c lumagraph -n '__fish_seen_subcommand_from run filters' -a %s -d ",
                lg_filter_at(i)->name);
        quoted(out, lg_filter_at(i)->summary);
        fputc('\n', out);
    }
    fputs(
        "complete -c lumagraph -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n",
        out);
}

int lg_command_completion(const lg_options *options)
{
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    const char *shell = options->files[0];
    if (strcmp(shell, "fish") == 0) {
        fish_script(stdout);
    } else if (strcmp(shell, "bash") == 0 || strcmp(shell, "zsh") == 0) {
        shell_script(stdout, shell[0] == 'z');
    } else {
        const char *near = lg_nearest(shell, shells);
        lg_complain("no completion for the shell '%s'; there are bash, zsh and fish%s%s%s", shell,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        return LG_EXIT_USAGE;
    }
    return LG_EXIT_DONE;
}
