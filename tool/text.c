#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers
// ---------------------------------------------------------------------------------------

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

// ---- names
// -----------------------------------------------------------------------------------------

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

void lg_complain(const char *format, ...)
{
    char text[6000], clean[8000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "lumagraph: %s\n", lg_sanitise(text, clean, sizeof clean));
}

#define LINE 100 // columns

void lg_print_wrapped(FILE *stream, const char *text, int column)
{
    int at = column;
    while (*text) {
        int length = (int)strcspn(text, " ");
        bool first = at == column, fits = at + 1 + length <= LINE;
        if (!first && fits) {
            at += fprintf(stream, " ");
        } else if (!first) {
            fprintf(stream, "\n%*s", column, "");
            at = column;
        }
        at += fprintf(stream, "%.*s", length, text);
        text += length;
        text += *text == ' ';
    }
    fputc('\n', stream);
}

// ---- JSON
// ------------------------------------------------------------------------------------------

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

// ---- CSV
// -------------------------------------------------------------------------------------------

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

// ---- tables
// ----------------------------------------------------------------------------------------

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

void lg_table_print(lg_table *table, FILE *stream, unsigned left)
{
    int width[32] = {0}, columns = table->columns;
    for (size_t i = 0; i < table->used; i++) {
        int found = columns_of(table->cells[i]);
        int *widest = &width[i % (size_t)columns];
        *widest = found > *widest ? found : *widest;
    }
    for (size_t i = 0; i < table->used && !table->failed; i++) {
        int column = (int)(i % (size_t)columns);
        bool last = column == columns - 1;
        int pad = width[column] - columns_of(table->cells[i]);
        bool is_left = left >> column & 1;
        fprintf(stream, "%*s%s%*s%s", is_left ? 0 : pad, "", table->cells[i],
                is_left && !last ? pad : 0, "", last ? "\n" : "  ");
    }
    if (table->failed)
        fputs("(out of memory: the table is missing)\n", stream);
    for (size_t i = 0; i < table->used; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (lg_table){.columns = columns};
}
