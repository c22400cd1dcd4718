// Files whose rows several writers write, in any order: the bytes are those of one writer, in tiles and with
// levels too. What cannot be shared is refused, and a file whose writers fail does not appear. Ranks of MPI
// without a launcher.
#include "check.h"
#include "samples.h"
#include <lumagraph/ranks.h>
#include <lumagraph/rows.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lg_context *context;
static lg_error error;
static char folder[] = "/tmp/lumagraph-shared-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[2][PATH_MAX];
    static int turn;
    turn ^= 1;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static lg_image *rows_of(const lg_image *image, int64_t y, int64_t height)
{
    lg_image_params shape = image->shape;
    lg_image *part = NULL;
    shape.height = (int32_t)height;
    shape.layer_stride = 0;
    NEED(!lg_image_wrap(context, &shape, (char *)image->data + (size_t)y * shape.row_stride, &part,
                        &error),
         "%s", error.message);
    return part;
}

static void write_rows(lg_row_writer *writer, const lg_image *image, int64_t y, int64_t height)
{
    lg_image *part = rows_of(image, y, height);
    CHECK(!lg_row_writer_write(writer, part, &error), "%s", error.message);
    lg_image_destroy(&part);
}

static bool same_bytes(const char *a, const char *b)
{
    FILE *x = fopen(in_folder(a), "rb"), *y = fopen(in_folder(b), "rb");
    int c = EOF, d = 0;
    NEED(x && y, "%s and %s are not there", a, b);
    do {
        c = fgetc(x);
        d = fgetc(y);
    } while (c == d && c != EOF);
    fclose(x);
    fclose(y);
    return c == d;
}

static const int order[] = {2, 0, 1};

// Levels, of as many parts as writers.
static void finish_shared(lg_row_writer **file, const lg_row_share *share, const char *path)
{
    for (int i = 0; i < 3; i++)
        CHECK(!lg_row_share_levels(share, order[i], 3, &error), "%s", error.message);
    CHECK(access(path, F_OK) != 0, "%s is there before it is complete", path);
    CHECK(!lg_row_writer_close(file, &error), "%s", error.message);
}

// Three writers, of which the last begins and the middle one comes late.
static void write_shared(const lg_image *image, const char *path, const lg_write_params *params)
{
    const int64_t height = image->shape.height, ends[] = {0, height / 5, height / 5 + 3, height};
    lg_row_writer *file = NULL, *part = NULL;
    lg_row_share share;
    NEED(!lg_row_writer_open(path, &image->shape, params, &file, &error), "%s", error.message);
    NEED(!lg_row_writer_share(file, &share, &error), "%s: %s", path, error.message);
    for (int i = 0; i < 3; i++) {
        const int64_t first = ends[order[i]], rows = ends[order[i] + 1] - first;
        NEED(!lg_row_writer_join(&share, first, &part, &error), "%s", error.message);
        write_rows(part, image, first, 1);
        CHECK(!lg_row_writer_flush(part, &error), "%s", error.message);
        write_rows(part, image, first + 1, rows - 1);
        CHECK(!lg_row_writer_close(&part, &error) && !part, "%s", error.message);
    }
    finish_shared(&file, &share, path);
}

static void join_and_write(const lg_row_share *share, const lg_image *image, int64_t y, int64_t end)
{
    lg_row_writer *part = NULL;
    NEED(!lg_row_writer_join(share, y, &part, &error), "%s", error.message);
    write_rows(part, image, y, end - y);
    CHECK(!lg_row_writer_close(&part, &error) && !part, "%s", error.message);
}

