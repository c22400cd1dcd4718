// Numbers of the host to memory. Words: address (2), how many, the numbers.
void main()
{
    lg_words to = lg_words(uvec2(lg.extra[0], lg.extra[1]));
    uint i = gl_LocalInvocationIndex;
    if (i < lg.extra[2])
        to.at[i] = lg.extra[3u + i];
}
