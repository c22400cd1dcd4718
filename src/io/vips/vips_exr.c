// What libvips does not tell of an OpenEXR file: its decoder goes through halves, makes R, G and B of a grey
// file, fills a missing alpha with 1 and multiplies alpha by 255. The header says what is stored: the list of
// channels, as the file layout of OpenEXR 2 has it.
#include "io/vips/vips_exr.h"

#include "io/exr_header.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_MOST = 1 << 16 };

// ---- the image ----------------------------------------------------------------------------------

static int join(VipsImage *rgba, const lg_exr_header *h, VipsImage **out)
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

static void note(lg_vips_layout *layout, const lg_exr_header *h)
{
    layout->note[0] = '\0';
    if (h->wide)
        add_note(layout, "samples of 32 bits went through f16");
    if (h->left_out)
        add_note(layout, "the channel%s %s %s not read", h->left_out == 1 ? "" : "s", h->others,
                 h->left_out == 1 ? "is" : "are");
    if (h->parts)
        add_note(layout, "the first of its parts is read");
}

lg_status lg_vips_exr_channels(int fd, int64_t start, bool convert, lg_vips_file *file,
                               lg_error *error)
{
    uint8_t *head = lg_alloc(HEAD_MOST);
    VipsImage *stored = NULL;
    if (!head)
        return lg_fail_memory(error, HEAD_MOST, "a header");
    const ssize_t got = pread(fd, head, HEAD_MOST, (off_t)start);
    lg_exr_header h;
    lg_status status = LG_OK;
    const bool good = lg_exr_read_header(head, (size_t)LG_MAX(got, 0), &h);
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
        note(&file->layout, &h);
    }
    lg_free(head);
    return status;
}
