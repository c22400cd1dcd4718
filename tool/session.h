// What the commands share: context, report file, the walk over the inputs, exit status.
#ifndef LG_TOOL_SESSION_H
#define LG_TOOL_SESSION_H

#include "auto_device.h"
#include "options.h"
#include "text.h"
#include <lumagraph/batch_images.h>
#include <lumagraph/io.h>

#include <pthread.h>

// Exit status of the tool; the contract is in docs/cli.md.
enum {
    LG_EXIT_DONE = 0,
    LG_EXIT_SOME = 1, // some inputs failed, others are done
    LG_EXIT_USAGE = 2,
    LG_EXIT_LIMIT = 3,
    LG_EXIT_DEVICE = 4,
    LG_EXIT_IO = 5,
    LG_EXIT_PIPE = 141, // nobody reads on; elsewhere a signal ends the tool so
};

int lg_exit_of(lg_status status);
// Fills *error and returns the status.
lg_status lg_set_error(lg_error *error, lg_status status, const char *format, ...)
    LG_PRINTF_LIKE(3, 4);
// Puts "what PATH: " in front of the message and returns the status.
lg_status lg_blame(lg_error *error, const char *what, const char *path);

typedef struct lg_session {
    const lg_options *options;
    const char *schema;                  // of the JSON
    lg_context *context;                 // in use: one of the next two
    lg_context *processor, *gpu;         // NULL: not made
    lg_context *several[LG_MAX_DEVICES]; // of a --device that names several; several_devices.h
    int several_count;
    lg_batch *batch;          // of these; NULL: there is one device
    bool searching, searched; // for a GPU, with --device auto
    lg_output *report;
    FILE *out;               // where the report goes
    bool arrays;             // inputs are .npy arrays of any number of axes, not images
    bool mute;               // no report: a plot has standard output to itself
    char device_reason[200]; // why this device
    lg_engine_report engine; // of the file at work
    bool engine_settled;     // what comes behind it is not part of the report
    lg_image *mask;
    struct lg_html *html;          // the page of --report, NULL: none; html.h
    struct lg_before *before;      // of --pipeline, NULL: none; before.h
    struct lg_before *colors;      // makes colours of planes, NULL: none were needed yet
    struct lg_state_files *states; // of --state; NULL: there is a report; state_files.h
    lg_json json;
    lg_csv csv;
    struct lg_read_ahead
        *ahead;         // reads the inputs of a batch; NULL: nobody does before they are needed
    char *const *names; // of the inputs, after patterns were expanded
    size_t *below;      // of each, as lg_input_file.below
    int inputs;         // so many
    int done, failed;
    int status; // exit status of the failures: theirs when they agree, else LG_EXIT_SOME
    int lost;   // exit status of an output of the whole command that could not be written, or 0
    const struct lg_input_file *file; // the input at work, NULL: none
    bool framed;                      // reports name frames
    bool split;                       // and channels and times, in CSV
    bool slices_noted;                // lg_note_slices has said it
    int64_t dropped;                  // frames of the film at work that --live left out
    bool film_at_hand;                // frames are read when they are needed, for their planes
    pthread_t thread;                 // of the command
    // Called behind the last frame of an input that was measured, with how that ended: `measure` may
    // have left frames to be done. NULL: it does not.
    lg_status (*film_drain)(struct lg_session *session, const struct lg_input_file *file,
                            void *priv, lg_status ended, lg_error *error);
    // Ends what `measure` left to be done of the inputs so far. NULL: it leaves nothing.
    void (*settle)(struct lg_session *session, void *priv);
    const struct lg_area_shapes *shapes; // of areasum; NULL: it is another command
    bool by_rows; // `measure` takes files whose rows come band by band, as lg_input_file.rows
    // Why an image of this shape is measured whole, as a clause; NULL: it need not be.
    const char *(*whole_because)(const struct lg_session *session, const lg_image_params *shape);
    // Whether bands of an image of this shape are read several times, so that a region alone is no reason for
    // them; NULL: once.
    bool (*rereads)(const struct lg_session *session, const lg_image_params *shape);
    bool
        prefers_bands; // of a single image that is not small, also where there is room for all of it
    bool has_ceiling;  // pixels take no more than --memory says
    bool spills;       // scratch files hold what does not fit; else it is refused
    int copies;        // of an input that the command holds, about; 0: the input alone
    bool keeps_sound;  // of films from pipes, for those that are written
    bool takes_planes; // `measure` takes frames of films as they are stored, else their colours
    // Called behind the frames of an input, of which at least one is done or none; NULL: nothing is to
    // be done.
    lg_status (*film_end)(struct lg_session *session, const struct lg_input_file *file, void *priv,
                          bool some, lg_error *error);
    double progress_start, progress_shown;
    bool terminal; // standard error is one
} lg_session;

