#include "journal.h"

#include "team_messages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __APPLE__
#define st_mtim st_mtimespec // of struct stat
#endif

// Words of the machine: journals are read by the same program on machines of one kind.
typedef struct entry {
    uint64_t magic, command, input, place; // digest and number of the input
    uint64_t pass, layer, first, end;
    uint64_t size, sum; // of the bytes behind it; of this and them
} entry;

#define MAGIC UINT64_C(0x314c4e524a47474c)

typedef struct place {
    entry e;
    char *file; // shared by its entries
    off_t at;   // of the bytes
} place;

struct lg_journal {
    char *name, *own;
    bool leads;
    int fd;
    off_t size;
    uint64_t command, input, place;
    place *list;
    size_t count, capacity;
    char **files; // that were found
    size_t file_count;
};

static uint64_t digest(const void *data, size_t size, uint64_t seed)
{
    const uint8_t *bytes = data;
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t sum_of(entry e, const void *data)
{
    e.sum = 0;
    return digest(data, (size_t)e.size, digest(&e, sizeof e, 0));
}

static lg_status no_memory(lg_error *error)
{
    return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the journal");
}

static lg_status fail_file(const char *name, const char *what, lg_error *error)
{
    const int why = errno;
    return lg_set_error(error, LG_ERROR_IO, "%s: cannot be %s: %s", name, what, strerror(why));
}

static lg_status append(lg_journal *j, const entry *e, char *file, off_t at, lg_error *error)
{
    if (j->count == j->capacity) {
        const size_t capacity = j->capacity ? 2 * j->capacity : 64;
        place *larger = realloc(j->list, capacity * sizeof *larger);
        if (!larger)
            return no_memory(error);
        j->list = larger;
        j->capacity = capacity;
    }
    j->list[j->count++] = (place){*e, file, at};
    return LG_OK;
}

// ---- reading --------------------------------------------------------------------------------------

// The entries of a file up to the first that is not whole: a rank that is killed may leave a part of one.
// *used: bytes of those that are.
static lg_status read_file(lg_journal *j, char *name, off_t *used, lg_error *error)
{
    FILE *file = fopen(name, "rb");
    lg_status status = file ? LG_OK : fail_file(name, "read", error);
    uint8_t *data = NULL;
    entry e;
    struct stat info;
    *used = 0;
    if (file && fstat(fileno(file), &info) != 0)
        status = fail_file(name, "read", error);
    while (!status && fread(&e, sizeof e, 1, file) == 1 && e.magic == MAGIC &&
           e.size <= (uint64_t)(info.st_size - *used) - sizeof e) {
        uint8_t *larger = realloc(data, (size_t)e.size + 1);
        if (!larger)
            status = no_memory(error);
        data = larger ? larger : data;
        if (status || fread(data, 1, (size_t)e.size, file) != e.size || sum_of(e, data) != e.sum)
            break;
        if (e.command != j->command)
            status =
                lg_set_error(error, LG_ERROR_ARGUMENT,
                             "%s is the journal of another command; remove it, or name another "
                             "one",
                             name);
        else
            status = append(j, &e, name, *used + (off_t)sizeof e, error);
        *used += (off_t)(sizeof e + e.size);
    }
    free(data);
    if (file)
        fclose(file);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// All files that are called as those of ranks are.
static lg_status find_files(lg_journal *j, lg_error *error)
{
    const char *slash = strrchr(j->name, '/'), *base = slash ? slash + 1 : j->name;
    const size_t folder = slash ? (size_t)(slash - j->name) + 1 : 0, length = strlen(base);
    char *path = folder ? strndup(j->name, folder) : strdup(".");
    DIR *at = path ? opendir(path) : NULL;
    lg_status status = at ? LG_OK : fail_file(path ? path : j->name, "read", error);
    for (const struct dirent *d; !status && (d = readdir(at)) != NULL;) {
        const char *number = d->d_name + length + 1;
        if (strncmp(d->d_name, base, length) != 0 || d->d_name[length] != '.' || !*number ||
            strspn(number, "0123456789") != strlen(number))
            continue;
        char **larger = realloc(j->files, (j->file_count + 1) * sizeof *larger);
        char *name = malloc(folder + strlen(d->d_name) + 1);
        if (larger)
            j->files = larger;
        if (!larger || !name) {
            free(name);
            status = no_memory(error);
            break;
        }
        memcpy(name, j->name, folder);
        strcpy(name + folder, d->d_name);
        j->files[j->file_count++] = name;
    }
    if (at)
        closedir(at);
    free(path);
    if (j->file_count)
        qsort(j->files, j->file_count, sizeof *j->files, by_name);
    return status;
}

static lg_status read_all(lg_journal *j, lg_error *error)
{
    off_t used;
    lg_status status = find_files(j, error);
    for (size_t i = 0; i < j->file_count && !status; i++) {
        status = read_file(j, j->files[i], &used, error);
        if (strcmp(j->files[i], j->own) == 0)
            j->size = used;
    }
    return status;
}

// ---- life -----------------------------------------------------------------------------------------

static lg_status begin(lg_team *team, lg_journal *j, const char *name, uint64_t command,
                       lg_error *error)
{
    j->fd = -1;
    j->command = command;
    j->leads = team->rank == 0;
    j->name = strdup(name);
    if (!j->name || asprintf(&j->own, "%s.%d", name, team->rank) < 0) {
        j->own = NULL;
        return no_memory(error);
    }
    return read_all(j, error);
}

lg_status lg_journal_open(lg_team *team, const char *name, uint64_t command, lg_journal **out,
                          lg_error *error)
{
    lg_journal *j = *out = calloc(1, sizeof *j);
    lg_status status = j ? begin(team, j, name, command, error) : no_memory(error);
    uint64_t found = command;
    for (size_t i = 0; i < (j ? j->count : 0); i++)
        found = digest(&j->list[i].e, sizeof j->list[i].e, found);
    status = lg_team_same(team, "the journals that it sees", found, status, error);
    if (!status) {
        j->fd = open(j->own, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (j->fd < 0 || ftruncate(j->fd, j->size) != 0)
            status = fail_file(j->own, "written", error);
    }
    return lg_team_agree(team, status, error);
}

static void remove_outputs(lg_journal *j)
{
    char name[PATH_MAX];
    for (size_t i = 0; i < j->count; i++) {
        j->place = j->list[i].e.place;
        for (int which = 0; which < LG_MAX_INPUTS; which++)
            if (lg_journal_rows_name(j, which, name, sizeof name))
                unlink(name);
    }
}

void lg_journal_close(lg_journal *j, bool done)
{
    if (!j)
        return;
    if (j->fd >= 0)
        close(j->fd);
    if (done && j->own)
        unlink(j->own);
    if (done && j->leads)
        remove_outputs(j);
    for (size_t i = 0; i < j->file_count; i++) {
        if (done && j->leads)
            unlink(j->files[i]);
        free(j->files[i]);
    }
    free(j->files);
    free(j->list);
    free(j->name);
    free(j->own);
    free(j);
}

// ---- one input ------------------------------------------------------------------------------------

lg_status lg_journal_input(lg_journal *j, const lg_input_file *file, lg_error *error)
{
    struct stat info;
    if (!j)
        return LG_OK;
    if (stat(file->name, &info) != 0)
        return lg_set_error(error, LG_ERROR_IO, "cannot be read: %s", strerror(errno));
    const uint64_t of[] = {(uint64_t)info.st_size, (uint64_t)info.st_mtim.tv_sec,
                           (uint64_t)info.st_mtim.tv_nsec};
    j->place = (uint64_t)file->place;
    j->input = digest(of, sizeof of, digest(file->name, strlen(file->name), 0));
    for (size_t i = 0; i < j->count; i++)
        if (j->list[i].e.place == j->place && j->list[i].e.input != j->input)
            return lg_set_error(error, LG_ERROR_ARGUMENT,
                                "it was changed since %s was written; remove that, or name another "
                                "journal",
                                j->list[i].file);
    return LG_OK;
}

static bool is_here(const lg_journal *j, const place *p)
{
    return p->e.place == j->place;
}

int64_t lg_journal_cut(const lg_journal *j, int64_t y)
{
    bool again = j != NULL;
    while (again) {
        again = false;
        for (size_t i = 0; i < j->count; i++) {
            const place *p = &j->list[i];
            if (is_here(j, p) && (int64_t)p->e.first < y && y < (int64_t)p->e.end) {
                y = (int64_t)p->e.first;
                again = true;
            }
        }
    }
    return y;
}

static bool has_bands(const entry *e, lg_journal_pass bands)
{
    return e->pass == bands || (bands >= LG_JOURNAL_THRESHOLDS && e->pass == LG_JOURNAL_WRITE);
}

int64_t lg_journal_rows(const lg_journal *j, lg_journal_pass bands, int64_t layer, int64_t y,
                        int64_t rows)
{
    for (size_t i = 0; j && i < j->count; i++) {
        const entry *e = &j->list[i].e;
        if (!is_here(j, &j->list[i]) || !has_bands(e, bands) || (int64_t)e->layer != layer)
            continue;
        if ((int64_t)e->first == y)
            return (int64_t)(e->end - e->first);
        if ((int64_t)e->first > y && (int64_t)e->first - y < rows)
            rows = (int64_t)e->first - y;
    }
    return rows;
}

static lg_status read_bytes(const place *p, void **data, lg_error *error)
{
    const int fd = open(p->file, O_RDONLY | O_CLOEXEC);
    lg_status status = fd >= 0 ? LG_OK : fail_file(p->file, "read", error);
    uint8_t *bytes = *data = malloc((size_t)p->e.size + 1);
    if (!status && !bytes)
        status = no_memory(error);
    for (size_t done = 0; !status && done < p->e.size;) {
        const ssize_t got = pread(fd, bytes + done, (size_t)p->e.size - done, p->at + (off_t)done);
        if (got <= 0)
            status = fail_file(p->file, "read", error);
        else
            done += (size_t)got;
    }
    if (!status && sum_of(p->e, bytes) != p->e.sum)
        status = lg_set_error(error, LG_ERROR_DATA, "%s was changed while it was read", p->file);
    if (fd >= 0)
        close(fd);
    return status;
}

lg_status lg_journal_find(const lg_journal *j, lg_journal_pass pass, int64_t layer, int64_t y,
                          int64_t *end, void **data, size_t *size, lg_error *error)
{
    *end = y;
    for (size_t i = 0; j && i < j->count; i++) {
        const entry *e = &j->list[i].e;
        if (!is_here(j, &j->list[i]) || e->pass != pass || (int64_t)e->layer != layer ||
            (int64_t)e->first != y)
            continue;
        *end = (int64_t)e->end;
        if (size)
            *size = (size_t)e->size;
        return data ? read_bytes(&j->list[i], data, error) : LG_OK;
    }
    return LG_OK;
}

lg_status lg_journal_add(lg_journal *j, lg_journal_pass pass, int64_t layer, int64_t first,
                         int64_t end, const void *data, size_t size, lg_error *error)
{
    entry e = {.magic = MAGIC,
               .command = j->command,
               .input = j->input,
               .place = j->place,
               .pass = pass,
               .layer = (uint64_t)layer,
               .first = (uint64_t)first,
               .end = (uint64_t)end,
               .size = size};
    const void *const parts[] = {&e, data};
    const size_t sizes[] = {sizeof e, size};
    e.sum = sum_of(e, data);
    lg_status status = append(j, &e, j->own, j->size + (off_t)sizeof e, error);
    for (int i = 0; i < 2 && !status; i++)
        for (size_t done = 0; done < sizes[i] && !status;) {
            const ssize_t put = lseek(j->fd, j->size, SEEK_SET) == j->size
                                    ? write(j->fd, (const char *)parts[i] + done, sizes[i] - done)
                                    : -1;
            if (put <= 0)
                status = fail_file(j->own, "written", error);
            else
                done += (size_t)put, j->size += put;
        }
    return status;
}

bool lg_journal_rows_name(const lg_journal *j, int which, char *out, size_t size)
{
    return snprintf(out, size, "%s.rows-%llu-%d", j->name, (unsigned long long)j->place, which) <
           (int)size;
}
