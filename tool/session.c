#include "session.h"
#include "file_bands.h"
#include "several_devices.h"
#include "team.h"

#include "before.h"
#include "color.h"
#include "films.h"
#include "html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double lg_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int lg_exit_of(lg_status status)
{
    switch (status) {
    case LG_OK:
        return LG_EXIT_DONE;
    case LG_ERROR_ARGUMENT:
        return LG_EXIT_USAGE;
    case LG_ERROR_LIMIT:
    case LG_ERROR_MEMORY:
        return LG_EXIT_LIMIT;
    case LG_ERROR_DEVICE:
        return LG_EXIT_DEVICE;
    default:
        return LG_EXIT_IO;
    }
}

lg_status lg_set_error(lg_error *error, lg_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return error->status = status;
}

lg_status lg_blame(lg_error *error, const char *what, const char *path)
{
    char message[LG_ERROR_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", error->message);
    snprintf(error->message, sizeof error->message, "%s %.120s: %.300s", what, path, message);
    return error->status;
}

// ---- progress: only on a terminal, only after a second ------------------------------------------

// Of a batch whose inputs take about as long as each other.
static void print_time_left(const lg_input_file *file, double passed)
{
    if (file->index == 0 || passed < 2)
        return;
    const double left = passed * (file->count - file->index) / file->index;
    fprintf(stderr, ", about %d:%02d left", (int)(left / 60), (int)left % 60);
}

bool lg_session_progress(void *priv, double part)
{
    char clean[200];
    lg_session *session = priv;
    const lg_input_file *file = session->file;
    double now = lg_clock();
    if (lg_film_interrupted())
        return false;
    if (!file || !session->terminal || session->options->quiet ||
        now - session->progress_start < 1 || now - session->progress_shown < 0.1)
        return true;
    session->progress_shown = now;
    fputs("\r\033[K", stderr);
    if (file->count > 1)
        fprintf(stderr, "%d of %d: ", file->index + 1, file->count);
    lg_sanitise(file->name, clean, sizeof clean);
    if (file->frame >= 0)
        lg_film_print_progress(session, file, clean, now);
    else
        fprintf(stderr, "%s: %s %.0f %%", clean, file->image ? "computing" : "reading", part * 100);
    if (file->frame < 0)
        print_time_left(file, now - session->progress_start);
    fflush(stderr);
    return true;
}

void lg_session_progress_clear(lg_session *session)
{
    if (session->progress_shown > 0)
        fputs("\r\033[K", stderr);
    session->progress_shown = 0;
}

void lg_session_note(lg_session *session, const char *format, ...)
{
    char text[2000], clean[3000];
    if (session->options->quiet || !lg_team_leads(session->options))
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lg_session_progress_clear(session);
    fprintf(stderr, "%slumagraph:%s %s\n", lg_color_code(stderr, LG_REMARK),
            lg_color_code(stderr, LG_PLAIN), lg_sanitise(text, clean, sizeof clean));
}

void lg_session_fail(lg_session *session, const char *file, const lg_error *error)
{
    lg_session_progress_clear(session);
    lg_complain("%s: %s", strcmp(file, "-") == 0 ? "standard input" : file, error->message);
    int status = lg_exit_of(error->status);
    session->status = session->failed > 0 && session->status != status ? LG_EXIT_SOME : status;
    session->failed++;
}

// ---- begin and end ------------------------------------------------------------------------------

static void log_line(void *priv, lg_log_level level, const char *message)
{
    const lg_session *session = priv;
    if (level <= LG_LOG_WARN && !session->searching)
        lg_session_note(priv, "%s", message);
}

// Measurements read an image once: sending it to a device costs more than the processor's pass over
// it, so `auto` is the processor. `run` chooses for itself.
static const char AUTO_REASON[] =
    "auto: the image is read once, and uploading it to a GPU would cost "
    "more than the CPU's pass; --device vulkan forces the GPU";

static lg_context_params params_of(lg_session *session, lg_device_kind device)
{
    const lg_options *options = session->options;
    return (lg_context_params){
        .size = sizeof(lg_context_params),
        .device = device,
        .device_index = options->device_index,
        .threads = (int)options->threads,
        .cpu_level = (lg_cpu_level)(options->cpu - 1),
        .log = log_line,
        .log_priv = session,
        .use_cache = true,
        .strict = options->strict,
        .progress = lg_session_progress,
        .progress_priv = session,
    };
}

static lg_status create_context(lg_session *session, lg_error *error)
{
    const lg_device_kind device = session->options->device;
    const bool gpu = device == LG_DEVICE_VULKAN;
    snprintf(session->device_reason, sizeof session->device_reason, "%s",
             device == LG_DEVICE_AUTO ? AUTO_REASON : "asked for with --device");
    const lg_context_params params = params_of(session, gpu ? device : LG_DEVICE_CPU);
    lg_context **out = gpu ? &session->gpu : &session->processor;
    const lg_status status = lg_context_create(&params, out, error);
    session->context = *out;
    return status ? status : lg_several_open(session, error);
}

static void destroy_contexts(lg_session *session)
{
    lg_several_close(session);
    lg_context_destroy(&session->gpu);
    lg_context_destroy(&session->processor);
    session->context = NULL;
}

// When the command has begun.
static lg_status create_limited(const lg_session *session, const lg_context_params *params,
                                lg_context **out, lg_error *error)
{
    lg_status status = lg_context_create(params, out, error);
    if (!status)
        status = lg_limit_memory(session, *out, error);
    if (status)
        lg_context_destroy(out);
    return status;
}

// `auto` promises no device: what cannot be had is only not chosen, and the report says so.
static lg_device_info search_gpu(lg_session *session)
{
    lg_error ignored;
    lg_device_info found = {.kind = LG_DEVICE_CPU};
    lg_context_params params = params_of(session, LG_DEVICE_AUTO);
    lg_team_place(session->options, &params);
    session->searching = true;
    const lg_status status = create_limited(session, &params, &session->gpu, &ignored);
    session->searching = false;
    session->searched = true;
    if (status)
        return found;
    lg_context_device(session->gpu, &found);
    if (found.kind == LG_DEVICE_CPU)
        lg_context_destroy(&session->gpu);
    return found;
}

bool lg_session_choose(lg_session *session, const lg_work *work)
{
    const lg_context *before = session->context;
    lg_device_info processor, gpu = {.kind = LG_DEVICE_CPU};
    if (session->options->device != LG_DEVICE_AUTO)
        return false;
    lg_context_device(session->processor, &processor);
    lg_context_device(session->gpu, &gpu);
    lg_device_choice choice =
        lg_choose_device(work, processor.threads, session->searched ? &gpu : NULL);
    if (choice.gpu && !session->searched) {
        gpu = search_gpu(session);
        const lg_device_choice found = lg_choose_device(work, processor.threads, &gpu);
        choice = found.gpu ? choice : found;
    }
    session->context = choice.gpu ? session->gpu : session->processor;
    memcpy(session->device_reason, choice.reason, sizeof choice.reason);
    return session->context != before;
}

// ---- where it was computed ----------------------------------------------------------------------

void lg_session_engine_begin(lg_session *session)
{
    session->engine = (lg_engine_report){.upload = -1, .compute = -1, .download = -1};
    session->engine_settled = false;
}

void lg_session_computed(lg_session *session)
{
    lg_engine_report last;
    if (session->engine_settled) // the context may be at work in another thread
        return;
    lg_context_report(session->context, &last);
    if (!last.fallback[0])
        memcpy(last.fallback, session->engine.fallback, sizeof last.fallback);
    session->engine = last;
}

lg_status lg_session_processor(lg_session *session, lg_context **out, lg_error *error)
{
    const lg_context_params params = params_of(session, LG_DEVICE_CPU);
    const lg_status status =
        session->processor ? LG_OK : create_limited(session, &params, &session->processor, error);
    *out = session->processor;
    return status;
}

bool lg_session_may_fall_back(lg_session *session, lg_status status, lg_context **out,
                              lg_error *error)
{
    lg_device_info info;
    lg_context_device(session->context, &info);
    const bool can_help =
        status == LG_ERROR_DEVICE || status == LG_ERROR_UNSUPPORTED || status == LG_ERROR_MEMORY;
    if (!can_help || session->options->strict || info.kind == LG_DEVICE_CPU)
        return false;
    lg_error ignored;
    if (lg_session_processor(session, out, &ignored) != LG_OK)
        return false;
    lg_session_note(session, "the processor takes over: %s", error->message);
    return true;
}

void lg_session_fell_back(lg_session *session, const lg_error *why)
{
    lg_context_report(session->processor, &session->engine);
    snprintf(session->engine.fallback, sizeof session->engine.fallback, "%s", why->message);
    session->engine_settled = true;
}

int lg_session_begin(lg_session *session, const lg_options *options, const char *schema,
                     bool report_to_output)
{
    *session = (lg_session){.options = options,
                            .schema = schema,
                            .out = stdout,
                            .thread = pthread_self(),
                            .takes_planes = options->planes || options->plane >= 0,
                            .terminal = lg_team_leads(options) && isatty(STDERR_FILENO),
                            .progress_start = lg_clock()};
    lg_error error = {0};
    const char *subject = NULL;
    const int built = lg_before_build(session);
    if (built != LG_EXIT_DONE) {
        lg_before_end(session);
        return built;
    }
    lg_status status = create_context(session, &error);
    if (status == LG_OK && options->mask) {
        subject = options->mask;
        status = lg_session_read_mask(session, &error);
    }
    if (status == LG_OK && options->output && report_to_output && lg_team_leads(options)) {
        subject = options->output;
        status = lg_output_open(options->output, &session->report, &error);
        session->out = status == LG_OK ? lg_output_stream(session->report) : stdout;
    }
    session->json.stream = session->csv.stream = session->out;
    if (status == LG_OK && options->report) {
        subject = options->report;
        status = lg_html_open(session, &error);
    }
    status = lg_team_settle(options->team, status, &error);
    if (status == LG_OK)
        return LG_EXIT_DONE;
    lg_error ignored;
    lg_html_close(session, false, &ignored);
    lg_output_discard(&session->report);
    lg_before_end(session);
    lg_complain("%s%s%s", subject ? subject : "", subject ? ": " : "", error.message);
    lg_image_destroy(&session->mask);
    destroy_contexts(session);
    return lg_exit_of(status);
}

int lg_session_end(lg_session *session)
{
    lg_error error = {0};
    lg_session_progress_clear(session);
    int status = session->failed == 0 ? LG_EXIT_DONE
                 : session->done > 0  ? LG_EXIT_SOME
                                      : session->status;
    if (session->report && session->done == 0 && session->failed > 0) {
        lg_output_discard(&session->report);
    } else if (session->report && lg_output_commit(&session->report, &error) != LG_OK) {
        lg_complain("%s: %s", session->options->output, error.message);
        status = LG_EXIT_IO;
    }
    if (lg_html_close(session, session->done > 0, &error) != LG_OK) {
        lg_complain("%s: %s", session->options->report, error.message);
        status = lg_exit_of(error.status);
    }
    if (session->lost)
        status = session->lost;
    if (lg_film_interrupted())
        status = 128 + lg_film_interrupted();
    lg_before_end(session); // before the context that its plan belongs to
    lg_image_destroy(&session->mask);
    destroy_contexts(session);
    return status;
}
