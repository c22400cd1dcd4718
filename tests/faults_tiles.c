// Files in tiles whose writers have no memory, or no room: each call fails once, and then there is no output,
// or it is complete; nothing else stays.
#include "check.h"
#include "faults.h"
#include "samples.h"
#include <lumagraph/rows.h>

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_context *context;
static char folder[] = "/tmp/lumagraph-faults-tiles-XXXXXX";

// What is in the folder.
static int entries(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    NEED(dir, "%s", folder);
    for (const struct dirent *e; (e = readdir(dir));)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static lg_status write_rows(const lg_image *image, const char *path, const lg_write_params *params,
                            lg_error *why)
{
    lg_row_writer *writer = NULL;
    lg_status status = lg_row_writer_open(path, &image->shape, params, &writer, why);
    if (!status)
        status = lg_row_writer_write(writer, image, why);
    if (!status)
        return lg_row_writer_close(&writer, why);
    lg_row_writer_discard(&writer);
    return status;
}

// Two writers of a file, and of its levels; a third takes rows of a former file.
static lg_status write_shared(const lg_image *image, const char *path,
                              const lg_write_params *params, lg_error *why)
{
    lg_row_writer *file = NULL, *part = NULL;
    lg_row_share share;
    lg_image_params half = image->shape;
    lg_image *rows[2] = {NULL};
    half.height /= 2;
    half.layer_stride = 0;
    lg_status status = lg_row_writer_open(path, &image->shape, params, &file, why);
    if (!status)
        status = lg_row_writer_share(file, &share, why);
    for (int i = 0; i < 2 && !status; i++) {
        char *data = (char *)image->data + (size_t)(i * half.height) * half.row_stride;
        status = lg_image_wrap(context, &half, data, &rows[i], why);
        if (!status)
            status = lg_row_writer_join(&share, i * half.height, &part, why);
        if (!status)
            status = lg_row_writer_write(part, rows[i], why);
        if (!status)
            status = lg_row_writer_close(&part, why);
        lg_row_writer_discard(&part);
        lg_image_destroy(&rows[i]);
    }
    if (!status)
        status = lg_row_share_copy(&share, share.path, 7, 29, why);
    for (int i = 0; i < 2 && !status; i++)
        status = lg_row_share_levels(&share, i, 2, why);
    if (!status)
        return lg_row_writer_close(&file, why);
    lg_row_writer_discard(&file);
    return status;
}

static lg_status write_whole(const lg_image *image, const char *path, const lg_write_params *params,
                             lg_error *why)
{
    return lg_image_write(image, path, params, why);
}

typedef lg_status (*writing)(const lg_image *image, const char *path, const lg_write_params *params,
                             lg_error *why);

static void test_faults(const char *name, const char *options, writing write, faults_kind kind)
{
    const lg_image_params shape = SHAPE(70, 50, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    const lg_write_params params = {.options = options};
    lg_image *image = content_image(context, shape, CONTENT_ALL_BITS);
    lg_error why = {LG_OK, ""};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int64_t calls = 1;
    for (int64_t at = -1; at < calls; at++) {
        const int64_t before = faults_live();
        faults_arm(kind, at);
        const lg_status status = write(image, path, &params, &why);
        if (at < 0)
            calls = faults_calls(kind);
        const bool fired = faults_disarm(), there = access(path, F_OK) == 0;
        CHECK(at >= 0 || (!status && calls > 0), "%s: %s", name, why.message);
        CHECK(!status ||
                  (fired && (status == LG_ERROR_MEMORY || status == LG_ERROR_IO) && *why.message),
              "%s: call %d of kind %d: status %d, %s", name, (int)at, (int)kind, (int)status,
              why.message);
        CHECK(there == !status && entries() == there, "%s: call %d of kind %d: %d entries", name,
              (int)at, (int)kind, entries());
        CHECK(faults_live() <= before, "%s: call %d of kind %d: %d blocks", name, (int)at,
              (int)kind, (int)(faults_live() - before));
        if (there && strstr(name, ".zarr"))
            CHECK(remove_tree(path), "%s", path);
        else
            unlink(path);
    }
    lg_image_destroy(&image);
}

int main(void)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    lg_error error;
    NEED(mkdtemp(folder) && !lg_context_create(&params, &context, &error), "%s", folder);
    static const writing ways[] = {write_rows, write_whole};
    for (int way = 0; way < 2; way++)
        for (int kind = FAULTS_MEMORY; kind <= FAULTS_FILE; kind++) {
            if (kind == FAULTS_THREAD)
                continue;
            if (lg_image_can_write("x.tif")) {
                if (way == 0)
                    test_faults("shared.tif", "tile=16,pyramid,compression=none", write_shared,
                                (faults_kind)kind);
                test_faults("tiles.tif", "tile=16,pyramid", ways[way], (faults_kind)kind);
                test_faults("tiles.zarr", "tile=32,pyramid", ways[way], (faults_kind)kind);
            }
            test_faults("plain.zarr", "tile=32,compression=none", ways[way], (faults_kind)kind);
        }
    CHECK(remove_tree(folder), "%s stays behind", folder);
    lg_context_destroy(&context);
    return check_finish("faults_tiles");
}
