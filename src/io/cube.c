// Colour tables: .cube text files (Adobe Cube LUT 1.0). A 3-D table becomes an image of as many layers: x
// is red, y is green, the layer is blue. A 1-D table becomes an image of one row.
#include "io/io_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 1024 // bytes of a line; the format asks for 250
#define MOST    256  // entries along one side of a 3-D table
#define MOST_1D 65536
#define HEAD    4096 // bytes among which the first keyword must stand

typedef struct reader {
    lg_input *input;
    char line[LONGEST];
    int number; // of the line, from 1
    int size;   // of the table, 0: not known yet
    bool row;   // it is a 1-D table
    float least[3], most[3];
    int range_1d, range_3d; // lines with the range of such a table; 0: none
    lg_error *error;
} reader;

// ---- is it one ----------------------------------------------------------------------------------

static const char *const keywords[] = {
    "TITLE",      "LUT_1D_SIZE",        "LUT_3D_SIZE",       "DOMAIN_MIN",
    "DOMAIN_MAX", "LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE"};

// Which keyword `text` begins with, -1: none.
static int keyword(const char *text, size_t size)
{
    for (int i = 0; i < (int)LG_COUNT(keywords); i++) {
        const size_t length = strlen(keywords[i]);
        if (size > length && memcmp(text, keywords[i], length) == 0 &&
            strchr(" \t\r\n\"", text[length]))
            return i;
    }
    return -1;
}

static size_t mark_length(const char *text, size_t size) // of a byte-order mark
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

bool lg_cube_is(lg_input *input)
{
    const size_t size = lg_input_peek(input, HEAD);
    const char *text = (const char *)input->buffer + input->begin;
    size_t at = mark_length(text, size);
    for (;;) {
        while (at < size && strchr(" \t\r\n", text[at]) && text[at])
            at++;
        // Radiance files begin with #? and are not text
        if (at >= size || text[at] != '#' || (at + 1 < size && text[at + 1] == '?'))
            return at < size && keyword(text + at, size - at) >= 0;
        while (at < size && text[at] != '\n')
            at++;
    }
}

// ---- lines --------------------------------------------------------------------------------------

static lg_status fail_line(const reader *r, const char *what)
{
    return lg_fail(r->error, LG_ERROR_DATA, "line %d: %s", r->number, what);
}

// The next line that is not empty and no comment, without blanks around it; *more is false at the
// end.
static lg_status next_line(reader *r, bool *more)
{
    for (;;) {
        size_t length = 0;
        int c;
        while ((c = lg_input_byte(r->input)) >= 0 && c != '\n') {
            if (length + 1 == sizeof r->line || c == 0) {
                r->number++;
                return fail_line(r, c ? "longer than 1023 bytes" : "a zero byte; this is no text");
            }
            r->line[length++] = (char)c;
        }
        if (r->input->failure)
            return lg_input_short(r->input, "a line", r->error);
        *more = c >= 0 || length > 0;
        if (!*more)
            return LG_OK;
        r->number++;
        while (length && strchr(" \t\r", r->line[length - 1]))
            length--;
        r->line[length] = '\0';
        size_t blank = r->number == 1 ? mark_length(r->line, length) : 0;
        blank += strspn(r->line + blank, " \t");
        memmove(r->line, r->line + blank, length - blank + 1);
        if (r->line[0] && r->line[0] != '#')
            return LG_OK;
    }
}

// Exactly `count` finite numbers.
static bool numbers(const char *text, float *out, int count)
{
    for (int i = 0; i < count; i++) {
        text += strspn(text, " \t");
        char *end;
        const size_t plain = strspn(text, "+-.0123456789eE"); // no hexadecimal, no nan
        out[i] = strtof(text, &end);
        if (end == text || end != text + plain || !isfinite(out[i]))
            return false;
        text = end;
        if (*text && !strchr(" \t", *text))
            return false;
    }
    return !text[strspn(text, " \t")];
}

// ---- header -------------------------------------------------------------------------------------

static lg_status read_size(reader *r, const char *name, const char *text, bool row)
{
    char *end;
    const long size = strtol(text, &end, 10), most = row ? MOST_1D : MOST;
    if (r->size && r->row != row)
        return lg_fail(
            r->error, LG_ERROR_UNSUPPORTED,
            "line %d: a 1-D and a 3-D table in one file; write each to a file of its own, "
            "and use one lookup for each",
            r->number);
    if (r->size)
        return lg_fail(r->error, LG_ERROR_DATA, "line %d: a second %s", r->number, name);
    if (end == text || *end)
        return lg_fail(r->error, LG_ERROR_DATA, "line %d: %s is followed by one whole number",
                       r->number, name);
    if (size < 2 || size > most)
        return lg_fail(r->error, LG_ERROR_LIMIT, "line %d: %s %ld; allowed is 2 to %ld", r->number,
                       name, size, most);
    r->size = (int)size;
    r->row = row;
    return LG_OK;
}

static lg_status fail_numbers(const reader *r, const char *name, const char *count)
{
    return lg_fail(r->error, LG_ERROR_DATA, "line %d: %s is followed by %s numbers", r->number,
                   name, count);
}

// The two ends, for all channels.
static lg_status read_range(reader *r, const char *name, const char *text)
{
    float ends[2];
    if (!numbers(text, ends, 2))
        return fail_numbers(r, name, "two");
    for (int k = 0; k < 3; k++)
        r->least[k] = ends[0], r->most[k] = ends[1];
    return LG_OK;
}

