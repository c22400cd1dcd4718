#include "fuzz.h"
#include <lumagraph/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_graph *graph = NULL;
    lg_error error = {0};
    if (lg_graph_read(fuzz_file(data, size), &graph, &error))
        EXPECT(!graph && error.message[0]);
    lg_graph_destroy(&graph);
    return 0;
}
