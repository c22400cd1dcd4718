// Source: RFC 7693, The BLAKE2 Cryptographic Hash.
#include "core/digest.h"

#include <string.h>

enum { BLOCK = 128, ROUNDS = 12 };

static const uint64_t initial[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

static const uint8_t order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint64_t load(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static uint64_t rotate(uint64_t value, int bits)
{
    return value >> bits | value << (64 - bits);
}

static void mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = rotate(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotate(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 63);
}

// `total`: bytes up to and with this block.
static void compress(uint64_t state[8], const uint8_t block[BLOCK], uint64_t total, int last)
{
    uint64_t v[16], words[16];
    for (int i = 0; i < 16; i++)
        words[i] = load(block + 8 * i);
    for (int i = 0; i < 8; i++) {
        v[i] = state[i];
        v[i + 8] = initial[i];
    }
    v[12] ^= total;
    if (last)
        v[14] = ~v[14];
    for (int round = 0; round < ROUNDS; round++) {
        const uint8_t *s = order[round % 10];
        for (int i = 0; i < 4; i++)
            mix(v, i, 4 + i, 8 + i, 12 + i, words[s[2 * i]], words[s[2 * i + 1]]);
        for (int i = 0; i < 4; i++)
            mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, words[s[8 + 2 * i]],
                words[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; i++)
        state[i] ^= v[i] ^ v[i + 8];
}

void lg_digest(const void *data, size_t size, uint8_t out[LG_DIGEST_SIZE])
{
    const uint8_t *bytes = data;
    uint64_t state[8];
    memcpy(state, initial, sizeof state);
    state[0] ^= 0x01010000u ^ LG_DIGEST_SIZE;
    size_t done = 0;
    for (; size - done > BLOCK; done += BLOCK)
        compress(state, bytes + done, done + BLOCK, 0);
    uint8_t tail[BLOCK] = {0};
    if (size > done)
        memcpy(tail, bytes + done, size - done);
    compress(state, tail, size, 1);
    for (int i = 0; i < LG_DIGEST_SIZE; i++)
        out[i] = (uint8_t)(state[i / 8] >> (8 * (i % 8)));
}
