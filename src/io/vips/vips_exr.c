// What libvips does not tell of an OpenEXR file: its decoder goes through halves, makes R, G and B of a grey
// file, fills a missing alpha with 1 and multiplies alpha by 255. The header says what is stored: the list of
// channels, as the file layout of OpenEXR 2 has it.
#include "io/vips/vips_exr.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_MOST = 1 << 16, NAME_MOST = 256, ANY_PARTS = 0x1000, HALF = 1 };

typedef struct header {
    const uint8_t *at, *end;
    bool red, green, blue, luma, chroma, alpha;
    bool wide;       // a channel that is read is of u32 or f32
    char others[80]; // channels that are not read
    int left_out;
} header;

static int32_t integer_at(const uint8_t *p)
{
    const uint32_t value = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return (int32_t)value;
}

// A text that ends with a zero byte; NULL: it does not end.
static const char *take_text(header *h)
{
    const uint8_t *zero = memchr(h->at, 0, LG_MIN((size_t)(h->end - h->at), NAME_MOST));
    const char *text = zero ? (const char *)h->at : NULL;
    h->at = zero ? zero + 1 : h->end;
    return text;
}

static void take_channel(header *h, const char *name, int32_t type)
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

// `size` bytes of channels: a name, the type, 4 bytes of a flag, the steps along x and y.
static bool take_channels(header *h, int32_t size)
{
    header list = *h;
    list.end = h->at + size;
    for (;;) {
        const char *name = take_text(&list);
        if (!name || !*name)
            break;
        if (list.end - list.at < 16)
            return false;
        take_channel(&list, name, integer_at(list.at));
        list.at += 16;
    }
    list.at = h->at;
    list.end = h->end;
    *h = list;
    return true;
}

// Behind the magic number and the version come attributes: a name, a type, a size, and so many bytes.
static bool read_header(header *h, bool *parts)
{
    bool found = false;
    if (h->end - h->at < 8)
        return false;
    *parts = integer_at(h->at + 4) & ANY_PARTS;
    h->at += 8;
    while (!found) {
        const char *name = take_text(h), *type = name && *name ? take_text(h) : NULL;
        if (!type || h->end - h->at < 4)
            return false;
        const int32_t size = integer_at(h->at);
        h->at += 4;
        if (size < 0 || size > h->end - h->at)
            return false;
        found = strcmp(name, "channels") == 0 && strcmp(type, "chlist") == 0;
        if (found && !take_channels(h, size))
            return false;
        h->at += size;
    }
    return true;
}

// ---- the image ----------------------------------------------------------------------------------

static int join(VipsImage *rgba, const header *h, VipsImage **out)
{
    VipsImage *color = NULL, *alpha = NULL, *both = NULL;
    const bool grey = !h->red;
    int failed = vips_extract_band(rgba, &color, 0, "n", grey ? 1 : 3, NULL);
    if (!failed && h->alpha)
        failed =
            vips_extract_band(rgba, &alpha, 3, NULL) || vips_bandjoin2(color, alpha, &both, NULL);
    if (!failed)
        failed = vips_copy(both ? both : color, out, "interpretation",
                           grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_scRGB, NULL);
    VIPS_UNREF(color);
    VIPS_UNREF(alpha);
    VIPS_UNREF(both);
    return failed;
}

static LG_PRINTF(2, 3) void add_note(lg_vips_layout *layout, const char *format, ...)
{
    va_list values;
    size_t used = strlen(layout->note);
    if (used && used + 2 < sizeof layout->note) {
        memcpy(layout->note + used, "; ", 3);
        used += 2;
    }
    va_start(values, format);
    vsnprintf(layout->note + used, sizeof layout->note - used, format, values);
    va_end(values);
}

static void note(lg_vips_layout *layout, const header *h, bool parts)
{
    layout->note[0] = '\0';
    if (h->wide)
        add_note(layout, "samples of 32 bits went through f16");
    if (h->left_out)
        add_note(layout, "the channel%s %s %s not read", h->left_out == 1 ? "" : "s", h->others,
                 h->left_out == 1 ? "is" : "are");
    if (parts)
        add_note(layout, "the first of its parts is read");
}

lg_status lg_vips_exr_channels(int fd, int64_t start, bool convert, lg_vips_file *file,
                               lg_error *error)
{
    uint8_t *head = lg_alloc(HEAD_MOST);
    VipsImage *stored = NULL;
    bool parts = false;
    if (!head)
        return lg_fail_memory(error, HEAD_MOST, "a header");
    const ssize_t got = pread(fd, head, HEAD_MOST, (off_t)start);
    header h = {.at = head, .end = head + LG_MAX(got, 0)};
    lg_status status = LG_OK;
    const bool good = read_header(&h, &parts);
    if (!good)
        status = lg_fail(error, LG_ERROR_DATA, "its header has no list of channels");
    else if (!(h.red && h.green && h.blue) && !h.luma)
        status =
            lg_fail(error, LG_ERROR_UNSUPPORTED,
                    "libvips reads the channels R, G and B, or Y, of OpenEXR, and this file has "
                    "%s%.80s",
                    h.left_out ? "" : "no others", h.others);
    else if (h.wide && !convert)
        status = lg_fail(error, LG_ERROR_UNSUPPORTED,
                         "its samples have 32 bits, and libvips reads OpenEXR as f16, where what "
                         "exceeds 65504 is infinite; --convert allows it");
    else if (join(file->image, &h, &stored) != 0)
        status = lg_vips_fail(error, LG_ERROR_DATA, "cannot decode");
    if (!status) {
        g_object_unref(file->image);
        file->image = stored;
        file->layout.alpha_times_255 = h.alpha;
        note(&file->layout, &h, parts);
    }
    lg_free(head);
    return status;
}
