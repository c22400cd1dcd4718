// Text, JSON and CSV: numbers that read back as they were, names that cannot harm a terminal.
#ifndef LG_TOOL_TEXT_H
#define LG_TOOL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LG_PRINTF_LIKE(at, first) __attribute__((format(__printf__, at, first)))

#define LG_NUMBER_SIZE 48

// The shortest text that reads back as the same double; "nan", "inf" and "-inf" otherwise.
const char *lg_number(double value, char out[LG_NUMBER_SIZE]);
// Nine significant digits, for tables.
const char *lg_number_short(double value, char out[LG_NUMBER_SIZE]);
// The shortest text that reads back as the same float.
const char *lg_number_float(float value, char out[LG_NUMBER_SIZE]);
// high * 2^64 + low in decimal.
const char *lg_number_u128(uint64_t high, uint64_t low, char out[LG_NUMBER_SIZE]);

// Copies text with control bytes and broken UTF-8 shown as \xNN.
const char *lg_sanitise(const char *text, char *out, size_t size);

// One line on standard error: "lumagraph: ...", sanitised.
void lg_complain(const char *format, ...) LG_PRINTF_LIKE(1, 2);
// Nothing is printed until lg_complain_again, as another process prints it.
void lg_complain_nowhere(void);
void lg_complain_again(void);
const char *lg_last_complaint(void); // printed or not; "" where there was none

// Columns of a line: the terminal's, 80 where the stream is none.
int lg_line_width(FILE *stream);

// Prints words from column `column` on, where the line stands, broken before the
// line is full. A line end in the text is one.
void lg_print_wrapped(FILE *stream, const char *text, int column);

// ---- JSON ---------------------------------------------------------------------------------------

// Writes one document on one line. key NULL: an element of an array. NaN and infinities are null.
typedef struct lg_json {
    FILE *stream;
    int depth;
    bool filled[16]; // the object or array of this depth has an entry
} lg_json;

void lg_json_begin(lg_json *json, const char *key, char bracket); // '{' or '['
void lg_json_end(lg_json *json, char bracket); // '}' or ']'; ends the line at depth 0
void lg_json_text(lg_json *json, const char *key, const char *value); // NULL: null
void lg_json_number(lg_json *json, const char *key, double value);
void lg_json_integer(lg_json *json, const char *key, int64_t value);
void lg_json_unsigned(lg_json *json, const char *key, uint64_t value);
void lg_json_raw(lg_json *json, const char *key, const char *value);
void lg_json_bool(lg_json *json, const char *key, bool value);

// ---- CSV, RFC 4180 ------------------------------------------------------------------------------

typedef struct lg_csv {
    FILE *stream;
    bool started; // the row has a cell
} lg_csv;

void lg_csv_text(lg_csv *csv, const char *value);
void lg_csv_number(lg_csv *csv, double value); // NaN and infinities: an empty cell
void lg_csv_integer(lg_csv *csv, int64_t value);
void lg_csv_unsigned(lg_csv *csv, uint64_t value);
void lg_csv_row(lg_csv *csv); // ends the row

// ---- tables -------------------------------------------------------------------------------------

// Cells are collected, then printed with aligned columns: text left, numbers right.
#define LG_TABLE_MOST 96 // columns

typedef struct lg_table {
    char **cells;
    size_t used, capacity;
    int columns;
    bool failed; // memory
} lg_table;

void lg_table_cell(lg_table *table, const char *format, ...) LG_PRINTF_LIKE(2, 3);
void lg_table_number(lg_table *table, double value);
void lg_table_unsigned(lg_table *table, uint64_t value);
// Prints and empties the table; columns whose bit is set in `left` are aligned left. Rows that are
// wider than a line: text goes on below, then the columns are cut into several tables.
void lg_table_print(lg_table *table, FILE *stream, unsigned left);
// Whether memory ran out while a table was made: it is missing in a report.
bool lg_tables_lost(void);

#endif
