// The tables of a page: every member of a document, with its digits.
#include "html.h"
#include "jpeg.h"
#include "picture.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 500, VALUES_MOST = 16 };

static bool lost;

bool lg_html_lost(void)
{
    return lost;
}

void lg_html_set_lost(bool value)
{
    lost = value;
}

static void put_escaped(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        const char *name = *c == '<'    ? "&lt;"
                           : *c == '>'  ? "&gt;"
                           : *c == '&'  ? "&amp;"
                           : *c == '"'  ? "&quot;"
                           : *c == '\'' ? "&#39;"
                                        : NULL;
        if (name)
            fputs(name, out);
        else
            fputc(*c, out);
    }
}

// In pieces that end between characters.
void lg_html_text(FILE *out, const char *text)
{
    enum { PIECE = 400 };
    char piece[PIECE + 1], clean[4 * PIECE + 16];
    for (size_t left = strlen(text); left;) {
        size_t length = left < PIECE ? left : PIECE;
        for (int back = 0; length < left && back < 3 && (text[length] & 0xC0) == 0x80; back++)
            length--;
        memcpy(piece, text, length);
        piece[length] = '\0';
        put_escaped(out, lg_sanitise(piece, clean, sizeof clean));
        text += length;
        left -= length;
    }
}

// ---- pictures -----------------------------------------------------------------------------------

static void put_base64(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t word = (uint32_t)bytes[i] << 16 |
                              (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (i + 2 < size ? bytes[i + 2] : 0);
        for (int k = 0; k < 4; k++)
            fputc(i + (size_t)k > size ? '=' : digits[word >> (18 - 6 * k) & 63], out);
    }
}

bool lg_html_image(FILE *out, const lg_image *image, const char *name, int most, bool caption)
{
    int32_t width, height;
    if (!image || !image->data || image->shape.planes)
        return false;
    const lg_shown shown = lg_shown_of_data(image), usual = lg_shown_of_type(image->shape.type);
    lg_picture_fit(&image->shape, most, most, &width, &height);
    uint8_t *rgb = lg_picture_shrink(image, width, height, shown);
    char *bytes = NULL, black[LG_NUMBER_SIZE], white[LG_NUMBER_SIZE];
    size_t size = 0;
    FILE *memory = rgb ? open_memstream(&bytes, &size) : NULL;
    lost |= !memory;
    if (memory) {
        lg_jpeg_write(memory, rgb, width, height, 80);
        lost |= (ferror(memory) | fclose(memory)) != 0;
        fprintf(out, "<figure><img width=\"%d\" height=\"%d\" alt=\"", width, height);
        lg_html_text(out, name);
        fputs("\" src=\"data:image/jpeg;base64,", out);
        put_base64(out, (const uint8_t *)bytes, size);
        fputs("\">", out);
    }
    if (memory && caption) {
        fputs("<figcaption>", out);
        lg_html_text(out, name);
        if (image->shape.layers > 1)
            fputs(", layer 0", out);
        if (shown.black != usual.black || shown.white != usual.white)
            fprintf(out, ", %s is black and %s white", lg_number_short(shown.black, black),
                    lg_number_short(shown.white, white));
        fputs("</figcaption>", out);
    }
    if (memory)
        fputs("</figure>\n", out);
    free(bytes);
    free(rgb);
    return memory != NULL;
}

// ---- values -------------------------------------------------------------------------------------

static bool is_plain(const lg_json_node *node)
{
    return node->kind != '{' && node->kind != '[';
}

static void put_value(FILE *out, const lg_json_tree *tree, const lg_json_node *node)
{
    if (is_plain(node)) {
        lg_html_text(out, node->kind == 'n' ? "-" : node->text);
        return;
    }
    const lg_json_node *first = lg_json_first(tree, node);
    if (node->kind == '[' && (node->count > VALUES_MOST || (first && !is_plain(first)))) {
        fprintf(out, "%zu values", node->count);
        return;
    }
    for (const lg_json_node *m = first; m; m = lg_json_next(tree, m)) {
        fputs(m == first ? "" : ", ", out);
        if (m->key) {
            lg_html_text(out, m->key);
            fputs(": ", out);
        }
        put_value(out, tree, m);
    }
}

static void mark(const char *name, bool *used)
{
    int index;
    if (lg_html_word(name, &index))
        used[index] = true;
}

static void put_pair(FILE *out, const lg_json_tree *tree, const lg_json_node *node)
{
    fputs("<tr><th>", out);
    lg_html_text(out, node->key);
    fprintf(out, "</th><td%s>", node->kind == '0' ? " class=\"n\"" : "");
    put_value(out, tree, node);
    fputs("</td></tr>\n", out);
}

