#include "html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PICTURE = 512,       // pixels a side, of the only input
    SMALL_PICTURE = 240, // of several
    THUMBNAIL = 88,
    SECTIONS_MOST = 100,      // inputs behind these have their row of the index only
    ROWS_MOST = 5000,         // inputs in the index
    COLUMNS_MOST = 6,         // figures in the index
    STRIP_MOST = 12,          // frames of a film that are shown
    DOCUMENT_MOST = 48 << 10, // bytes of JSON on the page
};

typedef struct part {
    FILE *stream;
    char *text;
    size_t size;
} part;

typedef struct frame_picture {
    int64_t frame;
    char *html;
} frame_picture;

typedef struct lg_html {
    lg_output *output;
    part document, index, sections, failures;
    FILE *before; // of the session's JSON, while the document is written
    bool used[LG_WORDS_MOST];
    int inputs, sections_written, rows, failed;
    char column[COLUMNS_MOST][96]; // figures of the index
    int columns;
    // the film at work
    int film; // index of its input; -1: none
    char *film_name, *film_head;
    lg_curves curves;
    frame_picture strip[STRIP_MOST];
    int strip_used;
    int64_t strip_every, film_frames;
    bool several;
    char remark[200];
} lg_html;

// ---- parts --------------------------------------------------------------------------------------

static bool open_part(part *p)
{
    p->stream = open_memstream(&p->text, &p->size);
    if (!p->stream)
        lg_html_set_lost(true);
    return p->stream != NULL;
}

static const char *end_part(part *p)
{
    if (p->stream && (ferror(p->stream) | fclose(p->stream)) != 0)
        lg_html_set_lost(true);
    p->stream = NULL;
    return p->text ? p->text : "";
}

static void free_part(part *p)
{
    end_part(p);
    free(p->text);
    *p = (part){0};
}

lg_status lg_html_open(lg_session *session, lg_error *error)
{
    const char *path = session->options->report;
    if (!path)
        return LG_OK;
    lg_html *html = calloc(1, sizeof *html);
    lg_html_set_lost(false);
    session->html = html;
    if (html)
        *html = (lg_html){.film = -1, .strip_every = 1};
    if (!html || !open_part(&html->index) || !open_part(&html->sections) ||
        !open_part(&html->failures)) {
        lg_html_close(session, false, error);
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the page");
    }
    return lg_output_open(path, &html->output, error);
}

// ---- one input ----------------------------------------------------------------------------------

static void put_head(FILE *out, const lg_json_tree *tree, const char *tag, int id)
{
    const lg_json_node *root = tree->nodes;
    static const char *const keys[] = {"layers", "type", "format"};
    fprintf(out, "<%s id=\"i%d\"><bdi>", tag, id);
    lg_html_text(out, lg_json_text_of(tree, root, "file"));
    fprintf(out, "</bdi></%s>\n<p class=\"soft\">", tag);
    if (lg_json_member(tree, root, "width")) {
        lg_html_text(out, lg_json_text_of(tree, root, "width"));
        fputs(" × ", out);
        lg_html_text(out, lg_json_text_of(tree, root, "height"));
    } else if (lg_json_member(tree, root, "shape")) {
        fputs("an array", out);
    }
    for (int i = 0; i < 3; i++) {
        const char *text = lg_json_text_of(tree, root, keys[i]);
        if (!*text || (i == 0 && strcmp(text, "1") == 0))
            continue;
        fputs(", ", out);
        lg_html_text(out, text);
        fputs(i == 0 ? " layers" : "", out);
    }
    fputs("</p>\n", out);
}

static void put_json(FILE *out, const char *document)
{
    if (strlen(document) > DOCUMENT_MOST) {
        fputs("<p class=\"soft\">The JSON document is too long for this page; --json prints "
              "it.</p>\n",
              out);
        return;
    }
    fputs("<details><summary>JSON</summary><pre class=\"json\">", out);
    lg_html_text(out, document);
    fputs("</pre></details>\n", out);
}

static void put_pictures(FILE *out, const lg_input_file *file, const lg_html_picture *pictures,
                         int count, int most)
{
    fputs("<div class=\"row pair\">\n", out);
    lg_html_image(out, file->image, "input", most, true);
    for (int i = 0; i < count; i++)
        lg_html_image(out, pictures[i].image, pictures[i].name, most, true);
    fputs("</div>\n", out);
}

static void put_section(lg_session *session, const lg_input_file *file, const lg_json_tree *tree,
                        const lg_html_picture *pictures, int count)
{
    lg_html *html = session->html;
    FILE *out = html->sections.stream;
    if (html->sections_written >= SECTIONS_MOST)
        return;
    html->sections_written++;
    fputs("<section>\n", out);
    put_head(out, tree, html->several ? "h2" : "h1", html->inputs);
    put_pictures(out, file, pictures, count, html->several ? SMALL_PICTURE : PICTURE);
    lg_html_tables(out, tree, html->used);
    lg_html_histograms(out, session, file, tree);
    lg_html_layers(out, tree);
    lg_html_engine(out, tree);
    put_json(out, html->document.text);
    fputs("</section>\n", out);
}

