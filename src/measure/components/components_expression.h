// Expressions over columns of components, compiled to steps on a stack.
#ifndef LG_COMPONENTS_EXPRESSION_H
#define LG_COMPONENTS_EXPRESSION_H

#include "measure/components/component_sums.h"

typedef enum lg_step_kind {
    LG_STEP_NUMBER,
    LG_STEP_COLUMN, // these two push; the next two change the top; all others join the top two
    LG_STEP_NEGATE,
    LG_STEP_NOT,
    LG_STEP_ADD,
    LG_STEP_SUBTRACT,
    LG_STEP_MULTIPLY,
    LG_STEP_DIVIDE,
    LG_STEP_LESS,
    LG_STEP_LESS_EQUAL,
    LG_STEP_GREATER,
    LG_STEP_GREATER_EQUAL,
    LG_STEP_EQUAL,
    LG_STEP_UNEQUAL,
    LG_STEP_AND,
    LG_STEP_OR,
} lg_step_kind;

typedef struct lg_step {
    lg_step_kind kind;
    double number;
    lg_column column;
} lg_step;

enum { LG_MOST_STEPS = 500, LG_MOST_STACK = 40 };

typedef struct lg_expression {
    lg_step step[LG_MOST_STEPS];
    int steps;
    int stack; // entries that the evaluation needs
} lg_expression;

// Errors: LG_ERROR_ARGUMENT with the position.
lg_status lg_expression_parse(const char *text, lg_expression *out, lg_error *error);

#endif
