#include "text.h"

#include "color.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// ---- numbers ------------------------------------------------------------------------------------

static const char *special(double value, char *out)
{
    return strcpy(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

// Whole numbers below 10^15, which most cells of large tables are, as %.15g has them: true when it is one.
static bool whole(double value, char out[LG_NUMBER_SIZE])
{
    if (!(fabs(value) < 1e15) || value != floor(value) || (value == 0 && signbit(value)))
        return false;
    char digits[LG_NUMBER_SIZE];
    int used = 0;
    uint64_t rest = (uint64_t)fabs(value);
    do {
        digits[used++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    *out = '-';
    char *to = out + (value < 0);
    while (used > 0)
        *to++ = digits[--used];
    *to = '\0';
    return true;
}

const char *lg_number(double value, char out[LG_NUMBER_SIZE])
{
    if (!isfinite(value))
        return special(value, out);
    if (whole(value, out))
        return out;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, LG_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return out;
}

const char *lg_number_short(double value, char out[LG_NUMBER_SIZE])
{
    if (!isfinite(value))
        return special(value, out);
    if (whole(value, out))
        return out;
    snprintf(out, LG_NUMBER_SIZE, fabs(value) < 1e15 && value == floor(value) ? "%.0f" : "%.9g",
             value);
    return out;
}

const char *lg_number_float(float value, char out[LG_NUMBER_SIZE])
{
    if (!isfinite(value))
        return special((double)value, out);
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(out, LG_NUMBER_SIZE, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value)
            break;
    }
    return out;
}

const char *lg_number_u128(uint64_t high, uint64_t low, char out[LG_NUMBER_SIZE])
{
    char digits[LG_NUMBER_SIZE];
    int used = 0;
    unsigned __int128 value = (unsigned __int128)high << 64 | low;
    do {
        digits[used++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value != 0);
    for (int i = 0; i < used; i++)
        out[i] = digits[used - 1 - i];
    out[used] = '\0';
    return out;
}

// ---- names --------------------------------------------------------------------------------------

// Bytes of the well-formed UTF-8 character at `text`, 0 when there is none.
static int utf8_length(const unsigned char *text)
{
    unsigned char first = text[0];
    int length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first > 0xf4)
        return 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f) ||
        (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

static bool is_control(const unsigned char *text, int length)
{
    return (length == 1 && (text[0] < ' ' || text[0] == 127)) ||
           (length == 2 && text[0] == 0xc2 && text[1] < 0xa0);
}

const char *lg_sanitise(const char *text, char *out, size_t size)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;
    while (*at && used + 9 < size) {
        int length = utf8_length(at);
        if (length > 0 && !is_control(at, length)) {
            memcpy(out + used, at, (size_t)length);
            used += (size_t)length;
            at += length;
            continue;
        }
        for (int i = 0; i < (length > 0 ? length : 1); i++)
            used += (size_t)snprintf(out + used, size - used, "\\x%02x", *at++);
    }
    out[used] = '\0';
    return out;
}

// Of the process: another one prints the same.
static bool silent;
static char last_complaint[400];

void lg_complain_nowhere(void)
{
    silent = true;
}

void lg_complain_again(void)
{
    silent = false;
}

const char *lg_last_complaint(void)
{
    return last_complaint;
}

void lg_complain(const char *format, ...)
{
    char text[6000], clean[8000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(last_complaint, sizeof last_complaint, "%.399s", text);
    if (silent)
        return;
    fprintf(stderr, "%slumagraph:%s %s\n", lg_color_code(stderr, LG_WRONG),
            lg_color_code(stderr, LG_PLAIN), lg_sanitise(text, clean, sizeof clean));
}

// ---- width --------------------------------------------------------------------------------------

#define LINE       80 // columns where nobody says how many there are
#define LEAST_LINE 40

int lg_line_width(FILE *stream)
{
    struct winsize size = {0};
    const int fd = fileno(stream);
    if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return LINE;
    return size.ws_col > LEAST_LINE ? size.ws_col : LEAST_LINE;
}

// Bytes of the next word. One that is longer than a whole line ends behind the
// last of : , ; that fits.
static int word_length(const char *text, int room, int whole)
{
    const int length = (int)strcspn(text, " \n");
    int cut = length;
    if (length > whole)
        for (cut = room; cut > 0 && !strchr(":,;", text[cut - 1]);)
            cut--;
    return cut > 0 ? cut : length;
}

void lg_print_wrapped(FILE *stream, const char *text, int column)
{
    const int line = lg_line_width(stream);
    int at = column;
    bool joined = true; // nothing stands between the last word and the next
    while (*text) {
        const int length = word_length(text, line - at - !joined, line - column);
        if (at != column && at + !joined + length > line) {
            fprintf(stream, "\n%*s", column, "");
            at = column;
            joined = true;
            continue;
        }
        at += fprintf(stream, "%s%.*s", joined ? "" : " ", length, text);
        text += length;
        joined = *text != ' ';
        if (*text == '\n') {
            fprintf(stream, "\n%*s", column, "");
            at = column;
        }
        text += *text == ' ' || *text == '\n';
    }
    fputc('\n', stream);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void json_string(FILE *stream, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', stream);
    while (*at) {
        int length = utf8_length(at);
        if (length == 0)
            fputs("\xef\xbf\xbd", stream); // U+FFFD stands for bytes that are no UTF-8
        else if (is_control(at, length))
            fprintf(stream, "\\u%04x", length == 1 ? at[0] : at[1]);
        else if (*at == '"' || *at == '\\')
            fprintf(stream, "\\%c", *at);
        else
            fwrite(at, 1, (size_t)length, stream);
        at += length > 0 ? length : 1;
    }
    fputc('"', stream);
}

static void json_key(lg_json *json, const char *key)
{
    if (json->depth > 0 && json->filled[json->depth])
        fputc(',', json->stream);
    json->filled[json->depth] = true;
    if (key) {
        json_string(json->stream, key);
        fputc(':', json->stream);
    }
}

void lg_json_begin(lg_json *json, const char *key, char bracket)
{
    json_key(json, key);
    fputc(bracket, json->stream);
    json->filled[++json->depth] = false;
}

void lg_json_end(lg_json *json, char bracket)
{
    fputc(bracket, json->stream);
    if (--json->depth == 0)
        fputc('\n', json->stream);
}

void lg_json_raw(lg_json *json, const char *key, const char *value)
{
    json_key(json, key);
    fputs(value, json->stream);
}

void lg_json_text(lg_json *json, const char *key, const char *value)
{
    if (!value) {
        lg_json_raw(json, key, "null");
        return;
    }
    json_key(json, key);
    json_string(json->stream, value);
}

void lg_json_number(lg_json *json, const char *key, double value)
{
    char text[LG_NUMBER_SIZE];
    lg_json_raw(json, key, isfinite(value) ? lg_number(value, text) : "null");
}

void lg_json_integer(lg_json *json, const char *key, int64_t value)
{
    char text[LG_NUMBER_SIZE];
    snprintf(text, sizeof text, "%lld", (long long)value);
    lg_json_raw(json, key, text);
}

void lg_json_unsigned(lg_json *json, const char *key, uint64_t value)
{
    char text[LG_NUMBER_SIZE];
    lg_json_raw(json, key, lg_number_u128(0, value, text));
}

void lg_json_bool(lg_json *json, const char *key, bool value)
{
    lg_json_raw(json, key, value ? "true" : "false");
}

// ---- CSV ----------------------------------------------------------------------------------------

static void csv_cell(lg_csv *csv, const char *text)
{
    if (csv->started)
        fputc(',', csv->stream);
    csv->started = true;
    fputs(text, csv->stream);
}

void lg_csv_text(lg_csv *csv, const char *value)
{
    if (!strpbrk(value, ",\"\r\n")) {
        csv_cell(csv, value);
        return;
    }
    csv_cell(csv, "\"");
    for (; *value; value++) {
        if (*value == '"')
            fputc('"', csv->stream);
        fputc(*value, csv->stream);
    }
    fputc('"', csv->stream);
}

void lg_csv_number(lg_csv *csv, double value)
{
    char text[LG_NUMBER_SIZE];
    csv_cell(csv, isfinite(value) ? lg_number(value, text) : "");
}

void lg_csv_integer(lg_csv *csv, int64_t value)
{
    char text[LG_NUMBER_SIZE];
    snprintf(text, sizeof text, "%lld", (long long)value);
    csv_cell(csv, text);
}

void lg_csv_unsigned(lg_csv *csv, uint64_t value)
{
    char text[LG_NUMBER_SIZE];
    csv_cell(csv, lg_number_u128(0, value, text));
}

void lg_csv_row(lg_csv *csv)
{
    fputs("\r\n", csv->stream);
    csv->started = false;
}

// ---- tables -------------------------------------------------------------------------------------

static bool tables_lost; // a report without its table is no success: main() asks

bool lg_tables_lost(void)
{
    return tables_lost;
}

static void add_cell(lg_table *table, const char *text)
{
    if (table->used == table->capacity) {
        size_t capacity = table->capacity ? table->capacity * 2 : 64;
        char **larger = realloc(table->cells, capacity * sizeof *larger);
        if (!larger) {
            table->failed = true;
            return;
        }
        table->cells = larger;
        table->capacity = capacity;
    }
    char *copy = strdup(text);
    table->failed |= !copy;
    if (copy)
        table->cells[table->used++] = copy;
}

void lg_table_cell(lg_table *table, const char *format, ...)
{
    char text[512], clean[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_cell(table, lg_sanitise(text, clean, sizeof clean));
}

void lg_table_number(lg_table *table, double value)
{
    char text[LG_NUMBER_SIZE];
    add_cell(table, lg_number_short(value, text));
}

void lg_table_unsigned(lg_table *table, uint64_t value)
{
    char text[LG_NUMBER_SIZE];
    add_cell(table, lg_number_u128(0, value, text));
}

// Characters of UTF-8 text: bytes that continue one are not counted.
static int columns_of(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

// Bytes of the part of `text` that fits `width` columns: up to a blank, behind
// a comma, or all there are.
static size_t part_length(const char *text, int width)
{
    size_t best = 0, at = 0;
    for (int column = 0; text[at]; at++) {
        const bool begins = (text[at] & 0xc0) != 0x80;
        if (begins && column++ == width)
            return best ? best : at;
        if (text[at] == ' ')
            best = at;
        else if (text[at] == ',' && column < width)
            best = at + 1;
    }
    return at;
}

// One line of a cell, `*text` moves behind it.
static void print_part(FILE *stream, const char **text, int width, bool is_left, bool last)
{
    const size_t length = part_length(*text, width);
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((*text)[i] & 0xc0) != 0x80;
    const int pad = width - columns;
    fprintf(stream, "%*s%.*s%*s%s", is_left ? 0 : pad, "", (int)length, *text,
            is_left && !last ? pad : 0, "", last ? "" : "  ");
    *text += length;
    *text += **text == ' ';
}

// The bits of `left` are for the first 32 columns; numbers follow.
static bool is_left(unsigned left, int column)
{
    return column < 32 && left >> column & 1;
}

// The columns `shown` of a row; cells that are too wide go on below.
static void print_row(char *const *row, const int *shown, int columns, const int *width,
                      unsigned left, FILE *stream)
{
    const char *rest[LG_TABLE_MOST];
    bool more = true;
    for (int i = 0; i < columns; i++)
        rest[i] = row[shown[i]];
    while (more) {
        more = false;
        for (int i = 0; i < columns; i++)
            print_part(stream, &rest[i], width[shown[i]], is_left(left, shown[i]),
                       i == columns - 1);
        fputc('\n', stream);
        for (int i = 0; i < columns; i++)
            more |= rest[i][0] != '\0';
    }
}

static int total_width(const int *width, int columns)
{
    int total = 2 * (columns - 1);
    for (int i = 0; i < columns; i++)
        total += width[i];
    return total;
}

#define LEAST_CELL 16 // columns of text that no narrower line is made of

// Takes from the widest column of text, and again, until the row fits or nothing can be taken.
static void narrow(int *width, int columns, unsigned left, int line)
{
    for (int total = total_width(width, columns); total > line;
         total = total_width(width, columns)) {
        int widest = -1;
        for (int i = 0; i < columns; i++)
            if (is_left(left, i) && (widest < 0 || width[i] > width[widest]))
                widest = i;
        if (widest < 0 || width[widest] <= LEAST_CELL)
            return;
        width[widest]--;
    }
}

// Rows that are still too wide are cut into several tables, each with the first column.
static void print_all(lg_table *table, const int *width, unsigned left, int line, FILE *stream)
{
    for (int next = 1, first = true; first || next < table->columns; first = false) {
        int shown[LG_TABLE_MOST] = {0}, count = 1, used = width[0];
        while (next < table->columns && (count == 1 || used + 2 + width[next] <= line)) {
            used += 2 + width[next];
            shown[count++] = next++;
        }
        for (size_t i = 0; i < table->used; i += (size_t)table->columns) {
            fputs(i ? "" : lg_color_code(stream, LG_STRONG), stream);
            print_row(table->cells + i, shown, count, width, left, stream);
            fputs(i ? "" : lg_color_code(stream, LG_PLAIN), stream);
        }
        if (next < table->columns)
            fputc('\n', stream);
    }
}

void lg_table_print(lg_table *table, FILE *stream, unsigned left)
{
    int width[LG_TABLE_MOST] = {0}, columns = table->columns;
    const int line = lg_line_width(stream);
    for (size_t i = 0; i < table->used; i++) {
        int found = columns_of(table->cells[i]);
        int *widest = &width[i % (size_t)columns];
        *widest = found > *widest ? found : *widest;
    }
    narrow(width, columns, left, line);
    tables_lost |= table->failed;
    if (table->failed)
        fputs("(out of memory: the table is missing)\n", stream);
    else if (table->used)
        print_all(table, width, left, line, stream);
    for (size_t i = 0; i < table->used; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (lg_table){.columns = columns};
}
