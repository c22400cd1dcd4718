// The benchmark's pixels as a shared object, for peers written in other languages.
#include "../content.h"

int bench_fill(void *data, int32_t width, int32_t height, int channels, int type, int content);

// Rows without padding. 0: done.
int bench_fill(void *data, int32_t width, int32_t height, int channels, int type, int content)
{
    const size_t size = type == CONTENT_U8 ? 1 : type == CONTENT_F32 ? 4 : 2;
    content_source source = {0};
    uint16_t *tile = content_tile();
    if (!tile)
        return 1;
    source.tile = tile;
    content_fill(data, (size_t)width * (size_t)channels * size, width, height, channels, type,
                 content, &source);
    free(tile);
    return 0;
}
