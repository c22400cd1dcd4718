#include "io/tile_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT 16 // of a side in tiles of TIFF; Zarr gets the same

static bool take_side(const char *text, char **end, int32_t *out)
{
    if (*text < '1' || *text > '9')
        return false;
    const long side = strtol(text, end, 10);
    *out = (int32_t)LG_MIN(side, LG_TILE_MOST + 1);
    return side % UNIT == 0 && side <= LG_TILE_MOST;
}

// "256" or "256x128".
static bool take_size(const char *text, lg_tile_options *out)
{
    char *end = NULL;
    bool good = take_side(text, &end, &out->width);
    out->height = out->width;
    if (good && *end == 'x')
        good = take_side(end + 1, &end, &out->height);
    return good && !*end;
}

static bool take_one_side(const char *text, int32_t *out)
{
    char *end = NULL;
    return take_side(text, &end, out) && !*end;
}

// What follows "KEY=", "" behind "KEY" alone, NULL: it is another key.
static const char *value_of(const char *word, const char *key)
{
    const size_t length = strlen(key);
    if (strncmp(word, key, length) != 0)
        return NULL;
    return word[length] == '=' ? word + length + 1 : word[length] ? NULL : word + length;
}

static lg_status fail_size(const char *text, lg_error *error)
{
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "'%.40s' is no size of tiles: multiples of 16 up to %d are, as 256 or 512x256",
                   text, LG_TILE_MOST);
}

static lg_status take_word(const char *word, const char *format, lg_tile_options *out,
                           lg_error *error)
{
    const char *value = value_of(word, "compression");
    if (value && *value && strlen(value) < sizeof out->compression) {
        snprintf(out->compression, sizeof out->compression, "%s", value);
        return LG_OK;
    }
    if ((value = value_of(word, "tile"))) {
        const bool size = *value && strcmp(value, "true") != 0;
        if (!size)
            out->width = out->width ? out->width : LG_TILE_SIDE;
        return !size || take_size(value, out) ? LG_OK : fail_size(value, error);
    }
    if ((value = value_of(word, "tile-width")))
        return take_one_side(value, &out->width) ? LG_OK : fail_size(value, error);
    if ((value = value_of(word, "tile-height")))
        return take_one_side(value, &out->height) ? LG_OK : fail_size(value, error);
    const bool pyramid = (value = value_of(word, "pyramid")) != NULL;
    bool *flag = pyramid                                      ? &out->pyramid
                 : (value = value_of(word, "subifd")) != NULL ? &out->below
                                                              : NULL;
    if (flag == &out->below && strcmp(format, "zarr") == 0)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "subifd is of .tif; levels of .zarr are arrays of their own");
    if (flag && (!*value || strcmp(value, "true") == 0 || strcmp(value, "false") == 0)) {
        *flag = strcmp(value, "false") != 0;
        return LG_OK;
    }
    return flag ? lg_fail(error, LG_ERROR_ARGUMENT, "'%.60s': true or false, or nothing, follows",
                          word)
                : lg_fail(error, LG_ERROR_ARGUMENT,
                          "'%.60s' is no option of .%s: compression=NAME, tile=WxH, pyramid and "
                          "subifd are",
                          word, format);
}

lg_status lg_tile_options_read(const char *options, const char *format, lg_tile_options *out,
                               lg_error *error)
{
    char word[64];
    lg_status status = LG_OK;
    *out = (lg_tile_options){0};
    for (const char *at = options ? options : ""; *at && !status;) {
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)LG_MIN(length, sizeof word - 1), at);
        status = take_word(word, format, out, error);
        at += length + (at[length] == ',');
    }
    if (out->pyramid || out->width || out->height) {
        out->width = out->width ? out->width : LG_TILE_SIDE;
        out->height = out->height ? out->height : out->width;
    }
    return status;
}

int lg_tile_options_pack(const lg_tile_options *options)
{
    return options->width / UNIT | options->height / UNIT << 16 | (int)options->pyramid << 30;
}

bool lg_tile_options_unpack(int packed, lg_tile_options *out)
{
    const int across = packed & 0xffff, down = packed >> 16 & 0xfff, most = LG_TILE_MOST / UNIT;
    *out = (lg_tile_options){
        .width = across * UNIT, .height = down * UNIT, .pyramid = packed >> 30 & 1};
    return across >= 1 && across <= most && down >= 1 && down <= most;
}
