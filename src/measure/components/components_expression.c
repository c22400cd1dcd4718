// The parser of expressions over columns: one function for each rank of operators, from the weakest.
#include "measure/components/components_expression.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct parser {
    const char *text, *at;
    lg_expression *out;
    int stack;   // entries now
    int nesting; // parentheses and signs that are open
    lg_error *error;
} parser;

enum { MOST_NESTING = 20 };

// ---- errors and steps ---------------------------------------------------------------------------

#define SHOWN 24 // characters of the text in messages

static lg_status fail_at(const parser *p, const char *at, const char *what)
{
    const int position = (int)(at - p->text) + 1;
    if (*at == '\0')
        return lg_fail(p->error, LG_ERROR_ARGUMENT, "at the end of the expression: %s", what);
    return lg_fail(p->error, LG_ERROR_ARGUMENT, "expression, character %d, at \"%.*s%s\": %s",
                   position, SHOWN, at, strlen(at) > SHOWN ? "..." : "", what);
}

static lg_status push(parser *p, lg_step step)
{
    lg_expression *out = p->out;
    if (out->steps == LG_MOST_STEPS)
        return fail_at(p, p->at,
                       "the expression is too long; at most 500 numbers, columns and operators");
    p->stack += step.kind <= LG_STEP_COLUMN ? 1 : step.kind <= LG_STEP_NOT ? 0 : -1;
    out->stack = LG_MAX(out->stack, p->stack);
    if (out->stack > LG_MOST_STACK)
        return fail_at(p, p->at, "the expression is nested too deep");
    out->step[out->steps++] = step;
    return LG_OK;
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
}

static bool take(parser *p, const char *word)
{
    skip_blanks(p);
    if (strncmp(p->at, word, strlen(word)) != 0)
        return false;
    p->at += strlen(word);
    return true;
}

// ---- operands -----------------------------------------------------------------------------------

static lg_status parse_or(parser *p);

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static lg_status parse_name(parser *p)
{
    char name[64];
    size_t length = 0;
    while (is_name(p->at[length]))
        length++;
    lg_step step = {.kind = LG_STEP_COLUMN};
    lg_error cause;
    snprintf(name, sizeof name, "%.*s", (int)LG_MIN(length, sizeof name - 1), p->at);
    if (lg_column_find(name, &step.column, &cause) != LG_OK)
        return fail_at(p, p->at, cause.message);
    p->at += length;
    return push(p, step);
}

static lg_status parse_number(parser *p)
{
    lg_step step = {.kind = LG_STEP_NUMBER};
    const char *end;
    if (!lg_parse_number(p->at, &end, &step.number) || is_name(*end) || *end == '.')
        return fail_at(p, p->at, "this is no decimal number");
    p->at = end;
    return push(p, step);
}

static lg_status parse_operand(parser *p)
{
    skip_blanks(p);
    if (*p->at == '(') {
        const char *open = p->at++;
        if (++p->nesting > MOST_NESTING)
            return fail_at(p, open, "parentheses are nested too deep");
        const lg_status status = parse_or(p);
        p->nesting--;
        if (status == LG_OK && !take(p, ")"))
            return fail_at(p, p->at, "a ) or an operator is expected");
        return status;
    }
    if ((*p->at >= '0' && *p->at <= '9') || *p->at == '.')
        return parse_number(p);
    if (is_name(*p->at))
        return parse_name(p);
    return fail_at(p, p->at, "a number, a column or ( is expected");
}

static lg_status parse_signed(parser *p)
{
    bool negative = false;
    for (skip_blanks(p); *p->at == '-' || *p->at == '+'; skip_blanks(p))
        negative ^= *p->at++ == '-';
    const lg_status status = parse_operand(p);
    return status == LG_OK && negative ? push(p, (lg_step){.kind = LG_STEP_NEGATE}) : status;
}

// ---- operators ----------------------------------------------------------------------------------

typedef struct operator_row {
    const char *word;
    lg_step_kind kind;
} operator_row;

static const operator_row *take_operator(parser *p, const operator_row *rows)
{
    for (; rows->word; rows++)
        if (take(p, rows->word))
            return rows;
    return NULL;
}

