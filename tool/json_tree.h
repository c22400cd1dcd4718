// A JSON document of our own as a tree, with numbers as they are written: what is made from a document has
// its digits.
#ifndef LG_TOOL_JSON_TREE_H
#define LG_TOOL_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lg_json_node {
    char kind;          // '{' '[' '"' '0' (a number) 't' 'f' 'n'
    const char *key;    // of a member; NULL in an array
    const char *text;   // of a string without its escapes, of the others as written
    size_t first, next; // index of the first child, of the next sibling; 0: none
    size_t count;       // of children
} lg_json_node;

typedef struct lg_json_tree {
    lg_json_node *nodes; // the document is the first
    size_t used, capacity;
    char *text; // what the nodes point to
} lg_json_tree;

// Takes one document. False: no memory, or it is none that lg_json_begin ... lg_json_end write.
bool lg_json_tree_parse(const char *document, lg_json_tree *out);
void lg_json_tree_free(lg_json_tree *tree);

// The member of an object; NULL: there is none.
const lg_json_node *lg_json_member(const lg_json_tree *tree, const lg_json_node *object,
                                   const char *key);
// Children in their order; NULL behind the last.
const lg_json_node *lg_json_first(const lg_json_tree *tree, const lg_json_node *node);
const lg_json_node *lg_json_next(const lg_json_tree *tree, const lg_json_node *node);
// The text of a member that is a string or a number; "" where there is none.
const char *lg_json_text_of(const lg_json_tree *tree, const lg_json_node *object, const char *key);

#endif
