// Members of archives: any order, from several threads, by name and by list, are the bytes that were put
// in; damage, changes and what is no archive are found. The archives are written here, byte by byte.
#include "check.h"
#include <lumagraph/io.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MEMBERS 60
#define SIDE    48
#define BYTES   (sizeof "P5 48 48 255" + SIDE * SIDE)

static lg_error error;
static char folder[] = "/tmp/lumagraph-archive-XXXXXX";
static char path[300];
static uint8_t samples[MEMBERS][SIDE * SIDE];

// ---- a system without files in memory and /proc -------------------------------------------------

// The library finds these in front of those of the C library.
static bool is_bare;
static int refused; // calls

int memfd_create(const char *name, unsigned flags)
{
    if (!is_bare)
        return (int)syscall(SYS_memfd_create, name, flags);
    __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
    errno = ENOSYS;
    return -1;
}

static int open_unless_bare(const char *name, int flags, mode_t mode)
{
    if (!is_bare || strncmp(name, "/proc/", 6) != 0)
        return openat(AT_FDCWD, name, flags, mode);
    __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
    errno = ENOENT;
    return -1;
}

int open(const char *name, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_unless_bare(name, flags, mode);
}

// ---- a tar file by hand -------------------------------------------------------------------------

static void put_header(FILE *file, const char *name, size_t bytes, char kind)
{
    char block[512] = {0};
    unsigned sum = 0;
    snprintf(block, 100, "%s", name);
    memcpy(block + 100, "0000644\0000000000\0000000000", 24);
    snprintf(block + 124, 12, "%011zo", bytes);
    memcpy(block + 136, "00000000000", 12);
    memset(block + 148, ' ', 8);
    block[156] = kind;
    memcpy(block + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof block; i++)
        sum += (uint8_t)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    fwrite(block, 1, sizeof block, file);
}

static void put_member(FILE *file, const char *name, const uint8_t *pixels)
{
    static const uint8_t zeros[512];
    put_header(file, name, BYTES, '0');
    fprintf(file, "P5 %d %d 255\n", SIDE, SIDE);
    fwrite(pixels, 1, SIDE * SIDE, file);
    fwrite(zeros, 1, (512 - BYTES % 512) % 512, file);
}

// Every fourth entry is followed by a folder; the last member has a name that was there before.
static void write_archive(void)
{
    static const uint8_t end[1024];
    char name[40];
    FILE *file = fopen(path, "wb");
    NEED(file, "%s", path);
    for (int i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, "%sm%02d.pgm", i % 3 ? "" : "./", i);
        put_member(file, name, samples[i]);
        if (i % 4 == 0)
            put_header(file, "folder/", 0, '5');
    }
    put_member(file, "m07.pgm", samples[0]);
    fwrite(end, 1, sizeof end, file);
    NEED(fclose(file) == 0, "%s", path);
}

// ---- what is read -------------------------------------------------------------------------------

static lg_status read_member(lg_context *context, int i, bool *same, lg_error *why)
{
    char name[400];
    lg_image *image = NULL;
    snprintf(name, sizeof name, "%s/m%02d.pgm", path, i);
    const lg_status status = lg_image_read(context, name, NULL, &image, NULL, why);
    *same = status == LG_OK && image->shape.width == SIDE && image->shape.height == SIDE;
    for (int y = 0; y < SIDE && *same; y++)
        *same = memcmp((uint8_t *)image->data + (size_t)y * image->shape.row_stride,
                       samples[i] + y * SIDE, SIDE) == 0;
    lg_image_destroy(&image);
    return status;
}

static lg_context *new_context(void)
{
    lg_context *context = NULL;
    lg_error why;
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    return lg_context_create(&params, &context, &why) == LG_OK ? context : NULL;
}

// Members first, first + step ... in their order, or at random.
typedef struct walk {
    pthread_t thread;
    int first, step;
    bool random;
    int wrong;
} walk;