static void put_object(FILE *out, const lg_json_tree *tree, const lg_json_node *object,
                       const char *title)
{
    if (!object || !object->count)
        return;
    fputs("<h2>", out);
    lg_html_text(out, title);
    fputs("</h2>\n<table>\n", out);
    for (const lg_json_node *m = lg_json_first(tree, object); m; m = lg_json_next(tree, m))
        if (m->kind != '"' || *m->text) // what merge makes has no driver
            put_pair(out, tree, m);
    fputs("</table>\n", out);
}

// ---- lists of objects ---------------------------------------------------------------------------

static void put_share(FILE *out, const lg_json_node *value)
{
    const double share = strtod(value->text, NULL);
    fprintf(out, "<span class=\"bar\" style=\"width:%.1fem\"></span>",
            6 * (share < 0   ? 0
                 : share > 1 ? 1
                             : share));
}

static void put_title(FILE *out, const char *key)
{
    fputs("<h2>", out);
    fputc(*key >= 'a' && *key <= 'z' ? *key - 32 : *key, out);
    lg_html_text(out, key + 1);
    fputs("</h2>\n", out);
}

static void put_list(FILE *out, const lg_json_tree *tree, const lg_json_node *list, bool *used)
{
    const lg_json_node *head = lg_json_first(tree, list);
    size_t rows = 0;
    put_title(out, strcmp(list->key, "table") == 0 ? "components" : list->key);
    fputs("<div class=\"wide\"><table class=\"list\">\n<tr>", out);
    for (const lg_json_node *m = lg_json_first(tree, head); m; m = lg_json_next(tree, m)) {
        fprintf(out, "<th%s>", m->kind == '0' || m->kind == 'n' ? " class=\"n\"" : "");
        lg_html_text(out, m->key);
        fputs("</th>", out);
        mark(m->key, used);
    }
    fputs("</tr>\n", out);
    for (const lg_json_node *row = head; row && rows < ROWS_MOST;
         row = lg_json_next(tree, row), rows++) {
        fputs("<tr>", out);
        for (const lg_json_node *c = lg_json_first(tree, head); c; c = lg_json_next(tree, c)) {
            const lg_json_node *value = lg_json_member(tree, row, c->key);
            const bool number = value && (value->kind == '0' || value->kind == 'n');
            fprintf(out, "<td%s>", number ? " class=\"n\"" : "");
            if (value && number && strcmp(c->key, "share_of_copy") == 0)
                put_share(out, value);
            if (value)
                put_value(out, tree, value);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
    if (list->count > rows)
        fprintf(out, "<p class=\"soft\">The first %zu of %zu; --csv and --json have all.</p>\n",
                rows, list->count);
    if (strcmp(list->key, "stages") == 0 && !lg_json_member(tree, head, "share_of_copy"))
        fputs("<p class=\"soft\">--profile adds the share of a plain copy's speed.</p>\n", out);
}

void lg_html_tables(FILE *out, const lg_json_tree *tree, bool *used)
{
    static const char *const elsewhere[] = {"schema", "file",        "width",  "height", "layers",
                                            "type",   "definitions", "engine", "format", NULL};
    const lg_json_node *root = tree->nodes;
    bool any = false;
    for (const lg_json_node *m = lg_json_first(tree, root); m; m = lg_json_next(tree, m)) {
        bool shown = m->kind != 'n' && (is_plain(m) || m->count);
        for (int i = 0; elsewhere[i] && shown; i++)
            shown = strcmp(elsewhere[i], m->key) != 0;
        const lg_json_node *first = lg_json_first(tree, m);
        if (!shown || (m->kind == '[' && first && first->kind == '{'))
            continue;
        if (!any)
            fputs("<h2>Figures</h2>\n<table>\n", out);
        any = true;
        mark(m->key, used);
        put_pair(out, tree, m);
    }
    fputs(any ? "</table>\n" : "", out);
    for (const lg_json_node *m = lg_json_first(tree, root); m; m = lg_json_next(tree, m)) {
        const lg_json_node *first = lg_json_first(tree, m);
        if (m->kind == '[' && first && first->kind == '{')
            put_list(out, tree, m, used);
    }
    put_object(out, tree, lg_json_member(tree, root, "definitions"), "Conventions");
}

void lg_html_engine(FILE *out, const lg_json_tree *tree)
{
    put_object(out, tree, lg_json_member(tree, tree->nodes, "engine"), "Engine");
}
