// --report: an HTML page that is made from the JSON documents of a command and holds everything it shows.
// docs/cli.md, Reports, has what is on it.
#ifndef LG_TOOL_HTML_H
#define LG_TOOL_HTML_H

#include "json_tree.h"
#include "session.h"

// Opens the page of --report; nothing where the option is not given.
lg_status lg_html_open(lg_session *session, lg_error *error);

// Behind the report of an input, where the session has a page: between begin and add the JSON of the
// session goes to the page. False: there is none.
bool lg_html_begin(lg_session *session);
// An image beside the input; images without host memory and of planes are left out.
typedef struct lg_html_picture {
    const char *name;
    const lg_image *image;
} lg_html_picture;
void lg_html_add(lg_session *session, const lg_input_file *file, const lg_html_picture *pictures,
                 int count);
// An input that failed.
void lg_html_failure(lg_session *session, const char *file, const lg_error *error);
// What holds for all inputs together, above them; the last one that was given.
void lg_html_remark(lg_session *session, const char *text);

// Completes the page, or drops it.
lg_status lg_html_close(lg_session *session, bool keep, lg_error *error);

// Whether a part of the page is missing, since memory ran out: then there is no page.
bool lg_html_lost(void);
void lg_html_set_lost(bool lost);

// ---- parts of a page, each of which writes to `out` -----------------------------------------------

// Text with control bytes shown and the characters of HTML escaped.
void lg_html_text(FILE *out, const char *text);
// A picture with at most so many pixels a side. False: the image cannot be shown.
bool lg_html_image(FILE *out, const lg_image *image, const char *name, int most, bool caption);
// The tables of a document. `used` marks the words that stand in it (html_words.c).
void lg_html_tables(FILE *out, const lg_json_tree *tree, bool *used);
void lg_html_engine(FILE *out, const lg_json_tree *tree);
void lg_html_command(FILE *out, const lg_options *options);

// Histograms of a document's counts, or of the image where it has none; marks are levels and percentiles.
void lg_html_histograms(FILE *out, lg_session *session, const lg_input_file *file,
                        const lg_json_tree *tree);
// Figures of layers as curves, where there are enough of them.
void lg_html_layers(FILE *out, const lg_json_tree *tree);

// Figures over time. However long a film is, a curve keeps at most LG_CURVE_POINTS spans of frames.
#define LG_CURVE_POINTS 1024
#define LG_CURVES_MOST  24
typedef struct lg_curve {
    char label[96];
    double least[LG_CURVE_POINTS], most[LG_CURVE_POINTS], sum[LG_CURVE_POINTS];
    double count[LG_CURVE_POINTS]; // finite values of the span
} lg_curve;
typedef struct lg_curves {
    lg_curve *curve; // LG_CURVES_MOST of them
    int count;
    int64_t frames, span;         // so many frames in a point
    double first_time, last_time; // seconds; -1: the film states no rate
} lg_curves;
void lg_curves_add(lg_curves *curves, const lg_json_tree *tree, double time);
void lg_curves_write(FILE *out, const lg_curves *curves);

// Calls `take` with each figure of a document, until it returns false: numbers that stand for the input as
// a whole, with a label such as "r mean".
typedef bool (*lg_take_figure_fn)(void *priv, const char *label, const lg_json_node *value);
void lg_html_figures(const lg_json_tree *tree, lg_take_figure_fn take, void *priv);

// What a figure is, in a sentence; NULL: it needs none. LG_WORDS_MOST bounds `index`.
#define LG_WORDS_MOST 96
const char *lg_html_word(const char *name, int *index);
void lg_html_words(FILE *out, const bool *used);

extern const char lg_html_style[];

#endif
