// Sorted records while memory and scratch files fail: every call fails once. Then there is an error, or all
// records in order; nothing leaks, and no file is left behind.
#include "check.h"
#include "core/sorted_file.h"
#include "faults.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct record {
    uint64_t number, twice;
} record;

typedef struct sizes {
    const char *name;
    uint64_t records;
    size_t memory;
    bool late; // most records belong in front of others that are written
} sizes;

static const sizes cases[] = {
    {"in memory", 60, 1, false},
    {"one file", 400, 1, false},
    {"two files", 400, 4000, true},
    {"runs that are merged", 300, 1, true},
};

static char folder[] = "/tmp/lumagraph-faults-sorted-XXXXXX";

static int files_left(void)
{
    int count = 0;
    DIR *here = opendir(folder);
    for (struct dirent *e; here && (e = readdir(here));)
        count += e->d_name[0] != '.';
    if (here)
        closedir(here);
    return count;
}

// All records from the first on.
static lg_status read_all(lg_sorted_file *f, uint64_t records, bool *right, lg_error *error)
{
    record got[7];
    size_t count = 1;
    uint64_t seen = 0;
    lg_status status = lg_sorted_file_rewind(f, error);
    while (!status && count) {
        status = lg_sorted_file_next(f, got, LG_COUNT(got), &count, error);
        for (size_t i = 0; i < count && !status; i++, seen++)
            *right = *right && got[i].number == seen && got[i].twice == 2 * seen;
    }
    *right = *right && (status || seen == records);
    return status;
}

// What is written in `turns` is read as often; the turn that failed comes back, or -1.
static lg_status use(const sizes *c, int turns, int *failed, bool *right, lg_error *error)
{
    lg_sorted_file *f = NULL;
    lg_status status = lg_sorted_file_create(folder, sizeof(record), c->memory, &f, error);
    *failed = -1;
    *right = true;
    for (uint64_t i = 0; i < c->records && !status; i++) {
        const uint64_t number = c->late && i ? c->records - i : c->late ? 0 : i;
        const record r = {number, 2 * number};
        status = lg_sorted_file_add(f, &r, error);
    }
    for (int turn = 0; turn < turns && !status; turn++) {
        status = read_all(f, c->records, right, error);
        *failed = status ? turn : -1;
    }
    lg_sorted_file_destroy(&f);
    return status;
}

static void count_down(const sizes *c, faults_kind kind, lg_status wanted, const char *word)
{
    enum { TURNS = 3 };
    lg_error error = {LG_OK, ""};
    int turn, at_turn[TURNS] = {0};
    bool right;
    faults_arm(kind, -1);
    CHECK(!use(c, TURNS, &turn, &right, &error) && right, "%s: %s", c->name, error.message);
    const int64_t calls = faults_calls(kind);
    for (int64_t at = 0; at < calls; at++) {
        const int64_t before = faults_live();
        snprintf(error.message, sizeof error.message, "no message");
        faults_arm(kind, at);
        const lg_status status = use(c, TURNS, &turn, &right, &error);
        const bool fired = faults_disarm();
        CHECK(fired && status == wanted && strstr(error.message, word),
              "%s: call %d of kind %d: status %d, %s", c->name, (int)at, (int)kind, (int)status,
              error.message);
        CHECK(right, "%s: call %d of kind %d: other records", c->name, (int)at, (int)kind);
        CHECK(faults_live() == before && files_left() == 0,
              "%s: call %d of kind %d: %d blocks, %d files", c->name, (int)at, (int)kind,
              (int)(faults_live() - before), files_left());
        if (turn >= 0)
            at_turn[turn]++;
    }
    for (int i = 0; i < TURNS && kind == FAULTS_SCRATCH && calls; i++)
        CHECK(at_turn[i] > 0, "%s: no call of turn %d failed", c->name, i);
    CHECK((calls > 0) == (kind == FAULTS_MEMORY || c != cases), "%s: %d calls of kind %d", c->name,
          (int)calls, (int)kind);
}

int main(void)
{
    if (!mkdtemp(folder)) {
        CHECK(false, "%s", folder);
        return check_finish("faults_sorted");
    }
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        count_down(&cases[i], FAULTS_MEMORY, LG_ERROR_MEMORY, "memory");
        count_down(&cases[i], FAULTS_SCRATCH, LG_ERROR_IO, folder);
    }
    CHECK(rmdir(folder) == 0, "%s", folder);
    return check_finish("faults_sorted");
}
