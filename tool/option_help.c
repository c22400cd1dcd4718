// What --help prints.
#include "color.h"
#include "option_values.h"
#include "text.h"

#include <string.h>

#define COLUMN 28

const char *lg_option_limits(const lg_option_info *info, char out[LG_OPTION_LIMITS])
{
    const bool range = info->most > 0;
    char numbers[64] = "";
    if (range)
        snprintf(numbers, sizeof numbers, "%lld to %lld", (long long)info->least,
                 (long long)info->most);
    out[0] = '\0';
    if (range || info->fallback)
        snprintf(out, LG_OPTION_LIMITS, " (%s%s%s%s)", numbers, range && info->fallback ? ", " : "",
                 info->fallback ? "default " : "", info->fallback ? info->fallback : "");
    return out;
}

static void print_option(FILE *stream, const lg_option_info *row)
{
    char names[64], text[1400], choices[1000] = "", limits[LG_OPTION_LIMITS];
    char letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(names, sizeof names, "  %s--%s%s%s", letter, row->name, row->shown ? " " : "",
             row->shown ? row->shown : "");
    if (row->choice)
        lg_list_choices(row->choice, choices, sizeof choices);
    snprintf(text, sizeof text, "%s%s%s%s", row->help, row->choice ? ": " : "", choices,
             lg_option_limits(row, limits));
    fprintf(stream, "%s%-*s%s", lg_color_code(stream, LG_STRONG), COLUMN, names,
            lg_color_code(stream, LG_PLAIN));
    if (strlen(names) >= COLUMN)
        fprintf(stream, "\n%*s", COLUMN, "");
    lg_print_wrapped(stream, text, COLUMN);
}

static void print_figures(FILE *stream)
{
    fputs("\nFigures:\n", stream);
    for (size_t i = 0; lg_graph_figure_at(i); i++) {
        fprintf(stream, "  @%-*s", COLUMN - 3, lg_graph_figure_at(i)->name);
        lg_print_wrapped(stream, lg_graph_figure_at(i)->help, COLUMN);
    }
}

void lg_options_help(const lg_command *command, FILE *stream)
{
    fprintf(stream, "usage: lumagraph %s [OPTIONS]%s%s\n\n", command->name,
            *command->arguments ? " " : "", command->arguments);
    lg_print_wrapped(stream, command->details, 0);
    fputs("\nOptions:\n", stream);
    lg_option_info row;
    for (size_t i = 0; lg_option_at(command, i, &row); i++)
        print_option(stream, &row);
    if (command->bit == LG_COMMAND_RUN)
        print_figures(stream);
    fprintf(stream, "\nExample:\n  %s\n", command->example);
}