static void *read_all(void *priv)
{
    walk *w = priv;
    lg_error why;
    bool same;
    lg_context *context = new_context();
    unsigned seed = (unsigned)w->first + 1;
    w->wrong = context ? 0 : MEMBERS;
    for (int i = w->first; i < MEMBERS && context; i += w->step) {
        seed = seed * 1103515245u + 12345u;
        w->wrong +=
            read_member(context, w->random ? (int)(seed >> 16) % MEMBERS : i, &same, &why) || !same;
    }
    lg_context_destroy(&context);
    return NULL;
}

static void test_threads(bool random)
{
    enum { THREADS = 4 };
    walk walks[THREADS] = {0};
    for (int t = 0; t < THREADS; t++) {
        walks[t].first = t;
        walks[t].step = THREADS;
        walks[t].random = random;
        NEED(pthread_create(&walks[t].thread, NULL, read_all, &walks[t]) == 0, "a thread");
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(walks[t].thread, NULL);
        CHECK(walks[t].wrong == 0, "thread %d, %s: %d members are wrong", t,
              random ? "at random" : "in order", walks[t].wrong);
    }
}

static void test_orders(lg_context *context)
{
    bool same;
    for (int i = 0; i < MEMBERS; i++)
        CHECK(!read_member(context, i, &same, &error) && same, "member %d: %s", i, error.message);
    for (int i = MEMBERS; i-- > 0;)
        CHECK(!read_member(context, i, &same, &error) && same, "backwards %d: %s", i,
              error.message);
}

// ---- names and sizes ----------------------------------------------------------------------------

typedef struct listed {
    int count, wrong, stop;
} listed;

static bool note_name(void *priv, const char *name)
{
    listed *l = priv;
    char expected[40];
    snprintf(expected, sizeof expected, "m%02d.pgm", l->count);
    l->wrong += strcmp(expected, name) != 0;
    return ++l->count != l->stop;
}

static void test_names(void)
{
    listed all = {0}, some = {.stop = 5};
    char name[400];
    int64_t bytes = 0;
    CHECK(lg_archive_list(path, note_name, &all, &error) == LG_OK && all.count == MEMBERS &&
              all.wrong == 0,
          "%d names, %d wrong: %s", all.count, all.wrong, error.message);
    CHECK(lg_archive_list(path, note_name, &some, &error) == LG_ERROR_CANCELLED && some.count == 5,
          "it ends where it is told to: %d", some.count);
    snprintf(name, sizeof name, "%s/./m11.pgm", path);
    CHECK(lg_archive_length(name) == strlen(path), "%zu", lg_archive_length(name));
    CHECK(lg_archive_member_size(name, &bytes, &error) == LG_OK && bytes == BYTES, "%lld: %s",
          (long long)bytes, error.message);
    CHECK(lg_archive_length(path) == 0 && lg_archive_length(NULL) == 0 &&
              lg_archive_length("/none/of/these") == 0 && lg_archive_length(folder) == 0,
          "what is no member");
    CHECK(lg_archive_member_size(path, &bytes, &error) == LG_ERROR_IO, "an archive is no member");
    CHECK(lg_archive_list(NULL, note_name, &all, &error) == LG_ERROR_ARGUMENT &&
              lg_archive_list(path, NULL, NULL, &error) == LG_ERROR_ARGUMENT &&
              lg_archive_member_size(NULL, &bytes, &error) == LG_ERROR_ARGUMENT,
          "NULL");
    snprintf(name, sizeof name, "%s/none", path);
    CHECK(lg_archive_member_size(name, &bytes, &error) == LG_ERROR_IO, "%s", error.message);
    CHECK(lg_archive_list("/none/of/these", note_name, &all, &error) == LG_ERROR_IO, "%s",
          error.message);
}

// ---- the other system ---------------------------------------------------------------------------

// Members are held in files without names then, and side by side readers get copies of them.
static void test_bare(lg_context *context)
{
    is_bare = true;
    test_orders(context);
    test_threads(false);
    test_threads(true);
    is_bare = false;
#ifndef LG_PORTABLE // which makes none of these calls
    CHECK(refused > MEMBERS, "%d calls are refused", refused);
#endif
}

