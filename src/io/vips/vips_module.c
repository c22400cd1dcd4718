// The one symbol of the module, and the memory of its copies of shared code, which is the library's.
#include "io/vips/vips_formats.h"

const lg_vips_host *lg_vips_library;

static void enter(const lg_vips_host *host)
{
    lg_vips_library = host;
}

void *lg_alloc(size_t bytes)
{
    return lg_vips_library->alloc(bytes);
}

void lg_free(void *pointer)
{
    lg_vips_library->free(pointer);
}

char *lg_strdup(const char *text)
{
    return lg_vips_library->strdup(text);
}

extern LG_API const lg_vips lg_vips_module;

LG_API const lg_vips lg_vips_module = {
    .version = lg_version,
    .enter = enter,
    .start = lg_vips_start,
    .load = lg_vips_load,
    .rows_open = lg_vips_rows_open,
    .rows_read = lg_vips_rows_read,
    .rows_close = lg_vips_rows_close,
    .save = lg_vips_save,
    .save_begin = lg_vips_save_begin,
    .save_rows = lg_vips_save_rows,
    .save_end = lg_vips_save_end,
    .save_drop = lg_vips_save_drop,
    .shutdown = lg_vips_stop,
};
