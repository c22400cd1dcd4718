// Figures by their names.
#include "graph/nodes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW(ID, NAME, POWER, NUMBERS, ARITHMETIC, HELP) {{NAME, HELP, NUMBERS}, POWER},
const lg_figure_row lg_figure_rows[LG_FIGURE_KINDS] = {{{0}, 0}, LG_FIGURES(ROW)};

const lg_figure_info *lg_graph_figure_at(size_t index)
{
    return index < LG_FIGURE_KINDS - 1 ? &lg_figure_rows[index + 1].info : NULL;
}

static bool is_word(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

// N at the end of a name stands for a number.
static bool has_number(const char *name)
{
    return name[strlen(name) - 1] == 'N';
}

static bool parse_number(const char *name, const char *text, size_t length, uint32_t *billionths)
{
    const size_t letters = strlen(name) - 1;
    double percent;
    const char *end;
    if (length <= letters || memcmp(text, name, letters) != 0 ||
        !lg_parse_number(text + letters, &end, &percent) || end != text + length || percent < 0 ||
        percent > 100)
        return false;
    *billionths = (uint32_t)rint(percent * 1e7);
    return true;
}

bool lg_figure_find(const char *name, size_t length, lg_figure *out)
{
    for (int kind = 1; kind < LG_FIGURE_KINDS; kind++) {
        const char *known = lg_figure_rows[kind].info.name;
        if (has_number(known) ? parse_number(known, name, length, &out->billionths)
                              : is_word(known, name, length)) {
            out->kind = (lg_figure_kind)kind;
            return true;
        }
    }
    return false;
}

bool lg_figure_find_channel(const char *name, size_t length, int *out)
{
    static const struct {
        const char *name;
        int channel;
    } known[] = {{"r", 0},
                 {"g", 1},
                 {"b", 2},
                 {"a", 3},
                 {"red", 0},
                 {"green", 1},
                 {"blue", 2},
                 {"alpha", 3},
                 {"luma", LG_CHANNEL_LUMA},
                 {"luminance", LG_CHANNEL_LUMA},
                 {"y", LG_CHANNEL_Y},
                 {"cb", LG_CHANNEL_CB},
                 {"cr", LG_CHANNEL_CR},
                 {"rgb", LG_CHANNEL_DEFAULT}};
    for (size_t i = 0; i < LG_COUNT(known); i++)
        if (is_word(known[i].name, name, length)) {
            *out = known[i].channel;
            return true;
        }
    return false;
}

// Whether an earlier figure has the same word before its dot.
static bool is_of_known_family(int kind)
{
    const char *name = lg_figure_rows[kind].info.name, *dot = strchr(name, '.');
    for (int i = 1; dot && i < kind; i++)
        if (strncmp(lg_figure_rows[i].info.name, name, (size_t)(dot - name) + 1) == 0)
            return true;
    return false;
}

void lg_figure_list(char *out, size_t size)
{
    size_t used = 0;
    for (int kind = 1; kind < LG_FIGURE_KINDS && used < size; kind++) {
        const char *name = lg_figure_rows[kind].info.name;
        if (!has_number(name) && !is_of_known_family(kind))
            used += (size_t)snprintf(out + used, size - used, "%s@%s", used ? " " : "", name);
    }
}

bool lg_figure_list_family(const char *family, size_t length, char *out, size_t size)
{
    size_t used = 0;
    for (int kind = 1; kind < LG_FIGURE_KINDS && used < size; kind++) {
        const char *name = lg_figure_rows[kind].info.name;
        if (strncmp(name, family, length) == 0 && name[length] == '.')
            used += (size_t)snprintf(out + used, size - used, used ? " %s" : "@%s",
                                     used ? name + length : name);
    }
    return used > 0;
}

const char *lg_figure_nearest(const char *word)
{
    const char *names[LG_FIGURE_KINDS];
    size_t count = 0;
    for (int kind = 1; kind < LG_FIGURE_KINDS; kind++)
        if (!has_number(lg_figure_rows[kind].info.name))
            names[count++] = lg_figure_rows[kind].info.name;
    names[count] = NULL;
    return lg_nearest(word, names);
}
