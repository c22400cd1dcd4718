// YUV4MPEG2: a line of tags, then frames of planes, each behind a line of its own.
#include "io/film.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC        "YUV4MPEG2"
#define FRAME        "FRAME"
#define LONGEST_LINE 4096

// ---- chroma -------------------------------------------------------------------------------------

// C420p10 and C422 have no siting of their own: MPEG-2's.
static const struct {
    const char *tag;
    lg_chroma chroma;
    lg_siting siting;
    int8_t planes, bits;
} chromas[] = {
    {"420jpeg", LG_CHROMA_420, LG_SITING_CENTER, 3, 8},
    {"420mpeg2", LG_CHROMA_420, LG_SITING_LEFT, 3, 8},
    {"420paldv", LG_CHROMA_420, LG_SITING_TOP_LEFT, 3, 8},
    {"420", LG_CHROMA_420, LG_SITING_CENTER, 3, 8},
    {"411", LG_CHROMA_411, LG_SITING_LEFT, 3, 8},
    {"422", LG_CHROMA_422, LG_SITING_LEFT, 3, 8},
    {"444", LG_CHROMA_444, LG_SITING_LEFT, 3, 8},
    {"444alpha", LG_CHROMA_444, LG_SITING_LEFT, 4, 8},
    {"mono", LG_CHROMA_NONE, LG_SITING_LEFT, 1, 8},
};

static const struct {
    const char *prefix; // a number of bits follows
    lg_chroma chroma;
    int8_t planes;
} deep[] = {
    {"420p", LG_CHROMA_420, 3},
    {"422p", LG_CHROMA_422, 3},
    {"444p", LG_CHROMA_444, 3},
    {"mono", LG_CHROMA_NONE, 1},
};

// 9 to 16 behind the prefix of a tag, else 0.
static int deep_bits(const char *tag, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(tag, prefix, length) != 0)
        return 0;
    tag += length;
    const size_t digits = strspn(tag, "0123456789");
    const int bits = digits > 0 && digits < 3 && !tag[digits] ? atoi(tag) : 0;
    return bits >= 9 && bits <= 16 ? bits : 0;
}

static lg_status take_chroma(const char *tag, lg_film *film, lg_error *error)
{
    for (size_t i = 0; i < LG_COUNT(chromas); i++)
        if (strcmp(chromas[i].tag, tag) == 0) {
            film->chroma = chromas[i].chroma;
            film->siting = chromas[i].siting;
            film->planes = chromas[i].planes;
            film->bits = chromas[i].bits;
            return LG_OK;
        }
    for (size_t i = 0; i < LG_COUNT(deep); i++) {
        const int bits = deep_bits(tag, deep[i].prefix);
        if (!bits)
            continue;
        film->chroma = deep[i].chroma;
        film->siting = LG_SITING_LEFT;
        film->planes = deep[i].planes;
        film->bits = bits;
        return LG_OK;
    }
    return lg_fail(
        error, LG_ERROR_UNSUPPORTED,
        "y4m header: the chroma C%.20s is not known; C420jpeg, C420mpeg2, C420paldv, C411, "
        "C422, C444, C444alpha and Cmono are, and C420pN, C422pN, C444pN and CmonoN with "
        "9 to 16 bits",
        tag);
}

// ---- tags ---------------------------------------------------------------------------------------

static bool whole_number(const char *text, int32_t *out)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9 || text[digits])
        return false;
    *out = atoi(text);
    return true;
}

// N:D. Nothing is stated where one of them is 0.
static bool ratio(char *text, int32_t *above, int32_t *below)
{
    char *colon = strchr(text, ':');
    if (!colon)
        return false;
    *colon = '\0';
    if (!whole_number(text, above) || !whole_number(colon + 1, below))
        return false;
    if (!*above || !*below)
        *above = *below = 0;
    return true;
}

static lg_field_order field_order_of(char letter)
{
    return letter == 'p'   ? LG_FIELDS_PROGRESSIVE
           : letter == 't' ? LG_FIELDS_TOP_FIRST
           : letter == 'b' ? LG_FIELDS_BOTTOM_FIRST
           : letter == 'm' ? LG_FIELDS_MIXED
                           : LG_FIELDS_UNKNOWN;
}

// Comments, X: one says the range, the others are not ours.
static void take_comment(const char *text, lg_film *film, bool *range)
{
    static const char key[] = "COLORRANGE=";
    if (strncmp(text, key, sizeof key - 1) != 0)
        return;
    text += sizeof key - 1;
    if (strcmp(text, "FULL") == 0 || strcmp(text, "LIMITED") == 0) {
        film->full_range = *text == 'F';
        *range = true;
    }
}

