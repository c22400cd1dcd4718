// The command line that made a page, as a shell takes it.
#include "html.h"

#include <string.h>

// A word of a shell.
static void put_argument(FILE *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:=,+@%";
    if (*text && text[strspn(text, plain)] == '\0') {
        fputs(text, out);
        return;
    }
    fputs("&#39;", out);
    for (const char *c = text; *c; c++) {
        char one[2] = {*c, '\0'};
        if (*c == '\'')
            fputs("&#39;\\&#39;&#39;", out);
        else if ((unsigned char)*c >= 0x80)
            fputc(*c, out);
        else
            lg_html_text(out, one);
    }
    fputs("&#39;", out);
}

void lg_html_command(FILE *out, const lg_options *options)
{
    fputs("<h2>Command</h2>\n<pre>lumagraph", out);
    for (int i = 0; options->arguments && options->arguments[i]; i++) {
        char clean[4096];
        fputc(' ', out);
        put_argument(out, lg_sanitise(options->arguments[i], clean, sizeof clean));
    }
    fprintf(out, "</pre>\n<p class=\"soft\">lumagraph %s</p>\n", lg_version());
}