// ---- damage and changes -------------------------------------------------------------------------

// Another archive under the same name: nothing of the old one is left.
static void test_changed(lg_context *context)
{
    bool same;
    const struct timespec earlier[2] = {{1, 0}, {1, 0}};
    CHECK(!read_member(context, 3, &same, &error) && same, "%s", error.message);
    for (int i = 0; i < MEMBERS; i++)
        samples[i][0] ^= 255;
    write_archive();
    NEED(utimensat(AT_FDCWD, path, earlier, 0) == 0, "a time stamp");
    for (int i = 0; i < 8; i++)
        CHECK(!read_member(context, i, &same, &error) && same, "changed %d: %s", i, error.message);
}

// The file ends in member 40: those in front of it can be read.
static void test_truncated(lg_context *context)
{
    bool same;
    listed all = {0};
    struct stat found;
    NEED(stat(path, &found) == 0 && truncate(path, found.st_size * 2 / 3) == 0, "%s", path);
    CHECK(lg_archive_list(path, note_name, &all, &error) == LG_ERROR_DATA && all.wrong == 0 &&
              all.count > MEMBERS / 2 && all.count < MEMBERS,
          "%d names: %s", all.count, error.message);
    CHECK(!read_member(context, all.count - 2, &same, &error) && same, "%s", error.message);
    CHECK(read_member(context, all.count - 1, &same, &error) == LG_ERROR_DATA, "the last one");
    CHECK(read_member(context, MEMBERS - 1, &same, &error) == LG_ERROR_DATA, "one behind it");
    CHECK(!read_member(context, 0, &same, &error) && same, "%s", error.message);
    NEED(truncate(path, 300) == 0, "%s", path);
    CHECK(read_member(context, 0, &same, &error) == LG_ERROR_DATA, "%s", error.message);
}

// ---- a packed archive ---------------------------------------------------------------------------

static void put_little(FILE *file, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * i & 255), file);
}

// gzip, in blocks that are stored as they are.
static void pack(const char *from, const char *to)
{
    static const uint8_t head[10] = {0x1f, 0x8b, 8};
    static uint8_t block[60000];
    uint32_t sum = UINT32_MAX, all = 0;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    NEED(in && out, "%s", to);
    fwrite(head, 1, sizeof head, out);
    for (size_t got = 1; got > 0;) {
        got = fread(block, 1, sizeof block, in);
        fputc(got == 0, out); // the last one is empty
        put_little(out, (uint32_t)got, 2);
        put_little(out, ~(uint32_t)got, 2);
        fwrite(block, 1, got, out);
        for (size_t i = 0; i < got; i++) {
            sum ^= block[i];
            for (int bit = 0; bit < 8; bit++)
                sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
        }
        all += (uint32_t)got;
    }
    put_little(out, ~sum, 4);
    put_little(out, all, 4);
    fclose(in);
    NEED(fclose(out) == 0, "%s", to);
}

// Members 3, 6, 9 ... are kept.
static lg_archive_choice choose(void *priv, const char *name)
{
    listed *l = priv;
    if (!note_name(l, name))
        return LG_ARCHIVE_END;
    return (l->count - 1) % 3 == 0 ? LG_ARCHIVE_KEEP : LG_ARCHIVE_LEAVE;
}

// As if the disk had changed behind the back of the system, which nobody notices who does not read it.
static void overwrite(void)
{
    struct stat found;
    NEED(stat(path, &found) == 0, "%s", path);
    FILE *file = fopen(path, "r+b");
    NEED(file, "%s", path);
    for (int64_t i = 0; i < found.st_size; i++)
        fputc('x', file);
    NEED(fclose(file) == 0, "%s", path);
    const struct timespec times[2] = {found.st_atim, found.st_mtim};
    NEED(utimensat(AT_FDCWD, path, times, 0) == 0, "a time stamp");
}

