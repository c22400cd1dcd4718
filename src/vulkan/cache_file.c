// Files of the cache folder. Data that reaches a driver must be exactly what was written: the
// header binds it to library, device and driver, a digest finds damage, and owner and permissions
// keep other users out. Anything odd is ignored and written anew.
#include "core/digest.h"
#include "core/temporary.h"
#include "vulkan/vk_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST ((size_t)256 << 20) // bytes

typedef struct header {
    char magic[8];
    uint32_t format, library, vendor, device, driver_version, reserved;
    uint8_t cache_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
    char kind[16];
    uint64_t size;
    uint8_t digest[LG_DIGEST_SIZE];
} header;

static header make_header(const lg_vk *vk, const char *kind, const void *payload, size_t size)
{
    const VkPhysicalDeviceProperties *p = &vk->physical.properties;
    header h = {
        .format = 1,
        .library = LG_VERSION_MAJOR << 16 | LG_VERSION_MINOR << 8 | LG_VERSION_PATCH,
        .vendor = p->vendorID,
        .device = p->deviceID,
        .driver_version = p->driverVersion,
        .size = size,
    };
    memcpy(h.magic, "lumagrph", sizeof h.magic);
    memcpy(h.cache_uuid, p->pipelineCacheUUID, sizeof h.cache_uuid);
    memcpy(h.driver_uuid, vk->physical.driver_uuid, sizeof h.driver_uuid);
    snprintf(h.kind, sizeof h.kind, "%s", kind);
    lg_digest(payload, size, h.digest);
    return h;
}

// The folder, when it belongs to this user alone.
static int open_folder(const lg_vk *vk)
{
    if (!vk->cache_dir || getuid() != geteuid() || getgid() != getegid())
        return -1;
    if (mkdir(vk->cache_dir, 0700) && errno != EEXIST)
        return -1;
    const int folder = open(vk->cache_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat info;
    if (folder >= 0 && (fstat(folder, &info) || info.st_uid != geteuid() || info.st_mode & 022)) {
        close(folder);
        return -1;
    }
    return folder;
}

static void file_name(const lg_vk *vk, const char *kind, char out[64])
{
    snprintf(out, 64, "%.16s-%016llx.bin", kind, (unsigned long long)vk->identity);
}

static bool read_all(int file, void *data, size_t size)
{
    char *to = data;
    while (size > 0) {
        const ssize_t got = read(file, to, LG_MIN(size, (size_t)1 << 30));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        const ssize_t put = write(file, from, LG_MIN(size, (size_t)1 << 30));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        from += put;
        size -= (size_t)put;
    }
    return true;
}

static bool read_checked(const lg_vk *vk, int file, const char *kind, void **payload, size_t *size)
{
    struct stat info;
    header found;
    if (fstat(file, &info) || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
        info.st_mode & 022 || info.st_size < (off_t)sizeof found ||
        (uint64_t)info.st_size > LARGEST || !read_all(file, &found, sizeof found))
        return false;
    const size_t bytes = (size_t)info.st_size - sizeof found;
    if (found.size != bytes)
        return false;
    void *data = lg_alloc_aligned(bytes);
    if (!data)
        return false;
    bool good = read_all(file, data, bytes);
    if (good) {
        const header wanted = make_header(vk, kind, data, bytes);
        good = memcmp(&wanted, &found, sizeof wanted) == 0;
    }
    if (!good) {
        lg_free(data);
        return false;
    }
    *payload = data;
    *size = bytes;
    return true;
}

bool lg_vk_cache_read(lg_vk *vk, const char *kind, void **payload, size_t *size)
{
    char name[64];
    const int folder = open_folder(vk);
    if (folder < 0)
        return false;
    file_name(vk, kind, name);
    // NONBLOCK: opening a pipe that someone put there must not hang.
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    const int why = errno;
    close(folder);
    bool good = false;
    if (file >= 0) {
        good = read_checked(vk, file, kind, payload, size);
        close(file);
    }
    if (!good && (file >= 0 || why != ENOENT))
        lg_log(&vk->log, LG_LOG_INFO, "the cache file %s/%s does not fit and is ignored",
               vk->cache_dir, name);
    return good;
}

// A name of its own for every writer, also for two contexts of one process.
static int create_temporary(int folder, const char *name, char *out, size_t size)
{
    int file = -1;
    for (int number = 0; file < 0 && number < 100; number++) {
        snprintf(out, size, "%s.%d.tmp", name, number);
        file = lg_temporary_create(folder, out, 0600);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    return file;
}

// Does not wait for the disk: the digest finds what a crash has left.
bool lg_vk_cache_write(lg_vk *vk, const char *kind, const void *payload, size_t size)
{
    if (size > LARGEST - sizeof(header))
        return false;
    const int folder = open_folder(vk);
    if (folder < 0)
        return false;
    char name[64], temporary[96];
    file_name(vk, kind, name);
    const int file = create_temporary(folder, name, temporary, sizeof temporary);
    const header h = make_header(vk, kind, payload, size);
    const bool good = file >= 0 && write_all(file, &h, sizeof h) &&
                      write_all(file, payload, size) &&
                      renameat(folder, temporary, folder, name) == 0;
    if (!good && file >= 0)
        unlinkat(folder, temporary, 0);
    if (file >= 0)
        close(file); // and with it the lock
    close(folder);
    if (!good)
        lg_log(&vk->log, LG_LOG_WARN, "the cache file %s/%s cannot be written", vk->cache_dir,
               name);
    return good;
}
