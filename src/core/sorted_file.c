#include "core/sorted_file.h"

#include "core/scratch.h"

#include <stdlib.h>
#include <string.h>

enum { FAN = 64 }; // sorted runs that are merged at a time

// Records of one file that are in order; ahead[0 .. count) are those behind `next` that were read.
typedef struct run {
    int64_t next, end; // bytes
    uint8_t *ahead;
    size_t at, count, room;
} run;

// Records that wait for a file.
typedef struct pile {
    uint8_t *records;
    size_t count, room;
} pile;

typedef struct scratch {
    lg_scratch file;
    int64_t end;
} scratch;

struct lg_sorted_file {
    char *folder;
    size_t record;
    pile early, late;   // late ones belong in front of what is in the main file
    scratch main, side; // one sorted run, and one for each pile of late ones
    uint64_t last;      // of the main file
    run *runs;          // of the side file, the oldest first
    size_t first_run, run_count, run_room;
    bool reading; // nothing is added any more
    run main_run;
    size_t *order; // a heap of runs by their next records: 0 is the main one
    size_t open;
};

static uint64_t number_of(const uint8_t *record)
{
    uint64_t number;
    memcpy(&number, record, sizeof number);
    return number;
}

// ---- files ----------------------------------------------------------------------------------------

static lg_status append(const lg_sorted_file *f, scratch *s, const uint8_t *records, size_t count,
                        lg_error *error)
{
    const size_t bytes = count * f->record;
    const lg_status status = lg_scratch_write(&s->file, s->end, records, bytes, error);
    s->end += status ? 0 : (int64_t)bytes;
    return status;
}

// ---- writing --------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    const uint64_t x = number_of(a), y = number_of(b);
    return x < y ? -1 : x > y;
}

static void sort_pile(const lg_sorted_file *f, pile *p)
{
    for (size_t i = 1; i < p->count; i++)
        if (by_number(p->records + (i - 1) * f->record, p->records + i * f->record) > 0) {
            qsort(p->records, p->count, f->record, by_number);
            return;
        }
}

static lg_status add_run(lg_sorted_file *f, int64_t first, lg_error *error)
{
    if (f->run_count == f->run_room) {
        const size_t room = 2 * f->run_room + FAN;
        run *more = lg_alloc_array(room, sizeof *more);
        if (!more)
            return lg_fail_memory(error, room * sizeof *more, "sorted runs");
        if (f->run_count)
            memcpy(more, f->runs, f->run_count * sizeof *more);
        lg_free(f->runs);
        f->runs = more;
        f->run_room = room;
    }
    f->runs[f->run_count++] = (run){.next = first, .end = f->side.end};
    return LG_OK;
}

static lg_status write_late(lg_sorted_file *f, lg_error *error)
{
    const int64_t first = f->side.end;
    sort_pile(f, &f->late);
    lg_status status = append(f, &f->side, f->late.records, f->late.count, error);
    if (!status && f->late.count)
        status = add_run(f, first, error);
    f->late.count = 0;
    return status;
}

static lg_status write_early(lg_sorted_file *f, lg_error *error)
{
    size_t late = 0;
    lg_status status = LG_OK;
    sort_pile(f, &f->early);
    while (late < f->early.count && f->main.end &&
           number_of(f->early.records + late * f->record) < f->last)
        late++;
    for (size_t i = 0; i < late && !status; i++) {
        if (f->late.count == f->late.room)
            status = write_late(f, error);
        memcpy(f->late.records + f->late.count++ * f->record, f->early.records + i * f->record,
               f->record);
    }
    if (!status && late < f->early.count) {
        f->last = number_of(f->early.records + (f->early.count - 1) * f->record);
        status =
            append(f, &f->main, f->early.records + late * f->record, f->early.count - late, error);
    }
    f->early.count = 0;
    return status;
}

lg_status lg_sorted_file_add(lg_sorted_file *f, const void *record, lg_error *error)
{
    lg_status status = LG_OK;
    if (f->early.count == f->early.room)
        status = write_early(f, error);
    if (status)
        return status;
    memcpy(f->early.records + f->early.count++ * f->record, record, f->record);
    return LG_OK;
}

// ---- reading --------------------------------------------------------------------------------------

static const uint8_t *head_of(const lg_sorted_file *f, const run *r)
{
    return r->ahead + r->at * f->record;
}

static lg_status fill(const lg_sorted_file *f, const scratch *s, run *r, lg_error *error)
{
    const size_t left = (size_t)((r->end - r->next) / (int64_t)f->record);
    const size_t count = LG_MIN(left, r->room);
    r->at = 0;
    r->count = count;
    const lg_status status = lg_scratch_read(&s->file, r->next, r->ahead, count * f->record, error);
    if (status)
        return status;
    r->next += (int64_t)(count * f->record);
    return LG_OK;
}

static run *run_at(lg_sorted_file *f, size_t i)
{
    return i ? &f->runs[f->first_run + i - 1] : &f->main_run;
}