// Operands of one rank with operators between them, from the left.
static lg_status parse_chain(parser *p, const operator_row *rows, lg_status (*operand)(parser *))
{
    lg_status status = operand(p);
    const operator_row *row;
    while (status == LG_OK && (row = take_operator(p, rows))) {
        status = operand(p);
        if (status == LG_OK)
            status = push(p, (lg_step){.kind = row->kind});
    }
    return status;
}

static lg_status parse_product(parser *p)
{
    static const operator_row rows[] = {{"*", LG_STEP_MULTIPLY}, {"/", LG_STEP_DIVIDE}, {NULL, 0}};
    return parse_chain(p, rows, parse_signed);
}

static lg_status parse_sum(parser *p)
{
    static const operator_row rows[] = {{"+", LG_STEP_ADD}, {"-", LG_STEP_SUBTRACT}, {NULL, 0}};
    return parse_chain(p, rows, parse_product);
}

static const operator_row comparisons[] = {
    {"<=", LG_STEP_LESS_EQUAL},
    {">=", LG_STEP_GREATER_EQUAL},
    {"==", LG_STEP_EQUAL},
    {"!=", LG_STEP_UNEQUAL},
    {"<", LG_STEP_LESS},
    {">", LG_STEP_GREATER},
    {NULL, 0},
};

static lg_status parse_comparison(parser *p)
{
    lg_status status = parse_sum(p);
    const operator_row *row = status == LG_OK ? take_operator(p, comparisons) : NULL;
    if (!row)
        return status;
    status = parse_sum(p);
    if (status == LG_OK)
        status = push(p, (lg_step){.kind = row->kind});
    const char *end = p->at;
    if (status == LG_OK && take_operator(p, comparisons))
        return fail_at(p, end, "comparisons do not chain; join two with &&");
    return status;
}

static lg_status parse_not(parser *p)
{
    skip_blanks(p);
    if (*p->at != '!' || p->at[1] == '=')
        return parse_comparison(p);
    const char *sign = p->at++;
    if (++p->nesting > MOST_NESTING)
        return fail_at(p, sign, "! is nested too deep");
    const lg_status status = parse_not(p);
    p->nesting--;
    return status == LG_OK ? push(p, (lg_step){.kind = LG_STEP_NOT}) : status;
}

static lg_status parse_and(parser *p)
{
    static const operator_row rows[] = {{"&&", LG_STEP_AND}, {NULL, 0}};
    return parse_chain(p, rows, parse_not);
}

static lg_status parse_or(parser *p)
{
    static const operator_row rows[] = {{"||", LG_STEP_OR}, {NULL, 0}};
    return parse_chain(p, rows, parse_and);
}

static lg_status fail_rest(const parser *p)
{
    static const struct {
        const char *start, *hint;
    } hints[] = {{"=", "equality is =="},     {"&", "and is &&"}, {"|", "or is ||"},
                 {"and", "and is &&"},        {"or", "or is ||"}, {"not", "not is !"},
                 {")", "there is no ( to it"}};
    for (size_t i = 0; i < LG_COUNT(hints); i++)
        if (strncmp(p->at, hints[i].start, strlen(hints[i].start)) == 0)
            return fail_at(p, p->at, hints[i].hint);
    return fail_at(p, p->at, "an operator is expected: + - * / < <= > >= == != && ||");
}

lg_status lg_expression_parse(const char *text, lg_expression *out, lg_error *error)
{
    parser p = {.text = text, .at = text, .out = out, .error = error};
    out->steps = out->stack = 0;
    skip_blanks(&p);
    if (*p.at == '\0')
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the expression is empty; for example: area >= 50 && circularity > 0.8");
    const lg_status status = parse_or(&p);
    skip_blanks(&p);
    return status == LG_OK && *p.at ? fail_rest(&p) : status;
}

lg_status lg_components_needs(const char *expression, unsigned *needs, lg_error *error)
{
    if (!expression || !needs)
        return lg_fail_null(error, "an expression, and a place for what it needs");
    lg_expression
        parsed; // without memory of its own: options are checked so, and only mistakes fail
    const lg_status status = lg_expression_parse(expression, &parsed, error);
    unsigned found = 0;
    for (int i = 0; status == LG_OK && i < parsed.steps; i++)
        if (parsed.step[i].kind == LG_STEP_COLUMN)
            found |= lg_column_needs(parsed.step[i].column);
    if (status == LG_OK)
        *needs = found;
    return status;
}
