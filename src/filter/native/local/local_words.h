// Sums of samples in words of one size, for local_cpu.c. Defined before: WORD, SIGNED, NAME(x) and
// words as floats: NAME(real_sum), of words with a sign NAME(signed_real), without one NAME(unsigned_real).

static void NAME(move)(size_t count, const int32_t *restrict come, const int32_t *restrict go,
                       WORD *restrict sums, WORD *restrict squares)
{
    if (!squares && go)
        for (size_t i = 0; i < count; i++)
            sums[i] += (WORD)(SIGNED)come[i] - (WORD)(SIGNED)go[i];
    else if (!squares)
        for (size_t i = 0; i < count; i++)
            sums[i] += (WORD)(SIGNED)come[i];
    else if (go)
        for (size_t i = 0; i < count; i++) {
            const WORD a = (WORD)(SIGNED)come[i], b = (WORD)(SIGNED)go[i];
            sums[i] += a - b;
            squares[i] += a * a - b * b;
        }
    else
        for (size_t i = 0; i < count; i++) {
            const WORD a = (WORD)(SIGNED)come[i];
            sums[i] += a;
            squares[i] += a * a;
        }
}

// Subtracts a row without adding one.
static void NAME(leave)(size_t count, const int32_t *restrict go, WORD *restrict sums,
                        WORD *restrict squares)
{
    for (size_t i = 0; i < count; i++)
        sums[i] -= (WORD)(SIGNED)go[i];
    for (size_t i = 0; squares && i < count; i++)
        squares[i] -= (WORD)(SIGNED)go[i] * (WORD)(SIGNED)go[i];
}

// The sums of the windows of `count` pixels from column x on.
static void NAME(differences)(const lg_local_row *r, const WORD *sums, int32_t x, int32_t count,
                              WORD *restrict to)
{
    const int32_t channels = r->local->channels, radius = r->local->radius_x, width = r->in.width;
    int32_t i = 0;
    while (i < count) {
        const int32_t at = x + i, left = LG_MAX(at - radius, 0),
                      right = LG_MIN(at + radius, width - 1) + 1;
        // Windows that are not clipped are adjacent.
        const int32_t whole = at < radius ? 0 : LG_MIN(count - i, width - radius - at);
        const int32_t pixels = LG_MAX(whole, 1);
        const WORD *restrict a = sums + (size_t)right * (size_t)channels;
        const WORD *restrict b = sums + (size_t)left * (size_t)channels;
        for (int32_t k = 0; k < pixels * channels; k++)
            to[i * channels + k] = a[k] - b[k];
        i += pixels;
    }
}

static void NAME(means)(int32_t count, const WORD *restrict sums, const float *restrict inverse,
                        float unit, float *restrict out)
{
    for (int32_t i = 0; i < count; i++)
        out[i] = local_mean(NAME(real_sum)(sums[i]), inverse[i], unit);
}

static void NAME(deviations)(int32_t count, const WORD *restrict sums, const WORD *restrict squares,
                             const uint32_t *restrict pixels, const float *restrict inverse,
                             int32_t *restrict middle, float *restrict rest,
                             float *restrict deviation)
{
    for (int32_t i = 0; i < count; i++) {
        const WORD n = pixels[i];
        int32_t m = local_middle(NAME(real_sum)(sums[i]), inverse[i]);
        WORD left = sums[i] - (WORD)(SIGNED)m * n;
        const int32_t more = local_middle(NAME(signed_real)(left), inverse[i]);
        m += more;
        left -= (WORD)(SIGNED)more * n;
        const WORD moment = squares[i] - (WORD)(SIGNED)m * (sums[i] + left);
        const float r = NAME(signed_real)(left);
        middle[i] = m;
        rest[i] = r * inverse[i];
        deviation[i] = local_deviation(NAME(unsigned_real)(moment), r, inverse[i]);
    }
}

INLINE void NAME(corners_of)(const int channels, const lg_local_sums *table, int32_t count,
                             const lg_local_boxes *boxes, WORD *restrict to)
{
    for (int32_t i = 0; i < count; i++) {
        const char *top = table->data + (size_t)(boxes->top[i] - table->first) * table->stride;
        const char *bottom =
            table->data + (size_t)(boxes->bottom[i] - table->first) * table->stride;
        const WORD *restrict t = (const WORD *)(const void *)top;
        const WORD *restrict u = (const WORD *)(const void *)bottom;
        const size_t left = (size_t)boxes->left[i] * (size_t)channels,
                     right = (size_t)boxes->right[i] * (size_t)channels;
        for (int c = 0; c < channels; c++)
            to[i * channels + c] = (u[right + (size_t)c] - u[left + (size_t)c]) -
                                   (t[right + (size_t)c] - t[left + (size_t)c]);
    }
}

static void NAME(corners)(int channels, const lg_local_sums *table, int32_t count,
                          const lg_local_boxes *boxes, WORD *to)
{
    if (channels == 1)
        NAME(corners_of)(1, table, count, boxes, to);
    else if (channels == 2)
        NAME(corners_of)(2, table, count, boxes, to);
    else
        NAME(corners_of)(4, table, count, boxes, to);
}
