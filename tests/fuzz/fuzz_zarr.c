// A folder of Zarr: its metadata and chunks. The input is files behind each other, each with its name up to
// the end of the line and two bytes 255 behind it; a name that ends with / is a folder.
#include "fuzz.h"

#include <lumagraph/rows.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PIXELS (1 << 14)

static char folder[64];
static lg_error error;

// ---- the folder -------------------------------------------------------------------------------------

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    if (at->level > 0)
        (kind == FTW_DP ? rmdir : unlink)(path);
    return 0;
}

static void empty_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
    empty_folder();
    rmdir(folder);
}

// Nothing above the folder is named, and nothing that only the number of its folders makes slow.
static bool is_name(const char *name, size_t length)
{
    size_t slashes = 0;
    if (length == 0 || length > 60 || *name == '/')
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!strchr("0123456789./zarytsgoup", name[i]) || !name[i] ||
            (name[i] == '.' && i + 1 < length && name[i + 1] == '.'))
            return false;
        slashes += name[i] == '/';
    }
    return slashes < 6;
}

// Folders above it are made; where a file has the name of one, nothing is written.
static void put_file(const char *name, size_t length, const uint8_t *data, size_t size)
{
    char path[160];
    const size_t start = (size_t)snprintf(path, sizeof path, "%s/", folder);
    memcpy(path + start, name, length);
    path[start + length] = '\0';
    for (char *slash = strchr(path + start, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return;
    }
    if (name[length - 1] == '/')
        return;
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    EXPECT(write(file, data, size) == (ssize_t)size && !close(file));
}

static void put_files(const uint8_t *data, size_t size)
{
    for (int files = 0; size > 0 && files < 32; files++) {
        const uint8_t *end = memmem(data, size, "\xff\xff", 2), *line;
        const size_t bytes = end ? (size_t)(end - data) : size;
        line = memchr(data, '\n', bytes);
        const size_t name = line ? (size_t)(line - data) : 0;
        if (is_name((const char *)data, name))
            put_file((const char *)data, name, line + 1, bytes - name - 1);
        const size_t behind = end ? bytes + 2 : size;
        data += behind;
        size -= behind;
    }
}

// ---- reading ----------------------------------------------------------------------------------------

// By rows each layer is that of the whole image; where that failed, so does a layer or none of them.
static void compare_rows(const char *path, const lg_read_params *params, const lg_image *image)
{
    lg_row_reader *rows = NULL;
    EXPECT(!lg_row_reader_open(fuzz_context(), path, params, &rows, NULL, &error));
    lg_image_params shape = *lg_row_reader_shape(rows);
    const int32_t layers = shape.layers, height = shape.height;
    const size_t row = (size_t)shape.width * lg_pixel_size(&shape);
    EXPECT(shape.width == image->shape.width && height == image->shape.height &&
           layers == image->shape.layers);
    shape.layers = 1;
    shape.height = LG_MIN(height, 3);
    shape.row_stride = shape.layer_stride = 0;
    for (int32_t z = 0; z < layers; z += LG_MAX(layers / 3, 1)) {
        lg_image *part = NULL;
        const int32_t y = (height - shape.height) / 2;
        const lg_region region = {0, y, shape.width, shape.height};
        EXPECT(!lg_image_create(fuzz_context(), &shape, &part, &error));
        EXPECT(!lg_row_reader_read(rows, z, &region, part, &error));
        for (int32_t i = 0; i < shape.height; i++)
            EXPECT(memcmp(lg_image_row(part, 0, i), lg_image_row(image, z, y + i), row) == 0);
        lg_image_destroy(&part);
    }
    lg_row_reader_close(&rows);
}

static void read_folder(const char *path)
{
    lg_read_params params = lg_read_params_default();
    params.max_pixels = MAX_PIXELS;
    params.metadata = params.convert = true;
    lg_read_info info = {0};
    lg_image *image = NULL;
    if (!lg_image_read(fuzz_context(), path, &params, &image, &info, &error)) {
        EXPECT((int64_t)image->shape.width * image->shape.height * image->shape.layers <=
               MAX_PIXELS);
        compare_rows(path, &params, image);
        lg_image_destroy(&image);
    } else {
        EXPECT(!image && error.message[0]);
    }
    lg_metadata_destroy(&info.metadata);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char level[80];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/dev/shm/lumagraph-fuzz-XXXXXX");
        EXPECT(mkdtemp(folder));
        atexit(remove_folder);
    }
    put_files(data, size);
    read_folder(folder);
    snprintf(level, sizeof level, "%s/0", folder);
    if (access(level, F_OK) == 0)
        read_folder(level);
    empty_folder();
    return 0;
}
