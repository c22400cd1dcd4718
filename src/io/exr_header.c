#include "io/exr_header.h"

#include "core/core.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 256, ANY_PARTS = 0x1000, HALF = 1 };

typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

static int32_t integer_at(const uint8_t *p)
{
    const uint32_t value = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return (int32_t)value;
}

// A text that ends with a zero byte; NULL: it does not end.
static const char *take_text(cursor *c)
{
    const uint8_t *zero = memchr(c->at, 0, LG_MIN((size_t)(c->end - c->at), NAME_MOST));
    const char *text = zero ? (const char *)c->at : NULL;
    c->at = zero ? zero + 1 : c->end;
    return text;
}

static void take_channel(lg_exr_header *h, const char *name, int32_t type)
{
    const struct {
        const char *name;
        bool *flag;
    } read[] = {{"R", &h->red},   {"G", &h->green},   {"B", &h->blue},   {"Y", &h->luma},
                {"A", &h->alpha}, {"RY", &h->chroma}, {"BY", &h->chroma}};
    for (size_t i = 0; i < LG_COUNT(read); i++)
        if (strcmp(name, read[i].name) == 0) {
            *read[i].flag = true;
            h->wide |= type != HALF;
            return;
        }
    const size_t used = strlen(h->others);
    snprintf(h->others + used, sizeof h->others - used, "%s%s", used ? ", " : "", name);
    h->left_out++;
}

// For each channel a name, the type, 4 bytes of a flag, the steps along x and y.
static bool take_channels(lg_exr_header *h, cursor list)
{
    for (;;) {
        const char *name = take_text(&list);
        if (!name || !*name)
            return true;
        if (list.end - list.at < 16)
            return false;
        take_channel(h, name, integer_at(list.at));
        list.at += 16;
    }
}

// Behind the magic number and the version come attributes: a name, a type, a size, and so many bytes.
bool lg_exr_read_header(const uint8_t *data, size_t size, lg_exr_header *out)
{
    *out = (lg_exr_header){.left_out = 0};
    if (size < 8)
        return false;
    cursor c = {data + 8, data + size};
    out->parts = integer_at(data + 4) & ANY_PARTS;
    for (;;) {
        const char *name = take_text(&c), *type = name && *name ? take_text(&c) : NULL;
        if (!type || c.end - c.at < 4)
            return false;
        const int32_t bytes = integer_at(c.at);
        c.at += 4;
        if (bytes < 0 || bytes > c.end - c.at)
            return false;
        if (strcmp(name, "channels") == 0 && strcmp(type, "chlist") == 0)
            return take_channels(out, (cursor){c.at, c.at + bytes});
        c.at += bytes;
    }
}
