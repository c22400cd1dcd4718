// Watches, in tests, that a barrier lies between a command that writes memory and whatever else
// touches the same bytes. Neither a device that runs commands in order nor the validation layers,
// which do not follow addresses, would tell. LUMAGRAPH_VK_BARRIERS=1 turns it on.
#include "vulkan/vk_private.h"

#include <stdio.h>
#include <string.h>

typedef enum access { READS, WRITES, ADDS } access;

enum { MOST_AGAIN = 32, MOST_ORIGINS = 16 };

typedef struct use {
    access access;
    uint64_t from, to; // addresses
    const lg_vk_buffer *buffer;
    const char *command;
} use;

// uses: of commands since the last barrier, then of the command to come.
struct lg_vk_hazards {
    use *uses;
    size_t open, count, room;
    use last[MOST_AGAIN]; // of the last command
    size_t last_count;
    uint64_t origins[MOST_ORIGINS]; // of the command to come
    size_t origin_count;
    bool apart; // a barrier parts the commands from whatever was submitted before
    char message[320];
};

// Without memory for what was named nothing is known.
static void report(lg_vk_commands *c, const char *message)
{
    if (!c->misuse && !c->trouble) {
        c->misuse = message;
        lg_log(&c->vk->log, LG_LOG_WARN, "device commands: %s", message);
    }
}

// ---- life ---------------------------------------------------------------------------------------

bool lg_vk_hazards_create(lg_vk_commands *c)
{
    if (c->vk->barriers)
        c->hazards = lg_alloc(sizeof *c->hazards);
    return !c->vk->barriers || c->hazards;
}

void lg_vk_hazards_destroy(lg_vk_commands *c)
{
    if (c->hazards)
        lg_free(c->hazards->uses);
    lg_free(c->hazards);
}

void lg_vk_hazards_begin(lg_vk_commands *c)
{
    if (c->hazards) {
        c->hazards->open = c->hazards->count = c->hazards->origin_count = 0;
        c->hazards->apart = false;
    }
}

// ---- what a command touches ---------------------------------------------------------------------

static const lg_vk_buffer *buffer_at(const lg_vk *vk, uint64_t address)
{
    for (const lg_vk_buffer *b = vk->live; b; b = b->priv->older)
        if (address >= b->address && address - b->address < b->size)
            return b;
    return NULL;
}

static void add(lg_vk_commands *c, access kind, uint64_t address, uint64_t size)
{
    struct lg_vk_hazards *h = c->hazards;
    if (!h || !c->recording || !address)
        return;
    const lg_vk_buffer *b = buffer_at(c->vk, address);
    if (!b || size > b->address + b->size - address) {
        report(c, b ? "a command is to use memory behind the end of its buffer"
                    : "a command is to use memory of no buffer");
        return;
    }
    if (h->count == h->room) {
        const size_t room = 2 * h->room + 64;
        use *more = lg_alloc_array(room, sizeof *more);
        if (!more) {
            c->trouble = VK_ERROR_OUT_OF_HOST_MEMORY;
            return;
        }
        if (h->count)
            memcpy(more, h->uses, h->count * sizeof *more);
        lg_free(h->uses);
        h->uses = more;
        h->room = room;
    }
    const uint64_t to = size ? address + size : b->address + b->size;
    h->uses[h->count++] = (use){kind, address, to, b, NULL};
}

void lg_vk_reads(lg_vk_commands *c, uint64_t address, uint64_t size)
{
    add(c, READS, address, size);
}

void lg_vk_writes(lg_vk_commands *c, uint64_t address, uint64_t size)
{
    add(c, WRITES, address, size);
}

void lg_vk_adds(lg_vk_commands *c, uint64_t address, uint64_t size)
{
    add(c, ADDS, address, size);
}

void lg_vk_origin(lg_vk_commands *c, uint64_t address)
{
    struct lg_vk_hazards *h = c->hazards;
    if (h && h->origin_count < MOST_ORIGINS)
        h->origins[h->origin_count++] = address;
}

