// The Euler numbers of labels in a volume, as scikit-image has them: voxels are closed cubes, which are
// connected where they share a corner (26 neighbours).
#include "py_core.h"

#include <stdlib.h>

enum { EARLIER = 13, STATES = 1 << EARLIER };

// The neighbours that come before a voxel in the order of the samples; place k has the offset
// (k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1).
static int place_of(int x, int y, int z)
{
    return (z + 1) * 9 + (y + 1) * 3 + x + 1;
}

// A corner, edge or face of the cube lies towards (x, y, z); 0 along an axis where it extends. It is new
// when no earlier voxel that shares it has the label.
static bool is_new(int state, int x, int y, int z)
{
    for (int dz = 0; dz <= (z != 0); dz++)
        for (int dy = 0; dy <= (y != 0); dy++)
            for (int dx = 0; dx <= (x != 0); dx++) {
                const int place = place_of(dx * x, dy * y, dz * z);
                if (place < EARLIER && state >> place & 1)
                    return false;
            }
    return true;
}

// What a voxel adds: new corners - new edges + new faces - 1.
static int change_of(int state)
{
    int change = -1;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                const int axes = (x != 0) + (y != 0) + (z != 0);
                if (axes && is_new(state, x, y, z))
                    change += axes == 2 ? -1 : 1;
            }
    return change;
}

// Bits of the earlier neighbours with the same label.
static int state_at(const lg_labels *l, const uint32_t *row, int x, int y, int z, uint32_t label)
{
    int state = 0;
    for (int k = 0; k < EARLIER; k++) {
        const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
        if (x + dx < 0 || x + dx >= l->width || y + dy < 0 || y + dy >= l->height || z + dz < 0)
            continue;
        const char *at = (const char *)row + (ptrdiff_t)dz * (ptrdiff_t)l->layer_stride +
                         (ptrdiff_t)dy * (ptrdiff_t)l->row_stride;
        state |= (((const uint32_t *)(const void *)at)[x + dx] == label) << k;
    }
    return state;
}

bool core_euler_numbers(const lg_labels *l, double *out)
{
    int8_t *change = malloc(STATES);
    if (!change)
        return false;
    for (int state = 0; state < STATES; state++)
        change[state] = (int8_t)change_of(state);
    for (uint32_t i = 0; i < l->count; i++)
        out[i] = 0;
    for (int z = 0; z < l->layers; z++)
        for (int y = 0; y < l->height; y++) {
            const char *at =
                (const char *)l->data + (size_t)z * l->layer_stride + (size_t)y * l->row_stride;
            const uint32_t *row = (const uint32_t *)(const void *)at;
            for (int x = 0; x < l->width; x++)
                if (row[x])
                    out[row[x] - 1] += change[state_at(l, row, x, y, z, row[x])];
        }
    free(change);
    return true;
}