// One input file while it is measured.
typedef struct lg_input_file {
    const char *name; // as given; "-" is standard input
    size_t below; // where in the name the part below a folder that was given begins; 0: none was
    int index, count; // among the inputs
    int64_t place;    // among those of all shards
    lg_image *image;
    struct lg_row_reader *rows; // of the file; the image has no pixels then. NULL: it has
    int64_t first_row, end_row; // of the region: those of --part, else all
    size_t held;                // bytes that the command holds beside bands
    lg_area_array array;        // instead of the image when it has data
    lg_read_info info;
    lg_region region; // the measured one
    lg_select select;
    double decode;     // seconds
    lg_frames *frames; // of a film; NULL: the image is all of the input
    struct lg_film_source
        *source;       // reads frames ahead; NULL: nobody does, and `frames` is at this one
    const char *plane; // of --plane: the image is this one; NULL: it is the frame
    lg_film film;      // how the frame was stored
    bool has_film;     // that is known
    // With layers of one channel, of one time: its number and 1. 0: of all that there are.
    int32_t channel, moment;
    bool sent;         // `measure` took the image, and has not done with it
    int64_t frame;     // of those, counted from 0; -1: the image is all of the input
    bool repeated;     // an earlier frame said what there is to say
    int64_t first;     // the first of those that --frames asks for; -1: not read
    lg_film_time time; // of the frame
    bool ends_early;   // frames of the film are left out behind the last one that was read
    // With --scale, of the input before: its sides, and the region that was scaled. 0: not scaled.
    int32_t unscaled_width, unscaled_height;
    lg_region unscaled_region;
} lg_input_file;

// How inputs are read.
lg_read_params lg_input_params(lg_session *session);

// Creates the context and opens the report, whose JSON names `schema`. Failures are printed;
// returns an exit status.
int lg_session_begin(lg_session *session, const lg_options *options, const char *schema,
                     bool report_to_output);
// Completes or drops the report; returns the exit status of the whole command.
int lg_session_end(lg_session *session);

// Reads every input (patterns are expanded) and calls `measure`; failures are printed and counted,
// the next input goes on.
typedef lg_status (*lg_measure_fn)(lg_session *session, lg_input_file *file, void *priv,
                                   lg_error *error);
void lg_session_each(lg_session *session, lg_measure_fn measure, void *priv);
void lg_session_fail(lg_session *session, const char *file, const lg_error *error);
// The same for an input, which has its document and its place in the page of --report.
void lg_session_fail_input(lg_session *session, const char *name, const lg_error *error);
// Reads a further image, with the limits of the command line.
lg_status lg_session_read(lg_session *session, const char *path, lg_image **out, lg_read_info *info,
                          lg_error *error);
