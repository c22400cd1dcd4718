// Sums over 2 radius + 1 cells along an axis, one number per thread. Words: addresses of the cells and of
// the sums, numbers of a cell, columns, rows, radius, 1: along columns.
void main()
{
    lg_floats cells = lg_floats(uvec2(lg.extra[0], lg.extra[1]));
    lg_words sums = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    int numbers = int(lg.extra[4]), columns = int(lg.extra[5]), rows = int(lg.extra[6]);
    int radius = int(lg.extra[7]), size = columns * numbers;
    bool down = lg.extra[8] != 0u;
    for (int row = int(gl_GlobalInvocationID.y); row < rows; row += int(gl_NumWorkGroups.y) * LG_GROUP_Y)
        for (int i = int(gl_GlobalInvocationID.x); i < size; i += int(gl_NumWorkGroups.x) * LG_GROUP_X) {
            int column = i / numbers, k = i - column * numbers;
            precise float sum = 0.0;
            for (int d = -radius; d <= radius; d++) {
                int y = down ? clamp(row + d, 0, rows - 1) : row;
                int x = down ? column : clamp(column + d, 0, columns - 1);
                sum = sum + cells.at[y * size + x * numbers + k];
            }
            sums.at[row * size + i] = floatBitsToUint(sum);
        }
}
