// no turns yet
#include "graph/stream_frames.h"

void lg_stream_make_turns(lg_stream *stream)
{
    (void)stream;
}
