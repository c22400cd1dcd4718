// How much memory pixels take: bands in it, and scratch files for what is needed whole beyond it.
#include "file_bands.h"
#include "layer_spool.h"

#include <unistd.h>

size_t lg_memory_ceiling(const lg_options *options)
{
#if !defined(__APPLE__) || defined(_SC_PHYS_PAGES)
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
#else
    const long pages = -1, page = -1;
#endif
    if (options->memory)
        return options->memory;
    return pages > 0 && page > 0 ? (size_t)pages / 4 * (size_t)page : (size_t)1 << 30;
}

int64_t lg_scratch_pixels(const lg_options *options)
{
    return options->max_pixels == LG_READ_MAX_PIXELS ? INT64_C(1) << 40 : options->max_pixels;
}

lg_status lg_limit_memory(const lg_session *session, lg_context *context, lg_error *error)
{
    const lg_options *options = session->options;
    return session->spills && context ? lg_context_set_memory(context, lg_memory_ceiling(options),
                                                              lg_scratch_folder(options), error)
                                      : LG_OK;
}

bool lg_bands_begin(lg_session *session)
{
    lg_error error;
    session->by_rows = session->has_ceiling = session->spills = true;
    lg_status status = lg_limit_memory(session, session->processor, &error);
    if (!status)
        status = lg_limit_memory(session, session->gpu, &error);
    for (int i = 0; i < session->several_count && !status; i++)
        status = lg_limit_memory(session, session->several[i], &error);
    if (status)
        lg_session_fail(session, "--memory", &error);
    return !status;
}
