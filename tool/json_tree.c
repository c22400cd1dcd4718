#include "json_tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 16 // as lg_json writes

typedef struct reader {
    lg_json_tree *tree;
    char *at;
} reader;

// ---- texts --------------------------------------------------------------------------------------

static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

// Undoes the escapes where the text stands: it only becomes shorter.
static char *read_string(reader *r)
{
    static const char letters[] = "bfnrt\"\\/", values[] = "\b\f\n\r\t\"\\/";
    char *start = ++r->at, *out = start;
    while (*r->at && *r->at != '"') {
        if (*r->at != '\\') {
            *out++ = *r->at++;
            continue;
        }
        const char *known = r->at[1] ? strchr(letters, r->at[1]) : NULL;
        if (known) {
            *out++ = values[known - letters];
            r->at += 2;
        } else if (r->at[1] == 'u' && strspn(r->at + 2, "0123456789abcdefABCDEF") >= 4) {
            const char digits[5] = {r->at[2], r->at[3], r->at[4], r->at[5], '\0'};
            out = put_utf8(out, (unsigned)strtoul(digits, NULL, 16));
            r->at += 6;
        } else {
            return NULL;
        }
    }
    if (*r->at != '"')
        return NULL;
    r->at++;
    *out = '\0';
    return start;
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

// ---- values -------------------------------------------------------------------------------------

static size_t add_node(reader *r)
{
    lg_json_tree *tree = r->tree;
    if (tree->used == tree->capacity) {
        const size_t capacity = tree->capacity ? 2 * tree->capacity : 256;
        lg_json_node *larger = realloc(tree->nodes, capacity * sizeof *larger);
        if (!larger)
            return SIZE_MAX;
        tree->nodes = larger;
        tree->capacity = capacity;
    }
    tree->nodes[tree->used] = (lg_json_node){0};
    return tree->used++;
}

static size_t read_value(reader *r, char *key, int depth);

static bool read_children(reader *r, size_t parent, char close, int depth)
{
    size_t last = 0;
    r->at++;
    for (skip_blanks(r); *r->at != close; skip_blanks(r)) {
        char *key = NULL;
        if (last && *r->at++ != ',')
            return false;
        skip_blanks(r);
        if (close == '}') {
            key = *r->at == '"' ? read_string(r) : NULL;
            if (!key || (skip_blanks(r), *r->at != ':'))
                return false;
            r->at++;
        }
        const size_t child = read_value(r, key, depth);
        if (child == SIZE_MAX)
            return false;
        if (last)
            r->tree->nodes[last].next = child;
        else
            r->tree->nodes[parent].first = child;
        r->tree->nodes[parent].count++;
        last = child;
    }
    r->at++;
    return true;
}

// Numbers and words end where a comma or a bracket stands; that place is ended only behind the whole
// document, as the bracket is still to be read: they are copied to the front by one.
static char *read_word(reader *r)
{
    const size_t length = strcspn(r->at, ",]} \t\r\n");
    char *start = r->at - 1; // ':' '[' ',' or a blank, which nobody reads again
    memmove(start, r->at, length);
    r->at += length;
    start[length] = '\0';
    return length ? start : NULL;
}

static size_t read_value(reader *r, char *key, int depth)
{
    skip_blanks(r);
    const size_t index = add_node(r);
    const char kind = *r->at;
    if (index == SIZE_MAX || depth > DEEPEST)
        return SIZE_MAX;
    char *text = "";
    bool good = true;
    if (kind == '{' || kind == '[')
        good = read_children(r, index, kind == '{' ? '}' : ']', depth + 1);
    else
        good = (text = kind == '"' ? read_string(r) : read_word(r)) != NULL;
    lg_json_node *node = &r->tree->nodes[index];
    node->kind = kind && strchr("{[\"tfn", kind) ? kind : '0';
    node->key = key;
    node->text = text;
    return good ? index : SIZE_MAX;
}

bool lg_json_tree_parse(const char *document, lg_json_tree *out)
{
    const size_t length = strlen(document);
    *out = (lg_json_tree){.text = malloc(length + 2)};
    if (!out->text)
        return false;
    out->text[0] = ' '; // a value of one word needs a place before it
    memcpy(out->text + 1, document, length + 1);
    reader r = {.tree = out, .at = out->text + 1};
    if (read_value(&r, NULL, 0) == 0)
        return true;
    lg_json_tree_free(out);
    return false;
}

void lg_json_tree_free(lg_json_tree *tree)
{
    free(tree->nodes);
    free(tree->text);
    *tree = (lg_json_tree){0};
}

// ---- looking ------------------------------------------------------------------------------------

const lg_json_node *lg_json_first(const lg_json_tree *tree, const lg_json_node *node)
{
    return node && node->first ? &tree->nodes[node->first] : NULL;
}

const lg_json_node *lg_json_next(const lg_json_tree *tree, const lg_json_node *node)
{
    return node->next ? &tree->nodes[node->next] : NULL;
}

const lg_json_node *lg_json_member(const lg_json_tree *tree, const lg_json_node *object,
                                   const char *key)
{
    for (const lg_json_node *m = lg_json_first(tree, object); m; m = lg_json_next(tree, m))
        if (m->key && strcmp(m->key, key) == 0)
            return m;
    return NULL;
}

const char *lg_json_text_of(const lg_json_tree *tree, const lg_json_node *object, const char *key)
{
    const lg_json_node *found = lg_json_member(tree, object, key);
    return found && found->text ? found->text : "";
}
