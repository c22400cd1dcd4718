// Medians of keys: view 0 to view 1, plane after plane as in wide_median_keys. A thread finds one key, four
// bits at a time from the top: it counts the keys of its window that agree with what it has, by their next
// four bits. Defined before: RADIUS, BORDER. Words: height, layers, width of a plane, planes.
#define SIDE    (2 * RADIUS + 1)
#define THREADS (LG_GROUP_X * LG_GROUP_Y)
#define OUTSIDE 0x80000000u // the key of 0

shared uint counts[16 * THREADS]; // 16 of each thread
#define COUNT(i) counts[(i) * THREADS + gl_LocalInvocationIndex]

// Counts the window's keys that begin as `found`, of which the bits above `shift` + 3 are known.
void count_keys(int x, int y, uint z, int first, uint found, uint shift)
{
    int width = int(lg.extra[2]), height = int(lg.extra[0]);
    uint known = shift == 28u ? 0u : 0xffffffffu << (shift + 4u);
    for (uint i = 0u; i < 16u; i++)
        COUNT(i) = 0u;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        int j = lg_border_index(y + dy, height, BORDER);
        lg_words row = lg_words(lg_row(lg.views[0], uint(max(j, 0)), z));
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int i = lg_border_index(x + dx, width, BORDER);
            uint key = i < 0 || j < 0 ? OUTSIDE : row.at[first + i];
            if (((key ^ found) & known) == 0u)
                COUNT(key >> shift & 15u)++;
        }
    }
}

uint find_median(int x, int y, uint z, int first)
{
    uint found = 0u, rank = uint(SIDE * SIDE / 2);
    for (int shift = 28; shift >= 0; shift -= 4) {
        count_keys(x, y, z, first, found, uint(shift));
        uint digit = 0u, before = 0u, sum = 0u;
        for (uint i = 0u; i < 16u; i++) {
            sum += COUNT(i);
            digit += sum <= rank ? 1u : 0u;
            before = sum <= rank ? sum : before;
        }
        found |= digit << shift;
        rank -= before;
    }
    return found;
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = int(lg.extra[2]);
    int at = int(gl_GlobalInvocationID.x), first = at / width * width;
    if (at >= width * int(lg.extra[3]))
        return;
    LG_EACH_ROW(y, z, 0, height, layers)
            lg_words(lg_row(lg.views[1], uint(y), z)).at[at] = find_median(at - first, y, z, first);
}