static void test_kept(lg_context *context)
{
    bool same;
    char plain[300], name[400];
    int64_t bytes = 0;
    listed all = {0}, again = {0}, some = {.stop = 5};
    snprintf(plain, sizeof plain, "%s", path);
    write_archive();
    snprintf(path, sizeof path, "%s/b.tar.gz", folder);
    pack(plain, path);
    CHECK(lg_archive_list_keep(path, folder, choose, &some, &error) == LG_ERROR_CANCELLED,
          "%d names", some.count);
    CHECK(!lg_archive_list_keep(path, folder, choose, &all, &error) && all.count == MEMBERS &&
              all.wrong == 0,
          "%d names, %d wrong: %s", all.count, all.wrong, error.message);
    CHECK(!lg_archive_list_keep(path, folder, choose, &again, &error) && again.count == MEMBERS,
          "%s", error.message);
    test_orders(context);
    test_threads(true);
    overwrite();
    snprintf(name, sizeof name, "%s/m33.pgm", path);
    CHECK(!lg_archive_member_size(name, &bytes, &error) && bytes == BYTES, "%s", error.message);
    for (int i = MEMBERS; i-- > 0;) {
        const lg_status status = read_member(context, i, &same, &error);
        if (i % 3 == 0)
            CHECK(!status && same, "member %d is unpacked once more: %s", i, error.message);
    }
    CHECK(read_member(context, 34, &same, &error) == LG_ERROR_DATA, "it is read anew");
    CHECK(lg_archive_list_keep(path, NULL, choose, &all, &error) == LG_ERROR_ARGUMENT &&
              lg_archive_list_keep(path, folder, NULL, NULL, &error) == LG_ERROR_ARGUMENT &&
              lg_archive_list_keep(NULL, folder, choose, &all, &error) == LG_ERROR_ARGUMENT,
          "NULL");
    // Without a scratch file, and where the end is missing, it is as it was.
    struct stat found;
    pack(plain, path);
    all = again = (listed){0};
    CHECK(!lg_archive_list_keep(path, "/none/of/these", choose, &all, &error) &&
              all.count == MEMBERS,
          "%s", error.message);
    test_orders(context);
    NEED(stat(path, &found) == 0 && truncate(path, found.st_size / 2) == 0, "%s", path);
    all = (listed){0};
    lg_error plainly;
    CHECK(lg_archive_list(path, note_name, &all, &plainly) == LG_ERROR_DATA, "%s", plainly.message);
    CHECK(lg_archive_list_keep(path, folder, choose, &again, &error) == LG_ERROR_DATA &&
              again.count == all.count && strcmp(error.message, plainly.message) == 0,
          "%d names, %d: %s; %s", again.count, all.count, error.message, plainly.message);
    for (int i = 0; i < all.count - 1; i++)
        CHECK(!read_member(context, i, &same, &error) && same, "member %d: %s", i, error.message);
    CHECK(read_member(context, all.count - 1, &same, &error) == LG_ERROR_DATA, "the last one");
    unlink(path);
    memcpy(path, plain, sizeof path);
}

// Without the module it is said what to install.
static bool has_module(lg_context *context)
{
    bool same;
    if (read_member(context, 0, &same, &error) != LG_ERROR_UNSUPPORTED)
        return true;
    CHECK(strstr(error.message, "liblumagraph-archive"), "%s", error.message);
    return false;
}

int main(void)
{
    lg_context *context = new_context();
    NEED(mkdtemp(folder) && context, "a folder and a context");
    snprintf(path, sizeof path, "%s/a.tar", folder);
    random_seed(5);
    for (int i = 0; i < MEMBERS; i++)
        for (int k = 0; k < SIDE * SIDE; k++)
            samples[i][k] = (uint8_t)random_u64();
    write_archive();
    if (has_module(context)) {
        test_orders(context);
        test_names();
        test_threads(false);
        test_threads(true);
        test_kept(context);
        test_bare(context);
        test_changed(context);
        test_truncated(context);
    } else {
        check_skip("this build has no liblumagraph-archive");
    }
    unlink(path);
    rmdir(folder);
    lg_context_destroy(&context);
    lg_io_shutdown();
    return check_finish("archive");
}
