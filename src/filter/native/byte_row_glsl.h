// A pixel of a row of bytes, CH of them, as it is stored; 0 where `column`, an index of the border,
// says that there is none.
uint stored_at(uvec2 row, int column)
{
    if (column < 0)
        return 0u;
#if CH == 4
    return lg_words(row).at[column];
#else
    return lg_words(row).at[column >> 2] >> (8 * (column & 3)) & 255u;
#endif
}
