#include "man.h"

#include <string.h>

#define DATE "2026-11-26" // of the text

// Text of roff: backslashes, hyphens, and lines that would begin as requests.
static void put(FILE *out, const char *text)
{
    bool start = true;
    for (const char *c = text; *c; c++) {
        if (start && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        if (*c == '\\')
            fputs("\\e", out);
        else if (*c == '-')
            fputs("\\-", out);
        else if (*c == '`' || *c == '\'')
            fputs(*c == '`' ? "\\(ga" : "\\(aq", out);
        else
            fputc(*c, out);
        start = *c == '\n';
    }
}

static void head(FILE *out, const char *name, const char *summary)
{
    char upper[64];
    size_t i = 0;
    for (; name[i] && i + 1 < sizeof upper; i++)
        upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
    upper[i] = '\0';
    fprintf(out, ".TH %s 1 " DATE " \"lumagraph %s\"\n.SH NAME\n", upper, lg_version());
    put(out, name);
    fputs(" \\- ", out);
    put(out, summary);
    fputs("\n.SH SYNOPSIS\n", out);
}

static void put_options(FILE *out, const lg_command *command)
{
    lg_option_info info;
    char limits[LG_OPTION_LIMITS];
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; lg_option_at(command, i, &info); i++) {
        fputs(".TP\n", out);
        if (info.letter)
            fprintf(out, "\\fB\\-%c\\fR, ", info.letter);
        fputs("\\fB\\-\\-", out);
        put(out, info.name);
        fputs("\\fR", out);
        if (info.shown) {
            fputs(" \\fI", out);
            put(out, info.shown);
            fputs("\\fR", out);
        }
        fputc('\n', out);
        put(out, info.help);
        for (int k = 0; info.choice && info.choice(k); k++) {
            fputs(k ? ", " : ": ", out);
            put(out, info.choice(k));
        }
        put(out, lg_option_limits(&info, limits));
        fputc('\n', out);
    }
}

static void put_figures(FILE *out)
{
    fputs(".SH FIGURES\n", out);
    for (size_t i = 0; lg_graph_figure_at(i); i++) {
        fputs(".TP\n\\fB@", out);
        put(out, lg_graph_figure_at(i)->name);
        fputs("\\fR\n", out);
        put(out, lg_graph_figure_at(i)->help);
        fputc('\n', out);
    }
}

static void put_status(FILE *out)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {{0, "done"},
                {1, "some inputs failed, the others are done"},
                {2, "wrong options"},
                {3, "refused by a limit, or out of memory"},
                {4, "device: none, unsuitable, wrong in the self-test"},
                {5, "input or output: missing, damaged, not writable"}};
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fprintf(out, ".TP\n%d\n%s\n", rows[i].status, rows[i].text);
}

static void command_page(FILE *out, const lg_command *command)
{
    char name[64];
    snprintf(name, sizeof name, "lumagraph-%s", command->name);
    head(out, name, command->summary);
    fprintf(out, "\\fBlumagraph %s\\fR [\\fIOPTIONS\\fR]", command->name);
    if (command->arguments) {
        fputs(" \\fI", out);
        put(out, command->arguments);
        fputs("\\fR", out);
    }
    fputs("\n.SH DESCRIPTION\n", out);
    put(out, command->details ? command->details : command->summary);
    fputc('\n', out);
    if (command->program) {
        fprintf(out, ".PP\n\\(galumagraph %s \\-\\-help\\(ga lists its options.\n", command->name);
    } else {
        put_options(out, command);
    }
    if (command->bit == LG_COMMAND_RUN)
        put_figures(out);
    put_status(out);
    if (command->example) {
        fputs(".SH EXAMPLES\n.nf\n", out);
        put(out, command->example);
        fputs("\n.fi\n", out);
    }
    fputs(".SH SEE ALSO\n\\fBlumagraph\\fR(1)\n", out);
}

static void tool_page(FILE *out)
{
    head(out, "lumagraph", "measures and filters images on any GPU and on the CPU");
    fputs("\\fBlumagraph\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILES\\fR]\n"
          ".SH DESCRIPTION\n"
          "Measures and filters images and films, with the same numbers on every device.\n"
          ".SH COMMANDS\n",
          out);
    for (size_t i = 0; lg_command_at(i); i++) {
        fprintf(out, ".TP\n\\fBlumagraph\\-%s\\fR(1)\n", lg_command_at(i)->name);
        put(out, lg_command_at(i)->summary);
        fputc('\n', out);
    }
    fputs(".SH ENVIRONMENT\n"
          ".TP\n\\fBNO_COLOR\\fR\nno colour on terminals, when it is not empty\n"
          ".TP\n\\fBLUMAGRAPH_CPU\\fR\ninstruction set of the processor kernels, as \\-\\-cpu\n",
          out);
    put_status(out);
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; lg_command_at(i); i++)
        fprintf(out, "%s\\fBlumagraph\\-%s\\fR(1)", i ? ",\n" : "", lg_command_at(i)->name);
    fputc('\n', out);
}

void lg_man(FILE *out, const lg_command *command)
{
    if (command)
        command_page(out, command);
    else
        tool_page(out);
}