static lg_status take_tag(char *word, lg_film *film, bool *range, lg_error *error)
{
    bool good = true;
    char *value = word + 1;
    switch (word[0]) {
    case 'W':
        good = whole_number(value, &film->width);
        break;
    case 'H':
        good = whole_number(value, &film->height);
        break;
    case 'F':
        good = ratio(value, &film->rate, &film->rate_per);
        break;
    case 'A':
        good = ratio(value, &film->aspect, &film->aspect_per);
        break;
    case 'I':
        film->fields = field_order_of(*value);
        break;
    case 'C':
        return take_chroma(value, film, error);
    case 'X':
        take_comment(value, film, range);
        break;
    default: // tags to come
        break;
    }
    if (good)
        return LG_OK;
    return lg_fail(error, LG_ERROR_DATA, "y4m header: %c is not followed by %s", word[0],
                   word[0] == 'F' || word[0] == 'A' ? "two numbers, N:D" : "a number");
}

// ---- reading ------------------------------------------------------------------------------------

bool lg_y4m_is(const uint8_t *head, size_t size)
{
    const size_t length = sizeof MAGIC - 1;
    return size > length && memcmp(head, MAGIC, length) == 0 &&
           (head[length] == ' ' || head[length] == '\n');
}

// A line without its end. *length 0 with LG_OK: the file ended in front of it.
static lg_status read_line(lg_input *input, const char *what, char *out, size_t *length,
                           lg_error *error)
{
    *length = 0;
    int c = lg_input_byte(input);
    if (c < 0)
        return input->failure ? lg_input_short(input, what, error) : LG_OK;
    for (; c >= 0 && c != '\n'; c = lg_input_byte(input)) {
        if (*length == LONGEST_LINE - 1 || c == '\0')
            return lg_fail(error, LG_ERROR_DATA, "%s is no line of text of y4m", what);
        out[(*length)++] = (char)c;
    }
    out[*length] = '\0';
    if (c < 0)
        return lg_input_short(input, what, error);
    if (*length == 0)
        return lg_fail(error, LG_ERROR_DATA, "%s is an empty line", what);
    return LG_OK;
}

lg_status lg_y4m_read_header(lg_input *input, lg_film *film, lg_error *error)
{
    char line[LONGEST_LINE], *rest = NULL;
    size_t length;
    bool range = false;
    lg_status status = read_line(input, "the header", line, &length, error);
    if (status == LG_OK && length == 0)
        status = lg_input_short(input, "the header", error);
    if (status == LG_OK)
        status = take_chroma("420jpeg", film, error);
    char *word = status == LG_OK ? strtok_r(line, " ", &rest) : NULL; // the magic
    while (word && status == LG_OK && (word = strtok_r(NULL, " ", &rest)))
        status = take_tag(word, film, &range, error);
    if (status == LG_OK && (film->width < 1 || film->height < 1))
        status = lg_fail(error, LG_ERROR_DATA,
                         "y4m header: it needs a width and a height, W and H with numbers above 0");
    if (!range) // grey is what it says unless it says otherwise; video is not
        film->full_range = film->planes == 1;
    return status;
}

lg_status lg_y4m_read_frame_header(lg_input *input, bool *more, lg_error *error)
{
    char line[LONGEST_LINE];
    size_t length;
    *more = false;
    const lg_status status = read_line(input, "the frame's header", line, &length, error);
    if (status != LG_OK || length == 0)
        return status;
    const size_t magic = sizeof FRAME - 1;
    if (strncmp(line, FRAME, magic) != 0 || (line[magic] && line[magic] != ' '))
        return lg_fail(error, LG_ERROR_DATA, "a line that begins with FRAME is missing");
    *more = true;
    return LG_OK;
}

// ---- writing ------------------------------------------------------------------------------------

static void chroma_tag(const lg_film *film, char out[16])
{
    for (size_t i = 0; i < LG_COUNT(chromas); i++)
        if (film->bits == 8 && chromas[i].planes == film->planes &&
            chromas[i].chroma == film->chroma &&
            (film->chroma != LG_CHROMA_420 || chromas[i].siting == film->siting)) {
            snprintf(out, 16, "%s", chromas[i].tag);
            return;
        }
    for (size_t i = 0; i < LG_COUNT(deep); i++)
        if (deep[i].planes == film->planes && deep[i].chroma == film->chroma)
            snprintf(out, 16, "%s%d", deep[i].prefix, film->bits);
}

void lg_y4m_write_header(FILE *stream, const lg_film *film)
{
    static const char orders[] = {'?', 'p', 't', 'b', 'm'};
    char chroma[16] = "";
    chroma_tag(film, chroma);
    // Programs that need a rate take 25 where none is stated.
    fprintf(stream, MAGIC " W%d H%d F%d:%d I%c A%d:%d C%s XCOLORRANGE=%s\n", film->width,
            film->height, film->rate ? film->rate : 25, film->rate ? film->rate_per : 1,
            orders[film->fields], film->aspect, film->aspect_per, chroma,
            film->full_range ? "FULL" : "LIMITED");
}