// Refuses an output that is one of the inputs: writing it would destroy what is measured.
lg_status lg_session_check_output(const lg_session *session, const char *path, lg_error *error);
// The same of the report, the page and the state, once the inputs are named; it tells what is wrong.
bool lg_session_check_outputs(lg_session *session);
// A line about the input at work, on a terminal, when the command takes more than a second. Returns
// true. For lg_context_params and lg_read_params, which take the session as `priv`.
bool lg_session_progress(void *session, double part);
void lg_session_progress_clear(lg_session *session); // before anything else is printed
// Reads the image of --mask and turns it into zeros and 255.
lg_status lg_session_read_mask(lg_session *session, lg_error *error);
// A line on standard error unless --quiet.
void lg_session_note(lg_session *session, const char *format, ...) LG_PRINTF_LIKE(2, 3);

// Name of a measured channel: the library's, or ink names.
const char *lg_file_channel_name(const lg_input_file *file, int channel);

// Refuses to take the layers of a file as slices of a volume where the file says that they are
// channels or moments. `advice`: what to do instead.
lg_status lg_check_volume(const lg_input_file *file, const char *advice, lg_error *error);
// Of layers that are labelled as a volume, and of which nothing says what they are: they could be channels.
void lg_note_slices(lg_session *session, const lg_input_file *file);

// Says so where a level that was given parts no samples of this type, or looks like one of 0..1: levels are
// in stored units.
void lg_note_level(lg_session *session, const lg_input_file *file, double level);

// When a frame is shown, in seconds; -1 where the film states no rate.
double lg_frame_time(const lg_input_file *file);

// Parts of reports that every command has.
void lg_report_file_json(lg_session *session, const lg_input_file *file);
void lg_report_engine_json(lg_session *session, const lg_input_file *file);
// The first cells of a row, and of the row of names.
void lg_report_file_csv(lg_session *session, const lg_input_file *file);
void lg_report_names_csv(lg_session *session);
// The first row, before the first input: those names, and `names` behind them.
void lg_report_head_csv(lg_session *session, const char *const *names, size_t count);
void lg_report_file_text(lg_session *session, const lg_input_file *file);
void lg_report_engine_text(lg_session *session, const lg_input_file *file);
// The document of an input that failed, with --json, so that every input has one.
void lg_report_failure_json(lg_session *session, const char *file, const lg_error *error);

// Notes where the last call computed. Where one of the calls for a file was left to the processor,
// the report says so; begin forgets the file before.
void lg_session_engine_begin(lg_session *session);
void lg_session_computed(lg_session *session);
// Whether the processor may do what a device failed to give back: then *out is a context that
// computes there, until the session ends. lg_session_fell_back puts that and *why into the report.
bool lg_session_may_fall_back(lg_session *session, lg_status status, lg_context **out,
                              lg_error *error);
void lg_session_fell_back(lg_session *session, const lg_error *why);
// A context that computes on the processor, until the session ends.
lg_status lg_session_processor(lg_session *session, lg_context **out, lg_error *error);
// With --device auto: moves to the device that is expected to do the work first. A GPU is searched for
// only where it would. True: the context is another one now.
bool lg_session_choose(lg_session *session, const lg_work *work);

double lg_clock(void); // seconds, monotonic

// The commands. Each returns an exit status.
int lg_command_stats(const lg_options *options);
int lg_command_histogram(const lg_options *options);
int lg_command_threshold(const lg_options *options);
int lg_command_areasum(const lg_options *options);
int lg_command_merge(const lg_options *options);
int lg_command_label(const lg_options *options);
int lg_command_devices(const lg_options *options);
int lg_command_selftest(const lg_options *options);
int lg_command_run(const lg_options *options);
int lg_command_filters(const lg_options *options);
int lg_command_completion(const lg_options *options);
int lg_tool_main(int argc, char **argv);  // all of them, by name
int lg_bench_main(int argc, char **argv); // bench/bench.c, also a program of its own
// Bytes per second, read and written, of a plain copy of so many bytes on the context's device,
// or on the processor in its place; -1 when it cannot be measured. bench/bench_ceiling.c.
double lg_bench_copy_speed(lg_context *context, bool processor, size_t bytes);

#endif