void lg_vk_uses_again(lg_vk_commands *c)
{
    struct lg_vk_hazards *h = c->hazards;
    for (size_t i = 0; h && i < h->last_count; i++)
        add(c, h->last[i].access, h->last[i].from, h->last[i].to - h->last[i].from);
}

// ---- commands -----------------------------------------------------------------------------------

static bool touch(const use *a, const use *b)
{
    return a->from < b->to && b->from < a->to && !(a->access == READS && b->access == READS) &&
           !(a->access == ADDS && b->access == ADDS);
}

static void report_pair(lg_vk_commands *c, const use *before, const use *after)
{
    static const char *const does[] = {"reads", "writes", "adds to"};
    struct lg_vk_hazards *h = c->hazards;
    if (c->misuse) // the first one stays
        return;
    const uint64_t from = LG_MAX(before->from, after->from), to = LG_MIN(before->to, after->to);
    snprintf(h->message, sizeof h->message,
             "no barrier lies between %s, which %s, and %s, which %s bytes %llu to %llu of a "
             "buffer of %zu bytes",
             before->command, does[before->access], after->command, does[after->access],
             (unsigned long long)(from - before->buffer->address),
             (unsigned long long)(to - before->buffer->address), before->buffer->size);
    report(c, h->message);
}

void lg_vk_hazards_command(lg_vk_commands *c, const char *name)
{
    struct lg_vk_hazards *h = c->hazards;
    if (!h)
        return;
    if (!h->apart)
        report(c, "no barrier lies between the first command and those submitted before");
    for (size_t i = h->open; i < h->count; i++) {
        h->uses[i].command = name;
        for (size_t k = 0; k < h->open; k++)
            if (touch(&h->uses[k], &h->uses[i]))
                report_pair(c, &h->uses[k], &h->uses[i]);
    }
    h->last_count = LG_MIN(h->count - h->open, LG_COUNT(h->last));
    if (h->last_count)
        memcpy(h->last, h->uses + h->open, h->last_count * sizeof *h->last);
    h->open = h->count;
    h->origin_count = 0;
}

static bool is_named(const struct lg_vk_hazards *h, uint64_t address)
{
    for (size_t i = h->open; i < h->count; i++)
        if (address >= h->uses[i].from && address < h->uses[i].to)
            return true;
    for (size_t i = 0; i < h->origin_count; i++)
        if (address == h->origins[i])
            return true;
    return false;
}

// Two counts side by side look like an address where a device has low ones; drivers in software have those of
// the host, which are far above.
#define LOWEST_ADDRESS ((uint64_t)1 << 40)

void lg_vk_hazards_push(lg_vk_commands *c, const char *name, const void *push, uint32_t size)
{
    struct lg_vk_hazards *h = c->hazards;
    for (uint32_t at = 0; h && !c->misuse && at + 8 <= size; at += 4) {
        uint64_t address;
        memcpy(&address, (const char *)push + at, sizeof address);
        const lg_vk_buffer *b = address < LOWEST_ADDRESS ? NULL : buffer_at(c->vk, address);
        if (!b || is_named(h, address))
            continue;
        snprintf(h->message, sizeof h->message,
                 "%s gets an address at byte %u of its push constants, into a buffer of %zu "
                 "bytes, and nobody said what it does there: lg_vk_reads, lg_vk_writes, lg_vk_adds",
                 name, at, b->size);
        report(c, h->message);
    }
}

void lg_vk_hazards_forget(lg_vk_commands *c)
{
    if (c->hazards)
        c->hazards->count = c->hazards->open;
}

void lg_vk_hazards_barrier(lg_vk_commands *c)
{
    struct lg_vk_hazards *h = c->hazards;
    if (!h)
        return;
    if (h->count > h->open)
        report(c, "memory is named that no command uses before the barrier");
    h->open = h->count = 0;
    h->apart = true;
}

void lg_vk_hazards_end(lg_vk_commands *c)
{
    if (c->hazards && c->hazards->count)
        report(c, "no barrier lies between the last commands and the host");
}