// A job that stops without the rows in the middle; another one begins with them, and takes the others.
static void write_again(const lg_image *image, const char *path, const lg_write_params *params)
{
    const int64_t height = image->shape.height, ends[] = {0, height / 3, height / 3 + 2, height};
    lg_row_writer *old = NULL, *file = NULL;
    lg_row_share before, share;
    NEED(!lg_row_writer_open(path, &image->shape, params, &old, &error) &&
             !lg_row_writer_share(old, &before, &error) &&
             !lg_row_writer_open(path, &image->shape, params, &file, &error) &&
             !lg_row_writer_share(file, &share, &error),
         "%s: %s", path, error.message);
    join_and_write(&share, image, ends[1], ends[2]);
    for (int i = 0; i < 3; i += 2) {
        join_and_write(&before, image, ends[i], ends[i + 1]);
        CHECK(!lg_row_share_copy(&share, before.path, ends[i], ends[i + 1], &error), "%s",
              error.message);
    }
    lg_row_writer_discard(&old);
    finish_shared(&file, &share, path);
}

static void check_equal(const char *extension, const char *options, lg_image_params shape)
{
    static void (*const ways[])(const lg_image *, const char *,
                                const lg_write_params *) = {write_shared, write_again};
    const lg_write_params params = {.options = options};
    char one[32], all[32];
    snprintf(one, sizeof one, "one.%s", extension);
    snprintf(all, sizeof all, "all.%s", extension);
    if (!lg_image_can_write(one))
        return; // this build does not
    lg_image *image = content_image(context, shape, CONTENT_ALL_BITS);
    lg_row_writer *writer = NULL;
    NEED(!lg_row_writer_open(in_folder(one), &image->shape, &params, &writer, &error), "%s",
         error.message);
    write_rows(writer, image, 0, image->shape.height);
    NEED(!lg_row_writer_close(&writer, &error), "%s", error.message);
    for (size_t i = 0; i < LG_COUNT(ways); i++) {
        ways[i](image, in_folder(all), &params);
        CHECK(same_bytes(one, all), "way %zu, %d x %d of %s, .%s[%s]: other bytes", i, shape.width,
              shape.height, lg_type_name(shape.type), extension, options ? options : "");
        unlink(in_folder(all));
    }
    lg_image_destroy(&image);
}

static void test_equal(void)
{
    static const struct {
        const char *extension, *options;
        lg_image_params shape;
    } files[] = {
        {"pgm", NULL, SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE)},
        {"ppm", NULL, SHAPE(37, 141, 1, 4, LG_U16, LG_ALPHA_OPAQUE)},
        {"pam", NULL, SHAPE(37, 141, 1, 4, LG_U8, LG_ALPHA_STRAIGHT)},
        {"npy", NULL, SHAPE(37, 141, 1, 4, LG_F32, LG_ALPHA_OPAQUE)},
        {"npy", NULL, SHAPE(37, 141, 1, 1, LG_F16, LG_ALPHA_NONE)},
        {"tif", "compression=none", SHAPE(37, 141, 1, 1, LG_U16, LG_ALPHA_NONE)},
        {"tif", "compression=none", SHAPE(3000, 301, 1, 4, LG_U8, LG_ALPHA_OPAQUE)}, // strips
        {"tif", "compression=none", SHAPE(37, 141, 1, 4, LG_F32, LG_ALPHA_STRAIGHT)},
    };
    for (size_t i = 0; i < LG_COUNT(files); i++)
        check_equal(files[i].extension, files[i].options, files[i].shape);
}

// Sides that tiles divide, and others; rows of tiles that belong to several writers.
static void test_tiles(void)
{
    static const struct {
        const char *options;
        int32_t channels;
        lg_type type;
        lg_alpha alpha;
    } files[] = {
        {"compression=none,tile=16", 1, LG_U8, LG_ALPHA_NONE},
        {"compression=none,tile=32x16", 4, LG_U8, LG_ALPHA_OPAQUE},
        {"compression=none,tile=16x64", 4, LG_U16, LG_ALPHA_OPAQUE},
        {"compression=none,tile", 1, LG_F32, LG_ALPHA_NONE},
        {"compression=none,pyramid,tile=16", 4, LG_U8, LG_ALPHA_OPAQUE},
        {"compression=none,pyramid,tile=16x48", 1, LG_U16, LG_ALPHA_NONE},
        {"compression=none,pyramid,tile=32x16,subifd", 4, LG_F32, LG_ALPHA_STRAIGHT},
        {"compression=none,pyramid", 1, LG_F16, LG_ALPHA_NONE},
    };
    static const int32_t sides[][2] = {{37, 141}, {301, 83}, {64, 128}, {1, 257}, {333, 11}};
    for (size_t i = 0; i < LG_COUNT(files); i++)
        for (size_t k = 0; k < LG_COUNT(sides); k++) {
            const lg_image_params shape = SHAPE(sides[k][0], sides[k][1], 1, files[i].channels,
                                                files[i].type, files[i].alpha);
            check_equal("tif", files[i].options, shape);
        }
}

