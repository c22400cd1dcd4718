// Accumulators as bytes, for files and other machines. Little-endian words of 64 bits:
//
//   "LGMOMENT", version, type, channels, width, height, layers, number of entries,
//   entries, check sum of all before it (lg_hash).
//
// The one entry of an integer accumulator has for each channel count, sum (2 words), sum of squares
// (2 words), minimum and maximum. An entry of a float accumulator has level, x, y, layer, then for
// each channel the 16 half words of a node.
#include "measure/moments/moments_accumulator.h"

#define MAGIC         UINT64_C(0x544e454d4f4d474c) // "LGMOMENT"
#define VERSION       1
#define HEADER        8
#define INTEGER_WORDS 7
#define NODE_WORDS    8
#define KEY_WORDS     4

static void put64(uint8_t **at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        *(*at)++ = (uint8_t)(value >> (8 * i));
}

static uint64_t get64(const uint8_t **at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t) * (*at)++ << (8 * i);
    return value;
}

static size_t entry_size(const lg_moments_accumulator *a)
{
    const size_t channels = (size_t)a->channels;
    return 8 * (a->integer ? INTEGER_WORDS * channels : KEY_WORDS + NODE_WORDS * channels);
}

// ---- save ---------------------------------------------------------------------------------------

static void put_integers(uint8_t **at, const lg_integer_moments *m)
{
    put64(at, m->n);
    put64(at, (uint64_t)m->sum);
    put64(at, (uint64_t)(m->sum >> 64));
    put64(at, (uint64_t)m->squares);
    put64(at, (uint64_t)(m->squares >> 64));
    put64(at, m->min);
    put64(at, m->max);
}

static void put_entry(uint8_t **at, const lg_forest_entry *entry, int channels)
{
    put64(at, entry->key.level);
    for (int axis = 0; axis < 3; axis++)
        put64(at, entry->key.at[axis]);
    for (int c = 0; c < channels; c++) {
        uint32_t words[2 * NODE_WORDS];
        memcpy(words, &entry->nodes[c], sizeof words);
        for (int i = 0; i < NODE_WORDS; i++)
            put64(at, (uint64_t)words[2 * i + 1] << 32 | words[2 * i]);
    }
}

lg_status lg_moments_accumulator_save(const lg_moments_accumulator *a, void *data, size_t capacity,
                                      size_t *size, lg_error *error)
{
    if (!a || !size)
        return lg_fail(error, LG_ERROR_ARGUMENT, "saving needs an accumulator and a size to fill");
    const size_t entries = a->integer ? 1 : a->forest.count;
    size_t bytes;
    if (!lg_size_mul(entries, entry_size(a), &bytes) || !lg_size_add(bytes, 8 * HEADER + 8, &bytes))
        return lg_fail(error, LG_ERROR_LIMIT, "the accumulator is too large to be saved");
    if (!data) {
        *size = bytes;
        return LG_OK;
    }
    if (capacity < bytes)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is room for %zu bytes; %zu are needed",
                       capacity, bytes);
    lg_forest_entry *sorted = lg_forest_sorted(&a->forest);
    if (!sorted && a->forest.count)
        return lg_fail_memory(error, a->forest.count * sizeof *sorted, "saving");

    uint8_t *at = data;
    const uint64_t header[HEADER] = {MAGIC,
                                     VERSION,
                                     (uint64_t)a->type,
                                     (uint64_t)a->channels,
                                     (uint64_t)a->width,
                                     (uint64_t)a->height,
                                     (uint64_t)a->layers,
                                     entries};
    for (int i = 0; i < HEADER; i++)
        put64(&at, header[i]);
    for (int c = 0; a->integer && c < a->channels; c++)
        put_integers(&at, &a->integers[c].integers);
    for (size_t i = 0; !a->integer && i < entries; i++)
        put_entry(&at, &sorted[i], a->channels);
    put64(&at, lg_hash(data, bytes - 8, 0));
    lg_free(sorted);
    *size = bytes;
    return LG_OK;
}

// ---- load ---------------------------------------------------------------------------------------

static bool get_integers(const uint8_t **at, lg_type type, lg_integer_moments *m)
{
    const uint32_t limit = type == LG_U8 ? 255 : 65535;
    m->n = get64(at);
    m->sum = get64(at);
    m->sum |= (lg_u128)get64(at) << 64;
    m->squares = get64(at);
    m->squares |= (lg_u128)get64(at) << 64;
    const uint64_t min = get64(at), max = get64(at);
    m->min = (uint32_t)min;
    m->max = (uint32_t)max;
    if (m->n == 0)
        return m->sum == 0 && m->squares == 0 && min == UINT32_MAX && max == 0;
    return min <= max && max <= limit && m->sum >= (lg_u128)m->n * min &&
           m->sum <= (lg_u128)m->n * max && m->squares >= m->sum * min &&
           m->squares <= m->sum * max;
}

static bool finite_pair(float hi, float lo, float limit)
{
    return hi <= limit && hi >= -limit && lo <= limit && lo >= -limit; // false for NaN
}