// ---- the index ----------------------------------------------------------------------------------

typedef struct cells {
    lg_html *html;
    char text[COLUMNS_MOST][200]; // the values of all channels
} cells;

// Figures that tell inputs apart; others are in the sections.
static bool is_telling(const char *name)
{
    static const char *const names[] = {"min",        "max",    "mean",
                                        "stddev",     "median", "entropy",
                                        "components", "level",  "foreground_share",
                                        "points",     NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool take_cell(void *priv, const char *label, const lg_json_node *value)
{
    cells *c = priv;
    int at = 0;
    const char *blank = strrchr(label, ' '), *name = blank ? blank + 1 : label;
    while (at < c->html->columns && strcmp(c->html->column[at], name) != 0)
        at++;
    if (at == c->html->columns && (c->html->rows > 0 || at == COLUMNS_MOST || !is_telling(name)))
        return true;
    if (at == c->html->columns)
        snprintf(c->html->column[c->html->columns++], sizeof c->html->column[0], "%s", name);
    const size_t used = strlen(c->text[at]);
    if (used + strlen(value->text) + 8 < sizeof c->text[at])
        snprintf(c->text[at] + used, sizeof c->text[at] - used, "%s%s", used ? "\n" : "",
                 value->text);
    return true;
}

static void put_row(lg_html *html, const lg_input_file *file, const lg_json_tree *tree,
                    const lg_html_picture *pictures, int count, const char *thumbnail)
{
    cells c = {.html = html};
    FILE *out = html->index.stream;
    if (!html->several || html->rows >= ROWS_MOST)
        return;
    lg_html_figures(tree, take_cell, &c);
    fputs("<tr><td><div class=\"row\">", out);
    if (thumbnail)
        fputs(thumbnail, out);
    else
        lg_html_image(out, file->image, "input", THUMBNAIL, false);
    if (!thumbnail && count)
        lg_html_image(out, pictures[count - 1].image, pictures[count - 1].name, THUMBNAIL, false);
    fprintf(out, "</div></td><td><a href=\"#i%d\"><bdi>", html->inputs);
    lg_html_text(out, file->name);
    fputs("</bdi></a></td>", out);
    for (int i = 0; i < html->columns; i++) {
        fputs("<td class=\"n\">", out);
        for (char *line = c.text[i], *end; line; line = end) {
            end = strchr(line, '\n');
            if (end)
                *end++ = '\0';
            lg_html_text(out, line);
            fputs(end ? "<br>" : "", out);
        }
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
    html->rows++;
}

// ---- films --------------------------------------------------------------------------------------

static void end_film(lg_html *html)
{
    if (html->film < 0)
        return;
    FILE *out = html->sections.stream;
    if (html->sections_written < SECTIONS_MOST) {
        char from[LG_NUMBER_SIZE], to[LG_NUMBER_SIZE];
        fprintf(out, "<section>\n%s<p>%lld frame%s", html->film_head ? html->film_head : "",
                (long long)html->film_frames, html->film_frames == 1 ? "" : "s");
        if (html->curves.first_time >= 0)
            fprintf(out, ", %s s to %s s", lg_number_short(html->curves.first_time, from),
                    lg_number_short(html->curves.last_time, to));
        fputs("</p>\n<div class=\"row\">\n", out);
        for (int i = 0; i < html->strip_used; i++)
            fputs(html->strip[i].html, out);
        fputs("</div>\n<h2>Frame by frame</h2>\n", out);
        lg_curves_write(out, &html->curves);
        fputs("</section>\n", out);
        html->sections_written++;
    }
    for (int i = 0; i < html->strip_used; i++)
        free(html->strip[i].html);
    free(html->curves.curve);
    free(html->film_head);
    html->film_head = NULL;
    html->curves = (lg_curves){0};
    html->strip_used = 0;
    html->strip_every = 1;
    html->film_frames = 0;
    html->film = -1;
}

// Frames at equal distances, however many there will be: every second one goes when the strip is full.
static void add_to_strip(lg_html *html, const lg_input_file *file, const lg_html_picture *pictures,
                         int count)
{
    part p = {0};
    char name[60];
    const lg_image *image =
        count && pictures[count - 1].image ? pictures[count - 1].image : file->image;
    if (html->film_frames % html->strip_every != 0 || !image || !image->data)
        return;
    if (html->strip_used == STRIP_MOST) {
        for (int i = 0; i < STRIP_MOST; i++)
            if (i % 2)
                free(html->strip[i].html);
            else
                html->strip[i / 2] = html->strip[i];
        html->strip_used = STRIP_MOST / 2;
        html->strip_every *= 2;
        if (html->film_frames % html->strip_every != 0)
            return;
    }
    snprintf(name, sizeof name, "frame %lld", (long long)file->frame);
    if (!open_part(&p))
        return;
    const bool shown = lg_html_image(p.stream, image, name, 160, true);
    end_part(&p);
    if (shown)
        html->strip[html->strip_used++] = (frame_picture){file->frame, p.text};
    else
        free(p.text);
}

static void add_frame(lg_html *html, const lg_input_file *file, const lg_json_tree *tree,
                      const lg_html_picture *pictures, int count)
{
    if (html->film != file->index) {
        part head = {0};
        end_film(html);
        html->film = file->index;
        if (open_part(&head)) {
            put_head(head.stream, tree, html->several ? "h2" : "h1", html->inputs);
            end_part(&head);
        }
        html->film_head = head.text;
        add_to_strip(html, file, pictures, count);
        put_row(html, file, tree, pictures, count, html->strip_used ? html->strip[0].html : NULL);
        html->inputs++;
    } else {
        add_to_strip(html, file, pictures, count);
    }
    lg_curves_add(&html->curves, tree, lg_frame_time(file));
    html->film_frames++;
}

// ---- inputs -------------------------------------------------------------------------------------

bool lg_html_begin(lg_session *session)
{
    lg_html *html = session->html;
    if (!html)
        return false;
    free_part(&html->document);
    if (!open_part(&html->document)) {
        lg_html_set_lost(true);
        return false;
    }
    html->before = session->json.stream;
    session->json.stream = html->document.stream;
    return true;
}

void lg_html_add(lg_session *session, const lg_input_file *file, const lg_html_picture *pictures,
                 int count)
{
    lg_html *html = session->html;
    lg_json_tree tree;
    end_part(&html->document);
    session->json.stream = html->before;
    html->several |= file->count > 1;
    if (lg_html_lost() || !html->document.text || !lg_json_tree_parse(html->document.text, &tree)) {
        lg_html_set_lost(true);
        return;
    }
    if (file->frame >= 0) {
        add_frame(html, file, &tree, pictures, count);
    } else {
        end_film(html);
        put_row(html, file, &tree, pictures, count, NULL);
        put_section(session, file, &tree, pictures, count);
        html->inputs++;
    }
    lg_json_tree_free(&tree);
}

void lg_html_failure(lg_session *session, const char *file, const lg_error *error)
{
    lg_html *html = session->html;
    if (!html)
        return;
    html->failed++;
    fputs("<tr><td><bdi>", html->failures.stream);
    lg_html_text(html->failures.stream, file);
    fputs("</bdi></td><td class=\"bad\">", html->failures.stream);
    lg_html_text(html->failures.stream, error->message);
    fputs("</td></tr>\n", html->failures.stream);
}

void lg_html_remark(lg_session *session, const char *text)
{
    if (session->html)
        snprintf(session->html->remark, sizeof session->html->remark, "%s", text);
}

// ---- the page -----------------------------------------------------------------------------------

static void put_index(FILE *out, lg_html *html)
{
    fprintf(out, "<h1>%d input%s</h1>\n", html->inputs + html->failed,
            html->inputs + html->failed == 1 ? "" : "s");
    fputs("<div class=\"wide\"><table>\n<tr><th></th><th>file</th>", out);
    for (int i = 0; i < html->columns; i++) {
        fputs("<th class=\"n\">", out);
        lg_html_text(out, html->column[i]);
        fputs("</th>", out);
    }
    fprintf(out, "</tr>\n%s</table></div>\n", end_part(&html->index));
    if (html->rows < html->inputs)
        fprintf(out, "<p class=\"soft\">%d more; --csv and --json have all.</p>\n",
                html->inputs - html->rows);
}

static void put_page(lg_session *session, FILE *out)
{
    lg_html *html = session->html;
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "img-src data:; style-src 'unsafe-inline'\">\n"
            "<title>lumagraph %s</title>\n<style>\n%s</style>\n</head>\n<body>\n",
            session->options->command, lg_html_style);
    if (html->several || html->inputs == 0)
        put_index(out, html);
    if (html->remark[0]) {
        fputs("<p class=\"bad\">", out);
        lg_html_text(out, html->remark);
        fputs("</p>\n", out);
    }
    if (html->failed)
        fprintf(out, "<h2>Failed</h2>\n<table>\n%s</table>\n", end_part(&html->failures));
    fputs(end_part(&html->sections), out);
    if (html->sections_written < html->inputs)
        fprintf(out, "<p class=\"soft\">The first %d inputs have sections.</p>\n",
                html->sections_written);
    lg_html_words(out, html->used);
    lg_html_command(out, session->options);
    fputs("</body>\n</html>\n", out);
}

lg_status lg_html_close(lg_session *session, bool keep, lg_error *error)
{
    lg_html *html = session->html;
    lg_status status = LG_OK;
    if (!html)
        return LG_OK;
    end_film(html);
    if (keep && html->output)
        put_page(session, lg_output_stream(html->output));
    if (keep && lg_html_lost())
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for the page");
    if (keep && html->output && !lg_html_lost())
        status = lg_output_commit(&html->output, error);
    else
        lg_output_discard(&html->output);
    free_part(&html->document);
    free_part(&html->index);
    free_part(&html->sections);
    free_part(&html->failures);
    free(html);
    session->html = NULL;
    return status;
}
