// Sliding histograms of bytes. Included twice, with COLUMN and SUM, the types of the counts of a column
// and of a window; NAME(x), the names of what stands here; and of those names columns16 and sums16, vectors
// of 16 counts, NAME(widen) from one to the other, and NAME(bins_up_to).

// Columns of `width` windows. What stands at [16 c + i] and [256 c + 16 b + i] counts samples of column c:
// those with a high half up to i; those with the high half b and a low half up to i.
typedef struct NAME(windows) {
    int32_t radius, width;
    COLUMN *coarse, *fine;
} NAME(windows);

static size_t NAME(lay_out)(NAME(windows) * w, int32_t radius, int32_t width, char *memory)
{
    const size_t columns = (size_t)width + 2 * (size_t)radius;
    w->radius = radius;
    w->width = width;
    w->coarse = place_at(memory, 0);
    w->fine = place_at(memory, 16 * columns * sizeof(COLUMN));
    return lg_align_up(272 * columns * sizeof(COLUMN), 64);
}

static void NAME(clear)(const NAME(windows) * w)
{
    memset(w->coarse, 0, 272 * ((size_t)w->width + 2 * (size_t)w->radius) * sizeof(COLUMN));
}

// Row `half` has ones from place `half` on.
static const COLUMN NAME(ones)[16][16] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1},
                                          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

#define AT(type, p) (*(type *)(void *)(p))

static ALWAYS void NAME(move_column)(COLUMN *coarse, COLUMN *fine, unsigned come, unsigned gone,
                                     bool more)
{
    NAME(columns16) c = AT(NAME(columns16), coarse);
    c += AT(const NAME(columns16), NAME(ones)[come >> 4]);
    if (more)
        c -= AT(const NAME(columns16), NAME(ones)[gone >> 4]);
    AT(NAME(columns16), coarse) = c;
    AT(NAME(columns16), fine + (come & 0xf0)) += AT(const NAME(columns16), NAME(ones)[come & 15]);
    if (more)
        AT(NAME(columns16), fine + (gone & 0xf0)) -=
            AT(const NAME(columns16), NAME(ones)[gone & 15]);
}

static void NAME(add_line)(const NAME(windows) * w, const uint8_t *come)
{
    for (int64_t c = 0; c < (int64_t)w->width + 2 * (int64_t)w->radius; c++)
        NAME(move_column)(w->coarse + 16 * c, w->fine + 256 * c, come[c], 0, false);
}

// The fine counts of a window for one coarse bin: of the window at `at`, which may be one of
// before.
typedef struct NAME(bin) {
    int64_t at;
    SUM count[16];
} NAME(bin);

static ALWAYS void NAME(bring)(const COLUMN *fine, int64_t side, NAME(bin) * b, int64_t x)
{
    NAME(sums16) sum;
    if (2 * (x - b->at) >= side) {
        sum = NAME(widen)(fine + 256 * x);
        for (int64_t c = x + 1; c < x + side; c++)
            sum += NAME(widen)(fine + 256 * c);
    } else {
        sum = AT(NAME(sums16), b->count);
        for (int64_t c = b->at; c < x; c++)
            sum += NAME(widen)(fine + 256 * (c + side)) - NAME(widen)(fine + 256 * c);
    }
    AT(NAME(sums16), b->count) = sum;
}

// Takes columns c .. end - 1 to the next row.
static ALWAYS void NAME(move_columns)(const NAME(windows) * w, int64_t c, int64_t end,
                                      const uint8_t *gone, const uint8_t *come, bool more)
{
    COLUMN *coarse = w->coarse, *fine = w->fine;
    for (; c < end; c++)
        NAME(move_column)(coarse + 16 * c, fine + 256 * c, come[c], more ? gone[c] : 0, more);
}

// A row of windows: the byte whose count first exceeds `rank`, and in `rest`, unless that is NULL, how many
// samples of that byte come before. `gone` is the row above the windows, unless none of it is counted;
// `come` the lowest one. Each step is made for a block of windows, so that it does not wait for the one
// before.
static ALWAYS void NAME(slide)(const NAME(windows) * w, const uint8_t *gone, const uint8_t *come,
                               bool more, uint32_t rank, uint8_t *to, uint32_t *rest)
{
    enum { BLOCK = 64 };
    const int64_t side = 2 * (int64_t)w->radius + 1;
    NAME(bin) bins[16];
    SUM count[17] = {0}, left[BLOCK];
    uint8_t high[BLOCK];
    NAME(sums16) sum = {0};
    for (int b = 0; b < 16; b++)
        bins[b].at = -side;
    NAME(move_columns)(w, 0, side - 1, gone, come, more);
    for (int64_t c = 0; c < side - 1; c++)
        sum += NAME(widen)(w->coarse + 16 * c);
    for (int64_t first = 0; first < w->width; first += BLOCK) {
        const int n = (int)LG_MIN(BLOCK, w->width - first);
        NAME(move_columns)(w, first + side - 1, first + side - 1 + n, gone, come, more);
        const COLUMN *coarse = w->coarse + 16 * first, *fine = w->fine;
        for (int i = 0; i < n; i++, coarse += 16) {
            sum += NAME(widen)(coarse + 16 * (side - 1));
            AT(NAME(sums16), count + 1) = sum;
            high[i] = (uint8_t)NAME(bins_up_to)(&sum, rank);
            left[i] = (SUM)(rank - count[high[i]]);
            sum -= NAME(widen)(coarse);
        }
        for (int i = 0; i < n;) { // windows with one high half after the other
            const unsigned h = high[i];
            const COLUMN *in_bin = fine + 16 * (size_t)h + 256 * (size_t)first;
            NAME(bring)(fine + 16 * (size_t)h, side, &bins[h], first + i);
            NAME(sums16) counts = AT(NAME(sums16), bins[h].count);
            for (;;) {
                const unsigned low = NAME(bins_up_to)(&counts, left[i]);
                to[first + i] = (uint8_t)(h << 4 | low);
                if (rest) {
                    AT(NAME(sums16), count + 1) = counts;
                    rest[first + i] = (uint32_t)left[i] - count[low];
                }
                if (++i == n || high[i] != h)
                    break;
                counts += NAME(widen)(in_bin + 256 * (i - 1 + side)) -
                          NAME(widen)(in_bin + 256 * (i - 1));
            }
            AT(NAME(sums16), bins[h].count) = counts;
            bins[h].at = first + i - 1;
        }
    }
}

// The same for rows of a strip: `gone` is NULL for the first one alone.
static void NAME(slide_bytes)(const NAME(windows) * w, const uint8_t *gone, const uint8_t *come,
                              uint32_t rank, uint8_t *to)
{
    if (gone)
        NAME(slide)(w, gone, come, true, rank, to, NULL);
    else
        NAME(slide)(w, NULL, come, false, rank, to, NULL);
}

static void NAME(slide_buckets)(const NAME(windows) * w, const uint8_t *gone, const uint8_t *come,
                                uint32_t rank, uint8_t *to, uint32_t *rest)
{
    if (gone)
        NAME(slide)(w, gone, come, true, rank, to, rest);
    else
        NAME(slide)(w, NULL, come, false, rank, to, rest);
}

#undef AT
