#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static lg_error error;

lg_context *fuzz_context(void)
{
    static lg_context *context;
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    if (!context)
        EXPECT(!lg_context_create(&params, &context, &error));
    return context;
}

const char *fuzz_file(const void *data, size_t size)
{
    static int file = -1;
    static char name[32];
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    }
    EXPECT(file >= 0 && !ftruncate(file, 0) && pwrite(file, data, size, 0) == (ssize_t)size);
    return name;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    EXPECT(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void fuzz_image(const uint8_t *data, size_t size, bool (*is)(const uint8_t *head, size_t size))
{
    lg_read_params params = lg_read_params_default();
    params.max_pixels = 1 << 18;
    params.metadata = true;
    lg_read_info info = {0};
    lg_image *image = NULL;
    if (is && !is(data, size))
        return;
    if (!lg_image_read(fuzz_context(), fuzz_file(data, size), &params, &image, &info, &error)) {
        const lg_image_params *s = &image->shape;
        const size_t row = (size_t)s->width * lg_pixel_size(s);
        EXPECT((int64_t)s->width * s->height * s->layers <= params.max_pixels);
        for (int32_t z = 0; z < s->layers; z++)
            for (int32_t y = 0; y < s->height; y++)
                lg_hash(lg_image_row(image, z, y), row, 0);
        lg_image_destroy(&image);
    } else {
        EXPECT(!image && error.message[0]);
    }
    lg_metadata_destroy(&info.metadata);
}

lg_image *fuzz_image_of(const lg_image_params *shape, const void *samples)
{
    lg_image *image = NULL;
    const size_t row = (size_t)shape->width * lg_pixel_size(shape);
    EXPECT(!lg_image_create(fuzz_context(), shape, &image, &error));
    for (int32_t y = 0; y < shape->height; y++)
        memcpy(lg_image_row(image, 0, y), (const char *)samples + (size_t)y * row, row);
    return image;
}

void fuzz_seed(int count, char **arguments, const char *name, const void *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", arguments[count - 1], name);
    FILE *stream = count > 1 ? fopen(path, "wb") : NULL;
    if (stream) {
        fwrite(data, 1, size, stream);
        fclose(stream);
    }
}
