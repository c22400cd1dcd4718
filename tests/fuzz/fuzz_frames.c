// Films: y4m and PNM, and raw frames whose description stands in front of a zero byte.
#include "fuzz.h"

#include "io/film.h"

#include <string.h>

// Looks at all samples of a frame, and writes it.
static void look(lg_frames *frames, lg_film_output *out)
{
    lg_error error = {0};
    lg_image *image = NULL;
    if (lg_frames_film(frames)->planes > 0)
        lg_film_copy(out, frames, &error);
    if (lg_frames_image(frames, &image, NULL, &error) != LG_OK)
        return;
    EXPECT(image->shape.width == lg_frames_film(frames)->width);
    for (int32_t y = 0; y < image->shape.height; y++)
        lg_hash(lg_image_row(image, 0, y),
                (size_t)image->shape.width * lg_pixel_size(&image->shape), 0);
    lg_film_write(out, image, &error);
    lg_image_destroy(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_error error = {0};
    lg_read_params read = lg_read_params_default();
    lg_frames_params params = {.read = &read};
    lg_frames *frames = NULL;
    lg_film_output *out = NULL;
    const uint8_t *zero = size ? memchr(data, 0, LG_MIN(size, 64)) : NULL;
    char *raw = NULL;
    read.max_pixels = 1 << 18;
    if (zero && !lg_y4m_is(data, size) && !lg_pnm_is(data, size)) {
        params.raw = raw = fuzz_text(data, (size_t)(zero - data));
        size -= (size_t)(zero + 1 - data);
        data = zero + 1;
    } else if (!lg_y4m_is(data, size) && !lg_pnm_is(data, size)) {
        return 0;
    }
    bool more = true;
    if (lg_frames_open(fuzz_context(), fuzz_file(data, size), &params, &frames, &error) == LG_OK &&
        lg_film_create("/dev/null", "y4m", lg_frames_film(frames), &out, &error) == LG_OK)
        for (int i = 0; i < 100 && lg_frames_next(frames, &more, &error) == LG_OK && more; i++)
            look(frames, out);
    lg_film_discard(&out);
    lg_frames_close(&frames);
    free(raw);
    return 0;
}