// A part that there is not, and rows of a file that does not have them.
static void refuse_parts(void)
{
    const lg_image_params shape = SHAPE(37, 20, 1, 1, LG_U8, LG_ALPHA_NONE);
    const lg_write_params tiles = {.options = "pyramid,tile=16,compression=none"};
    lg_row_writer *file = NULL;
    lg_row_share share;
    NEED(!lg_row_writer_open(in_folder("x.tif"), &shape, &tiles, &file, &error) &&
             !lg_row_writer_share(file, &share, &error),
         "%s", error.message);
    CHECK(lg_row_share_levels(NULL, 0, 1, &error) == LG_ERROR_ARGUMENT, "nothing shared");
    CHECK(lg_row_share_levels(&share, 3, 3, &error) == LG_ERROR_ARGUMENT, "part 3 of 3");
    CHECK(lg_row_share_copy(&share, NULL, 0, 1, &error) == LG_ERROR_ARGUMENT, "no file");
    CHECK(lg_row_share_copy(&share, in_folder("gone"), 0, 1, &error) == LG_ERROR_IO, "no file");
    CHECK(lg_row_share_copy(&share, share.path, 0, 21, &error) == LG_ERROR_ARGUMENT, "row 21");
    FILE *shorter = fopen(in_folder("shorter"), "wb");
    NEED(shorter && fputs("II", shorter) >= 0 && fclose(shorter) == 0, "no file");
    CHECK(lg_row_share_copy(&share, in_folder("shorter"), 0, 20, &error) == LG_ERROR_IO &&
              strstr(error.message, "shorter"),
          "%s", error.message);
    lg_row_writer_discard(&file);
    CHECK(access(share.path, F_OK) != 0 && lg_row_share_levels(&share, 0, 1, &error) == LG_ERROR_IO,
          "levels of a file that is gone");
}

