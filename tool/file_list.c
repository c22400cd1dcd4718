// Lists of input files: --files-from, and which of the inputs are a shard's.
#include "option_checks.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool parse_fraction(const char *text, int64_t *index, int64_t *count, char *why, size_t size)
{
    char *end;
    snprintf(why, size, "allowed are I/N with I from 1 to N and N up to 1000000, such as 3/64");
    if (*text < '1' || *text > '9')
        return false;
    *index = strtoll(text, &end, 10);
    if (*end != '/' || end[1] < '1' || end[1] > '9')
        return false;
    *count = strtoll(end + 1, &end, 10);
    return !*end && *index <= *count && *count <= 1000000;
}

bool lg_parse_shard(const char *text, lg_options *out, char *why, size_t size)
{
    return parse_fraction(text, &out->shard, &out->shard_count, why, size);
}

bool lg_parse_part(const char *text, lg_options *out, char *why, size_t size)
{
    return parse_fraction(text, &out->part, &out->part_count, why, size);
}

// ---- --files-from -------------------------------------------------------------------------------

// The whole stream with a zero behind it; NULL: it cannot be read.
static char *read_stream(FILE *stream, size_t *size)
{
    char *text = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (used + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            char *larger = realloc(text, capacity);
            if (!larger)
                break;
            text = larger;
        }
        const size_t got = fread(text + used, 1, capacity - used - 1, stream);
        used += got;
        if (got == 0 && !ferror(stream)) {
            text[used] = '\0';
            *size = used;
            return text;
        }
        if (got == 0)
            break;
    }
    free(text);
    return NULL;
}

// Ends names with zeros; empty ones do not count. Returns their number. A list of lines may begin with the
// mark of UTF-8, and its lines may end as on Windows: a name that does goes between zero bytes.
static size_t split(char *text, size_t size)
{
    size_t count = 0;
    const bool lines = !memchr(text, '\0', size);
    if (lines && strncmp(text, "\xef\xbb\xbf", 3) == 0)
        memset(text, 0, 3);
    for (size_t i = size; lines && i-- > 0;)
        if (text[i] == '\n' || (text[i] == '\r' && !text[i + 1]))
            text[i] = '\0';
    for (size_t i = 0; i < size; i++)
        count += text[i] && (i == 0 || !text[i - 1]);
    return count;
}

bool lg_files_from(lg_options *o)
{
    const char *from = o->files_from;
    if (!from || o->help)
        return true;
    const bool standard = strcmp(from, "-") == 0;
    FILE *stream = standard ? stdin : fopen(from, "rb");
    size_t size = 0;
    char *text = stream ? read_stream(stream, &size) : NULL;
    if (!text)
        lg_complain("--files-from %s: cannot read: %s", from, strerror(errno));
    if (stream && !standard)
        fclose(stream);
    if (!text)
        return false;
    const size_t count = split(text, size);
    char **files = calloc((size_t)o->file_count + count + 1, sizeof *files);
    if (!files || count > INT32_MAX / 2) {
        lg_complain("--files-from %s: there is no memory for so many names", from);
        free(files);
        free(text);
        return false;
    }
    for (int i = 0; i < o->file_count; i++)
        files[i] = o->files[i];
    for (size_t i = 0; i < size; i++)
        if (text[i] && (i == 0 || !text[i - 1]))
            files[o->file_count++] = text + i;
    o->listed = files;
    o->listed_text = text;
    o->files = files;
    return true;
}

void lg_options_free(lg_options *options)
{
    free(options->listed);
    free(options->listed_text);
    options->listed = NULL;
    options->listed_text = NULL;
}