static bool node_is_sound(const lg_node *n, uint64_t pixels)
{
    const uint64_t counts[] = {
        (uint64_t)n->n_hi << 32 | n->n_lo, (uint64_t)n->nan_hi << 32 | n->nan_lo,
        (uint64_t)n->pinf_hi << 32 | n->pinf_lo, (uint64_t)n->ninf_hi << 32 | n->ninf_lo};
    for (size_t i = 0; i < LG_COUNT(counts); i++) {
        if (counts[i] > pixels)
            return false;
        pixels -= counts[i];
    }
    if (n->reserved != 0 || n->k < LG_SCALE_ZERO || n->k > 127)
        return false;
    if (counts[0] == 0) {
        lg_node empty = lg_node_empty();
        return n->k == empty.k && memcmp(&n->s_hi, &empty.s_hi, 6 * sizeof(float)) == 0;
    }
    return finite_pair(n->s_hi, n->s_lo, 0x1p93f) && finite_pair(n->m2_hi, n->m2_lo, 0x1p124f) &&
           finite_pair(n->min, n->max, 0x1.fffffep127f) && n->min <= n->max;
}

static bool get_entry(const uint8_t **at, const lg_moments_accumulator *a, lg_forest_entry *entry)
{
    const uint64_t level = get64(at);
    entry->used = true;
    entry->key.level = (uint32_t)LG_MIN(level, UINT32_MAX);
    for (int axis = 0; axis < 3; axis++)
        entry->key.at[axis] = get64(at);
    for (int c = 0; c < a->channels; c++) {
        uint32_t words[2 * NODE_WORDS];
        for (int i = 0; i < NODE_WORDS; i++) {
            const uint64_t word = get64(at);
            words[2 * i] = (uint32_t)word;
            words[2 * i + 1] = (uint32_t)(word >> 32);
        }
        memcpy(&entry->nodes[c], words, sizeof words);
    }
    if (!lg_forest_contains(&a->forest, &entry->key))
        return false;
    const uint64_t pixels = lg_forest_leaves(&a->forest, &entry->key) * LG_LEAF_SAMPLES;
    for (int c = 0; c < a->channels; c++) {
        if (!node_is_sound(&entry->nodes[c], pixels))
            return false;
    }
    return true;
}

static lg_status damaged(lg_error *error, const char *what)
{
    return lg_fail(error, LG_ERROR_DATA, "these bytes are no saved accumulator: %s", what);
}

static lg_status get_entries(const uint8_t *at, uint64_t entries, lg_moments_accumulator *a,
                             lg_error *error)
{
    for (int c = 0; a->integer && c < a->channels; c++) {
        if (!get_integers(&at, a->type, &a->integers[c].integers))
            return damaged(error, "its sums contradict each other");
    }
    if (a->integer)
        return LG_OK;
    if (!lg_forest_reserve(&a->forest, (size_t)entries))
        return lg_fail_memory(error, (size_t)entries * sizeof(lg_forest_entry), "an accumulator");
    for (uint64_t i = 0; i < entries; i++) {
        lg_forest_entry entry;
        if (!get_entry(&at, a, &entry))
            return damaged(error, "a node is out of range");
        if (!lg_forest_restore(&a->forest, &entry))
            return damaged(error, "it contains the same pixels twice");
    }
    if (!lg_forest_disjoint(&a->forest))
        return damaged(error, "it contains the same pixels twice");
    return LG_OK;
}

lg_status lg_moments_accumulator_load(const void *data, size_t size, lg_moments_accumulator **out,
                                      lg_error *error)
{
    if (!data || !out)
        return lg_fail(error, LG_ERROR_ARGUMENT, "loading needs bytes and a place for the result");
    if (size < 8 * HEADER + 8)
        return damaged(error, "they are too few");
    const uint8_t *at = data;
    uint64_t header[HEADER];
    for (int i = 0; i < HEADER; i++)
        header[i] = get64(&at);
    if (header[0] != MAGIC)
        return damaged(error, "the first 8 are not LGMOMENT");
    if (header[1] != VERSION)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "the accumulator was saved in version %llu of the format; this library "
                       "reads version %d",
                       (unsigned long long)header[1], VERSION);
    const uint8_t *end = (const uint8_t *)data + size - 8;
    if (get64(&end) != lg_hash(data, size - 8, 0))
        return damaged(error, "the check sum is wrong");
    if (header[2] >= LG_TYPES || header[3] < 1 || header[3] > LG_MAX_CHANNELS ||
        header[4] > INT64_MAX || header[5] > INT64_MAX || header[6] > INT64_MAX)
        return damaged(error, "the header is out of range");
    lg_moments_accumulator *a = NULL;
    lg_status status =
        lg_moments_accumulator_create((lg_type)header[2], (int)header[3], (int64_t)header[4],
                                      (int64_t)header[5], (int64_t)header[6], &a, error);
    if (status != LG_OK)
        return status;
    const size_t body = size - 8 * HEADER - 8;
    if (header[7] != body / entry_size(a) || body % entry_size(a) || (a->integer && header[7] != 1))
        status = damaged(error, "their number does not fit the header");
    if (status == LG_OK)
        status = get_entries(at, header[7], a, error);
    if (status == LG_OK)
        *out = a;
    else
        lg_moments_accumulator_destroy(&a);
    return status;
}