static void test_refused(void)
{
    const lg_image_params shape = SHAPE(37, 20, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *image = content_image(context, shape, CONTENT_UNIT);
    lg_row_writer *file = NULL, *part = NULL;
    lg_row_share share, wrong;
    CHECK(lg_row_writer_share(NULL, &share, &error) == LG_ERROR_ARGUMENT, "no writer");
    CHECK(lg_row_writer_join(NULL, 0, &part, &error) == LG_ERROR_ARGUMENT, "nothing shared");
    if (lg_image_can_write("x.tif")) {
        NEED(!lg_row_writer_open(in_folder("x.tif"), &shape, NULL, &file, &error), "%s",
             error.message);
        CHECK(lg_row_writer_share(file, &share, &error) == LG_ERROR_UNSUPPORTED &&
                  strstr(error.message, "compression=none"),
              "%s", error.message);
        lg_row_writer_discard(&file);
        const lg_write_params tiles = {.options = "tile"};
        NEED(!lg_row_writer_open(in_folder("x.tif"), &shape, &tiles, &file, &error), "%s",
             error.message);
        CHECK(lg_row_writer_share(file, &share, &error) == LG_ERROR_UNSUPPORTED &&
                  strstr(error.message, "compression=none"),
              "%s", error.message);
        lg_row_writer_discard(&file);
        refuse_parts();
    }
    const lg_write_params plain = {.options = "compression=none"};
    NEED(!lg_row_writer_open(in_folder("x.zarr"), &shape, &plain, &file, &error), "%s",
         error.message);
    CHECK(lg_row_writer_share(file, &share, &error) == LG_ERROR_UNSUPPORTED &&
              strstr(error.message, "by one process"),
          "%s", error.message);
    lg_row_writer_discard(&file);
    const lg_write_params pnm = {.format = "pgm"};
    NEED(!lg_row_writer_open("/dev/null", &shape, &pnm, &file, &error), "%s", error.message);
    CHECK(lg_row_writer_share(file, &share, &error) == LG_ERROR_UNSUPPORTED, "%s", error.message);
    lg_row_writer_discard(&file);
    NEED(!lg_row_writer_open(in_folder("x.pgm"), &shape, NULL, &file, &error), "%s", error.message);
    write_rows(file, image, 0, 5);
    CHECK(lg_row_writer_share(file, &share, &error) == LG_ERROR_ARGUMENT, "rows were written");
    lg_row_writer_discard(&file);

    NEED(!lg_row_writer_open(in_folder("x.pgm"), &shape, NULL, &file, &error), "%s", error.message);
    NEED(!lg_row_writer_share(file, &share, &error), "%s", error.message);
    CHECK(lg_row_writer_share(file, &wrong, &error) == LG_ERROR_ARGUMENT, "shared twice");
    CHECK(lg_row_writer_write(file, image, &error) == LG_ERROR_ARGUMENT, "rows of the leader");
    CHECK(lg_row_writer_join(&share, 21, &part, &error) == LG_ERROR_ARGUMENT, "row 21 of 20");
    wrong = share;
    memset(wrong.extension, 'x', sizeof wrong.extension);
    CHECK(lg_row_writer_join(&wrong, 0, &part, &error) == LG_ERROR_ARGUMENT, "a long extension");
    wrong = share;
    snprintf(wrong.path, sizeof wrong.path, "%s/gone", folder);
    CHECK(lg_row_writer_join(&wrong, 0, &part, &error) == LG_ERROR_IO &&
              strstr(error.message, "one file system"),
          "%s", error.message);
    NEED(!lg_row_writer_join(&share, 15, &part, &error), "%s", error.message);
    CHECK(lg_row_writer_write(part, image, &error) == LG_ERROR_ARGUMENT, "20 rows behind row 15");
    lg_row_writer_discard(&part);
    lg_row_writer_discard(&file);
    CHECK(access(in_folder("x.pgm"), F_OK) != 0 && access(share.path, F_OK) != 0,
          "a file that was dropped stays");
    lg_image_destroy(&image);
}

static void test_ranks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_FD", "PMIX_RANK"};
    lg_ranks *ranks = NULL;
    for (size_t i = 0; i < LG_COUNT(names); i++)
        unsetenv(names[i]);
    CHECK(lg_ranks_open(LG_MPI_AUTO, &ranks, &error) == LG_ERROR_ARGUMENT && !ranks &&
              strstr(error.message, "mpirun"),
          "%s", error.message);
    CHECK(lg_ranks_open((lg_mpi)3, &ranks, &error) == LG_ERROR_ARGUMENT, "MPI 3");
    CHECK(lg_ranks_open(LG_MPI_AUTO, NULL, &error) == LG_ERROR_ARGUMENT, "no place");
    CHECK(lg_ranks_send(NULL, 0, "", 1, &error) == LG_ERROR_ARGUMENT, "no ranks");
    CHECK(lg_ranks_rank(NULL) == 0 && lg_ranks_count(NULL) == 1 && !*lg_ranks_library(NULL),
          "a process alone");
    lg_ranks_close(&ranks);
    lg_ranks_close(NULL);
}

int main(void)
{
    random_seed(11);
    NEED(mkdtemp(folder), "no folder");
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    NEED(!lg_context_create(&params, &context, &error), "%s", error.message);
    test_equal();
    test_tiles();
    test_refused();
    test_ranks();
    lg_context_destroy(&context);
    CHECK(remove_tree(folder), "the folder is not empty, or stays");
    return check_finish("rows_shared");
}