static lg_status read_keyword(reader *r, int which)
{
    const char *name = keywords[which], *rest = r->line + strlen(name);
    rest += strspn(rest, " \t");
    switch (which) {
    case 0:
        return LG_OK;
    case 1:
    case 2:
        return read_size(r, name, rest, which == 1);
    case 3:
        return numbers(rest, r->least, 3) ? LG_OK : fail_numbers(r, name, "three");
    case 4:
        return numbers(rest, r->most, 3) ? LG_OK : fail_numbers(r, name, "three");
    case 5:
        r->range_1d = r->number;
        return read_range(r, name, rest);
    default:
        r->range_3d = r->number;
        return read_range(r, name, rest);
    }
}

// When the whole header is known.
static lg_status check_header(const reader *r)
{
    const int other = r->row ? r->range_3d : r->range_1d;
    if (other)
        return lg_fail(r->error, LG_ERROR_DATA,
                       "line %d: the range of a %s table in the file of a %s one", other,
                       r->row ? "3-D" : "1-D", r->row ? "1-D" : "3-D");
    for (int k = 0; k < 3; k++)
        if (!(r->least[k] < r->most[k]))
            return lg_fail(
                r->error, LG_ERROR_DATA,
                "before line %d: the range of %s is %g to %g; its end has to be above its "
                "beginning",
                r->number,
                k == 0   ? "red"
                : k == 1 ? "green"
                         : "blue",
                (double)r->least[k], (double)r->most[k]);
    return LG_OK;
}

static bool is_number(const char *text)
{
    return strchr("+-.0123456789", *text) != NULL;
}

// Reads up to the first row of the table, which stays in r->line.
static lg_status read_header(reader *r)
{
    for (;;) {
        bool more;
        lg_status status = next_line(r, &more);
        if (status)
            return status;
        if (!more)
            return lg_fail(r->error, LG_ERROR_DATA,
                           r->size
                               ? "the file ends after line %d, before its table"
                               : "the file ends after line %d without LUT_1D_SIZE or LUT_3D_SIZE",
                           r->number);
        const size_t length = strlen(r->line);
        r->line[length] = '\n'; // ends a keyword that stands alone
        const int which = keyword(r->line, length + 1);
        r->line[length] = '\0';
        if (which < 0 && is_number(r->line))
            return r->size ? check_header(r)
                           : fail_line(r, "numbers before LUT_1D_SIZE or LUT_3D_SIZE");
        if (which < 0)
            return lg_fail(r->error, LG_ERROR_DATA, "line %d: unknown keyword '%.40s'", r->number,
                           r->line);
        status = read_keyword(r, which);
        if (status)
            return status;
    }
}

// ---- table --------------------------------------------------------------------------------------

static int rows_of(const reader *r)
{
    return r->row ? r->size : r->size * r->size * r->size;
}

static lg_status read_table(reader *r, lg_image *image)
{
    const int rows = rows_of(r), width = image->shape.width, height = image->shape.height;
    const char *name = r->row ? "LUT_1D_SIZE" : "LUT_3D_SIZE";
    bool more = true; // the first row is in r->line
    lg_status status = LG_OK;
    for (int i = 0; i < rows && !status; i++) {
        if (i)
            status = next_line(r, &more);
        if (!status && !more)
            return lg_fail(r->error, LG_ERROR_DATA,
                           "the file ends after line %d with %d rows of the table; %s %d has %d",
                           r->number, i, name, r->size, rows);
        float *to = (float *)lg_image_row(image, i / width / height, i / width % height) +
                    (ptrdiff_t)(i % width) * 4;
        if (!status && !numbers(r->line, to, 3))
            status = fail_line(r, "a row of the table is three numbers, red green blue");
    }
    if (!status)
        status = next_line(r, &more);
    if (!status && more)
        status =
            lg_fail(r->error, LG_ERROR_DATA, "line %d: more than the %d rows of a table with %s %d",
                    r->number, rows, name, r->size);
    return status;
}

static lg_status set_range(const reader *r, lg_image *image)
{
    bool usual = true;
    for (int k = 0; k < 3; k++)
        usual = usual && r->least[k] == 0 && r->most[k] == 1;
    return usual ? LG_OK : lg_image_set_domain(image, r->least, r->most, r->error);
}

lg_status lg_cube_read(lg_context *context, lg_input *input, const lg_read_params *params,
                       lg_image **out, lg_read_info *info, lg_error *error)
{
    reader *r = lg_alloc(sizeof *r);
    if (!r)
        return lg_fail_memory(error, sizeof *r, "a line");
    *r = (reader){.input = input, .most = {1, 1, 1}, .error = error};
    lg_image *image = NULL;
    lg_status status = read_header(r);
    const int n = r->size, height = r->row ? 1 : n;
    if (!status)
        status = lg_read_check(params, n, height, height, error);
    // A short table is named by its last line; a large one must not cost memory first.
    if (!status && rows_of(r) > 32768) // a row has at least three digits, two blanks and, but for
                                       // the last, its end
        status = lg_input_expect(input, (uint64_t)(rows_of(r) - 2) * 6, error);
    const lg_image_params shape = {.width = n,
                                   .height = height,
                                   .layers = height,
                                   .channels = 4,
                                   .type = LG_F32,
                                   .alpha = LG_ALPHA_OPAQUE};
    if (!status)
        status = lg_image_create(context, &shape, &image, error);
    if (!status)
        status = read_table(r, image);
    if (!status)
        status = set_range(r, image);
    lg_free(r);
    if (status) {
        lg_image_destroy(&image);
        return status;
    }
    snprintf(info->format, sizeof info->format, "cube");
    *out = image;
    return LG_OK;
}