static uint64_t next_number(lg_sorted_file *f, size_t i)
{
    return number_of(head_of(f, run_at(f, i)));
}

// The heap below entry i is in order but for i.
static void sink(lg_sorted_file *f, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < f->open; child++)
            if (next_number(f, f->order[child]) < next_number(f, f->order[least]))
                least = child;
        if (least == i)
            return;
        const size_t other = f->order[i];
        f->order[i] = f->order[least];
        f->order[least] = other;
        i = least;
    }
}

// Runs first .. end of main (0) and side (1 and on), from their first records.
static lg_status open_runs(lg_sorted_file *f, size_t first, size_t end, lg_error *error)
{
    const size_t room = f->early.room / (end - first);
    f->open = 0;
    for (size_t i = first; i < end; i++) {
        run *r = run_at(f, i);
        r->ahead = f->early.records + (i - first) * room * f->record;
        r->room = room;
        const lg_status status = fill(f, i ? &f->side : &f->main, r, error);
        if (status)
            return status;
        if (r->count)
            f->order[f->open++] = i;
    }
    for (size_t i = f->open; i-- > 0;)
        sink(f, i);
    return LG_OK;
}

lg_status lg_sorted_file_next(lg_sorted_file *f, void *records, size_t room, size_t *count,
                              lg_error *error)
{
    uint8_t *to = records;
    for (*count = 0; *count < room && f->open; ++*count) {
        const size_t i = f->order[0];
        run *r = run_at(f, i);
        memcpy(to + *count * f->record, head_of(f, r), f->record);
        if (++r->at == r->count) {
            const lg_status status = fill(f, i ? &f->side : &f->main, r, error);
            if (status)
                return status;
            if (!r->count)
                f->order[0] = f->order[--f->open];
        }
        sink(f, 0);
    }
    return LG_OK;
}

// The oldest runs become one behind the others.
static lg_status merge_runs(lg_sorted_file *f, lg_error *error)
{
    const int64_t first = f->side.end;
    lg_status status = open_runs(f, 1, 1 + FAN, error);
    size_t count = 1;
    while (!status && count) {
        status = lg_sorted_file_next(f, f->late.records, f->late.room, &count, error);
        if (!status)
            status = append(f, &f->side, f->late.records, count, error);
    }
    if (status)
        return status;
    f->first_run += FAN;
    return add_run(f, first, error);
}

// Everything to the files, unless all of it is in memory.
static lg_status end_writing(lg_sorted_file *f, lg_error *error)
{
    lg_status status = LG_OK;
    if (f->main.end) {
        status = write_early(f, error);
        if (!status)
            status = write_late(f, error);
    } else
        sort_pile(f, &f->early);
    while (!status && f->run_count - f->first_run > FAN)
        status = merge_runs(f, error);
    f->reading = !status;
    return status;
}

lg_status lg_sorted_file_rewind(lg_sorted_file *f, lg_error *error)
{
    const lg_status status = f->reading ? LG_OK : end_writing(f, error);
    if (status)
        return status;
    if (!f->main.end) { // as one run that was read
        f->main_run = (run){.ahead = f->early.records, .count = f->early.count};
        f->open = f->early.count > 0;
        f->order[0] = 0;
        return LG_OK;
    }
    for (size_t i = f->first_run; i < f->run_count; i++)
        f->runs[i].next = i ? f->runs[i - 1].end : 0;
    f->main_run = (run){.end = f->main.end};
    return open_runs(f, 0, f->run_count - f->first_run + 1, error);
}

// ---- life -----------------------------------------------------------------------------------------

lg_status lg_sorted_file_create(const char *folder, size_t record, size_t memory,
                                lg_sorted_file **out, lg_error *error)
{
    lg_sorted_file *f = lg_alloc(sizeof *f);
    if (!f)
        return lg_fail_memory(error, sizeof *f, "sorted records");
    f->record = record;
    f->early.room = LG_MAX(memory / 4 * 3 / record, (size_t)(FAN + 1));
    f->late.room = LG_MAX(memory / 4 / record, (size_t)1);
    f->folder = lg_strdup(folder);
    f->main.file.folder = f->side.file.folder = f->folder;
    f->early.records = lg_alloc_uninit(f->early.room * record);
    f->late.records = lg_alloc_uninit(f->late.room * record);
    f->order = lg_alloc_array(FAN + 1, sizeof *f->order);
    if (!f->folder || !f->early.records || !f->late.records || !f->order) {
        lg_sorted_file_destroy(&f);
        return lg_fail_memory(error, memory, "sorted records");
    }
    *out = f;
    return LG_OK;
}

void lg_sorted_file_destroy(lg_sorted_file **file)
{
    if (!file || !*file)
        return;
    lg_sorted_file *f = *file;
    lg_scratch_close(&f->main.file);
    lg_scratch_close(&f->side.file);
    lg_free(f->folder);
    lg_free(f->early.records);
    lg_free(f->late.records);
    lg_free(f->runs);
    lg_free(f->order);
    lg_free(f);
    *file = NULL;
}
