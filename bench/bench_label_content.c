#include "bench_label_content.h"

#include "content.h"

#include <string.h>

const char *const label_picture_names[PICTURES] = {"random",       "natural", "spiral", "comb",
                                                   "checkerboard", "full",    "empty"};

int label_picture_find(const char *name)
{
    for (int i = 0; i < PICTURES; i++)
        if (strcmp(name, label_picture_names[i]) == 0)
            return i;
    return -1;
}

double label_picture_level(label_picture picture, int density)
{
    return picture == PICTURE_RANDOM ? 255 - 2.56 * density : 127;
}

static bool fill(label_picture picture, uint8_t *pixels, size_t stride, int32_t width,
                 int32_t height)
{
    uint16_t *tile = content_tile();
    const content_source source = {.tile = tile};
    if (!tile)
        return false;
    content_fill(pixels, stride, width, height, 1, CONTENT_U8,
                 picture == PICTURE_RANDOM ? CONTENT_RANDOM : CONTENT_NATURAL, &source);
    free(tile);
    return true;
}

// Squares of the value in their upper left corner, from the last to the first.
static void enlarge(int side, uint8_t *pixels, size_t stride, int32_t width, int32_t height)
{
    for (int32_t y = height - 1; y >= 0; y--)
        for (int32_t x = width - 1; x >= 0; x--)
            pixels[(size_t)y * stride + (size_t)x] =
                pixels[(size_t)(y / side) * stride + (size_t)(x / side)];
}

static void draw_spiral(uint8_t *pixels, size_t stride, int32_t width, int32_t height)
{
    int32_t x = 0, y = 0, dx = 1, dy = 0;
    int32_t left = 0, top = 0, right = width - 1, bottom = height - 1;
    while (left <= right && top <= bottom && x >= 0 && y >= 0 && x < width && y < height) {
        pixels[(size_t)y * stride + (size_t)x] = 255;
        if (dx > 0 && x >= right) {
            dx = 0, dy = 1, top += 2;
        } else if (dy > 0 && y >= bottom) {
            dx = -1, dy = 0, right -= 2;
        } else if (dx < 0 && x <= left) {
            dx = 0, dy = -1, bottom -= 2;
        } else if (dy < 0 && y <= top) {
            dx = 1, dy = 0, left += 2;
        }
        x += dx;
        y += dy;
    }
}

bool label_picture_draw(label_picture picture, int granularity, uint8_t *pixels, size_t stride,
                        int32_t width, int32_t height)
{
    memset(pixels, picture == PICTURE_FULL ? 255 : 0, stride * (size_t)height);
    if (picture == PICTURE_RANDOM || picture == PICTURE_NATURAL) {
        if (!fill(picture, pixels, stride, width, height))
            return false;
        if (picture == PICTURE_RANDOM && granularity > 1)
            enlarge(granularity, pixels, stride, width, height);
    } else if (picture == PICTURE_SPIRAL) {
        draw_spiral(pixels, stride, width, height);
    } else if (picture == PICTURE_COMB || picture == PICTURE_CHECKERBOARD) {
        for (int32_t y = 0; y < height; y++)
            for (int32_t x = 0; x < width; x++) {
                const bool tooth = x % 2 == 0 || y == height - 1;
                const bool on = picture == PICTURE_COMB ? tooth : (x + y) % 2 == 0;
                pixels[(size_t)y * stride + (size_t)x] = on ? 255 : 0;
            }
    }
    return true;
}
