// Expressions over columns, the largest components, removal, colours and outlines.
#include "check.h"
#include "device.h"

#include "measure/components/component_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000 };

static lg_components c;
static lg_component_basic basic[COUNT];
static lg_component_shape border[COUNT];
static lg_component_second second[COUNT];
static lg_component_intensity intensity[COUNT];

static void fill(void)
{
    c = (lg_components){.count = COUNT,
                        .width = 100,
                        .height = 80,
                        .layers = 1,
                        .connectivity = 8,
                        .unit = 1,
                        .basic = basic,
                        .second = second,
                        .intensity = intensity,
                        .shape = border};
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t area = 1 + random_below(60);
        const int32_t x = (int32_t)random_below(90), y = (int32_t)random_below(70);
        basic[i] = (lg_component_basic){.area = area,
                                        .sum = {area * (uint64_t)(x + 2), area * (uint64_t)(y + 3)},
                                        .low = {x, y},
                                        .high = {x + 4, y + 6}};
        border[i] = (lg_component_shape){.border = {random_below(30)}}; // 0: no circularity
        second[i].xx = i;
        intensity[i].sum = (__int128)i;
        intensity[i].count = 1;
    }
}

// ---- expressions --------------------------------------------------------------------------------

typedef struct row {
    double area, x, cx, perimeter, circularity;
    bool edge;
} row;

static row row_of(uint32_t i)
{
    const double area = (double)basic[i].area, p = (double)border[i].border[0];
    return (row){.area = area,
                 .x = basic[i].low[0],
                 .cx = basic[i].low[0] + 2,
                 .perimeter = p,
                 .circularity = p > 0 ? 4 * M_PI * area / (p * p) : NAN,
                 .edge = basic[i].low[0] == 0 || basic[i].low[1] == 0 || basic[i].high[0] == 99 ||
                         basic[i].high[1] == 79};
}

#define CASES                                                                                      \
    CASE("area>=50", r.area >= 50)                                                                 \
    CASE(" area >= 50&&circularity>0.8 ", r.area >= 50 && r.circularity > 0.8)                     \
    CASE("area<20 || area>40", r.area<20 || r.area> 40)                                            \
    CASE("area<20 || area>40 && x<30", r.area < 20 || (r.area > 40 && r.x < 30))                   \
    CASE("(area<20 || area>40) && x<30", (r.area < 20 || r.area > 40) && r.x < 30)                 \
    CASE("!edge", !r.edge)                                                                         \
    CASE("edge", r.edge)                                                                           \
    CASE("!area>30", !(r.area > 30))                                                               \
    CASE("!!edge", r.edge)                                                                         \
    CASE("!edge && area==7", !r.edge && r.area == 7)                                               \
    CASE("area!=7", r.area != 7)                                                                   \
    CASE("circularity<=1", r.circularity <= 1)                                                     \
    CASE("circularity==circularity", r.perimeter > 0)                                              \
    CASE("circularity!=0", r.perimeter > 0)                                                        \
    CASE("!(circularity>1)", !(r.circularity > 1))                                                 \
    CASE("circularity", r.perimeter > 0)                                                           \
    CASE("area-perimeter-x<0", r.area - r.perimeter - r.x < 0)                                     \
    CASE("area-(perimeter-x)<0", r.area - (r.perimeter - r.x) < 0)                                 \
    CASE("area*2+x*3>100", r.area * 2 + r.x * 3 > 100)                                             \
    CASE("area/2/3>4", r.area / 2 / 3 > 4)                                                         \
    CASE("area/(2/3.)>40", r.area / (2 / 3.) > 40)                                                 \
    CASE("-area<-30", -r.area < -30)                                                               \
    CASE("- -area > --30", r.area > 30)                                                            \
    CASE("+area>3e1", r.area > 30)                                                                 \
    CASE("area>.5e2", r.area > 50)                                                                 \
    CASE("cx-x==2", true)                                                                          \
    CASE("x/0>1", r.x > 0)                                                                         \
    CASE("0", false)                                                                               \
    CASE("1", true)                                                                                \
    CASE("label<=10", i < 10)                                                                      \
    CASE("width==5&&height==7&&depth==1&&z==0", true)                                              \
    CASE("((((((((((area))))))))))>30", r.area > 30)                                               \
    CASE("area\t>\n30", r.area > 30)

static void test_expressions(void)
{
    uint8_t keep[COUNT];
    lg_error error = {LG_OK, ""};
    bool same;
    int yes;
#define CASE(text, expected)                                                                       \
    memset(keep, 77, sizeof keep);                                                                 \
    CHECK(lg_components_select(&c, text, keep, &error) == LG_OK, "%s: %s", text, error.message);   \
    same = true;                                                                                   \
    yes = 0;                                                                                       \
    for (uint32_t i = 0; i < COUNT; i++) {                                                         \
        const row r = row_of(i);                                                                   \
        (void)r;                                                                                   \
        same &= keep[i] == (expected);                                                             \
        yes += keep[i];                                                                            \
    }                                                                                              \
    CHECK(same, "%s: %d are true", text, yes);
    CASES
#undef CASE
}

static void test_errors(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "empty"},
        {"   ", "empty"},
        {"are>=50", "character 1, at \"are>=50\": there is no column 'are'; did you mean area?"},
        {"area>=50 && circularty>1", "character 13, at \"circularty>1\": there is no column"},
        {"area>=", "at the end of the expression: a number, a column or ( is expected"},
        {"area=5", "character 5, at \"=5\": equality is =="},
        {"area>5 & x<3", "and is &&"},
        {"area>5 | x<3", "or is ||"},
        {"area>5 and x<3", "and is &&"},
        {"5<area<9", "character 7, at \"<9\": comparisons do not chain"},
        {"area>5)", "there is no ( to it"},
        {"(area>5", "at the end of the expression: a ) or an operator"},
        {"area 5", "an operator is expected"},
        {"area>5x", "this is no decimal number"},
        {"area>1.2.3", "this is no decimal number"},
        {"area>0x10", "this is no decimal number"},
        {"area>1e999", "this is no decimal number"},
        {"nan>3", "there is no column 'nan'"},
        {"area>>3", "a number, a column or ( is expected"},
        {"area ^ 2 > 3", "an operator is expected"},
        {"area>50; x", "an operator is expected"},
        {"\xc3\xa9>3", "a number, a column or ( is expected"},
    };
    uint8_t keep[COUNT];
    unsigned needs = 99;
    lg_error error;
    for (size_t i = 0; i < LG_COUNT(wrong); i++) {
        memset(keep, 77, sizeof keep);
        CHECK(lg_components_select(&c, wrong[i].text, keep, &error) == LG_ERROR_ARGUMENT &&
                  strstr(error.message, wrong[i].message) && !strchr(error.message, '\n'),
              "'%s': %s", wrong[i].text, error.message);
        CHECK(keep[0] == 77, "'%s' leaves the output alone", wrong[i].text);
        CHECK(lg_components_needs(wrong[i].text, &needs, NULL) == LG_ERROR_ARGUMENT && needs == 99,
              "'%s'", wrong[i].text);
    }
    char deep[20000];
    for (int kind = 0; kind < 3; kind++) { // parentheses, signs of !, and sheer length
        memset(deep, kind == 0 ? '(' : kind == 1 ? '!' : '1', sizeof deep);
        for (size_t i = 1; kind == 2 && i < sizeof deep; i += 2)
            deep[i] = '+';
        strcpy(deep + sizeof deep - 8, "area");
        CHECK(lg_components_needs(deep, &needs, &error) == LG_ERROR_ARGUMENT &&
                  (strstr(error.message, "deep") || strstr(error.message, "too long")),
              "%s", error.message);
    }
    c.shape = NULL;
    CHECK(lg_components_select(&c, "area>3 && circularity>0.8", keep, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "circularity needs the shape"),
          "%s", error.message);
    c.shape = border;
}

static void test_needs(void)
{
    static const struct {
        const char *text;
        unsigned needs;
    } cases[] = {
        {"area>3", 0},
        {"orientation>1", LG_NEEDS_MOMENTS | LG_NEEDS_PLANE},
        {"major_axis>2*minor_axis", LG_NEEDS_MOMENTS},
        {"area>1 || circularity<1", LG_NEEDS_SHAPE | LG_NEEDS_PLANE},
        {"mean>3 && !(stddev>sum)", LG_NEEDS_INTENSITY},
        {"mx-cx>0 && eccentricity<1", LG_NEEDS_INTENSITY | LG_NEEDS_MOMENTS | LG_NEEDS_PLANE},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        unsigned needs = 99;
        CHECK(lg_components_needs(cases[i].text, &needs, NULL) == LG_OK && needs == cases[i].needs,
              "%s: %u", cases[i].text, needs);
    }
}

// A random expression in parentheses: its text, and its value for a component.
static double random_expression(int depth, uint32_t i, char *text, size_t size)
{
    static const char *const words[] = {
        "+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    const row r = row_of(i);
    if (depth == 0) {
        const struct {
            const char *text;
            double value;
        } leaves[] = {
            {"area", r.area}, {"x", r.x},       {"cx", r.cx}, {"perimeter", r.perimeter},
            {"1.5", 1.5},     {"edge", r.edge}, {"0", 0},     {"circularity", r.circularity},
            {"30", 30},       {"-2e1", -20}};
        const uint32_t at = random_below(LG_COUNT(leaves));
        snprintf(text, size, "%s", leaves[at].text);
        return leaves[at].value;
    }
    char left[400], right[400];
    const double a = random_expression(depth - 1, i, left, sizeof left);
    const uint32_t kind = random_below(14);
    if (kind >= 12) {
        snprintf(text, size, kind == 12 ? "-(%s)" : "(!(%s))", left);
        return kind == 12 ? -a : !(a < 0 || a > 0);
    }
    const double b = random_expression(depth - 1, i, right, sizeof right);
    const bool ta = a < 0 || a > 0, tb = b < 0 || b > 0; // neither 0 nor NaN
    const double values[] = {a + b,  a - b,  a * b,          a / b,    a<b, a <= b, a> b,
                             a >= b, a == b, a < b || a > b, ta && tb, ta || tb};
    snprintf(text, size, "(%s)%s%s(%s)", left, random_below(2) ? " " : "", words[kind], right);
    return values[kind];
}

static void test_random_expressions(void)
{
    uint8_t keep[COUNT];
    lg_error error = {LG_OK, ""};
    for (int round = 0; round < test_extent(100, 600, 5000); round++) {
        char text[1000];
        const uint32_t i = random_below(COUNT);
        const double value = random_expression(1 + (int)random_below(4), i, text, sizeof text);
        CHECK(lg_components_select(&c, text, keep, &error) == LG_OK &&
                  keep[i] == (value < 0 || value > 0),
              "%s of component %u: %d, not %g; %s", text, i, keep[i], value, error.message);
    }
    // Anything else is a message of one line, or a value.
    static const char *const pieces[] = {"area", "x", "(", ")", "!",  "&&", "||",   "<", "=", "-",
                                         "+",    "*", "/", "1", ".5", " ",  "\xff", ",", "&", "e9"};
    for (int round = 0; round < test_extent(500, 3000, 20000); round++) {
        char text[200] = "";
        for (uint32_t n = random_below(9); n > 0; n--)
            strcat(text, pieces[random_below(LG_COUNT(pieces))]);
        error.message[0] = '\0';
        const lg_status status = lg_components_select(&c, text, keep, &error);
        CHECK(status == LG_OK ||
                  (status == LG_ERROR_ARGUMENT && *error.message && !strchr(error.message, '\n')),
              "'%s': %s", text, error.message);
    }
}

// ---- the largest --------------------------------------------------------------------------------

static void test_largest(void)
{
    uint8_t keep[COUNT], candidate[COUNT];
    for (int round = 0; round < 60; round++) {
        const uint32_t k = round < 3 ? (uint32_t)round : random_below(COUNT + 20);
        uint32_t candidates = 0;
        for (int i = 0; i < COUNT; i++)
            candidates += candidate[i] = round == 3 ? 1 : random_below(3) > 0;
        memcpy(keep, candidate, sizeof keep);
        CHECK(lg_components_largest(&c, k, keep, NULL) == LG_OK, "the %u largest", k);
        uint32_t wrong = 0, stay = 0;
        for (uint32_t i = 0; i < COUNT; i++) { // who comes before i, by area, then by label?
            uint32_t before = 0;
            for (uint32_t j = 0; j < COUNT; j++)
                before += candidate[j] && (basic[j].area > basic[i].area ||
                                           (basic[j].area == basic[i].area && j < i));
            wrong += keep[i] != (candidate[i] && before < k);
            stay += keep[i];
        }
        CHECK(wrong == 0 && stay == LG_MIN(k, candidates), "%u largest of %u: %u wrong", k,
              candidates, wrong);
    }
}

// ---- removal and pictures -----------------------------------------------------------------------

static uint32_t *at(const lg_labels *l, int z, int y, int x)
{
    return l->data + (size_t)z * (l->layer_stride / 4) + (size_t)y * (l->row_stride / 4) + x;
}

static lg_labels *random_labels(lg_context *context, uint32_t max)
{
    lg_labels *labels = NULL;
    lg_error error;
    NEED(lg_labels_create(context, 37, 29, 3, &labels, &error) == LG_OK, "%s", error.message);
    for (int i = 0; i < 37 * 29 * 3; i++)
        *at(labels, i / 37 / 29, i / 37 % 29, i % 37) =
            random_below(3) ? (uint32_t)(random_u64() % (max + 1)) : 0;
    labels->count = max;
    return labels;
}

static void test_keep(lg_context *context)
{
    uint8_t keep[COUNT];
    lg_error error;
    for (int round = 0; round < 6; round++) { // all, none, and some
        fill();
        lg_labels *labels = random_labels(context, COUNT), *before = random_labels(context, COUNT);
        const size_t bytes = labels->layer_stride * 3;
        memcpy(before->data, labels->data, bytes);
        uint32_t map[COUNT + 1] = {0}, n = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            keep[i] = round == 0 || (round > 1 && random_below(2));
            map[i + 1] = keep[i] ? ++n : 0;
        }
        CHECK(lg_components_keep(context, labels, round == 5 ? NULL : &c, keep, &error) == LG_OK,
              "%s", error.message);
        int wrong = 0;
        for (int i = 0; i < 37 * 29 * 3; i++)
            wrong += *at(labels, i / 37 / 29, i / 37 % 29, i % 37) !=
                     map[*at(before, i / 37 / 29, i / 37 % 29, i % 37)];
        for (uint32_t i = 0; i < COUNT && round < 5; i++) // second[i].xx is the old number
            wrong += keep[i] && (second[map[i + 1] - 1].xx != i ||
                                 intensity[map[i + 1] - 1].sum != (__int128)i);
        CHECK(wrong == 0 && labels->count == n && (round == 5 || lg_components_count(&c) == n),
              "%d wrong in round %d", wrong, round);
        CHECK(round == 5 || round == 0 ||
                  lg_components_keep(context, before, &c, keep, &error) == LG_ERROR_ARGUMENT,
              "labels of others");
        lg_labels_destroy(&labels);
        lg_labels_destroy(&before);
    }
}

// Neighbouring numbers are far apart, and nothing is black.
static void test_colors(void)
{
    int min = 1000, least_light = 1000;
    for (uint32_t i = 1; i < 100000; i++) {
        uint8_t a[3], b[3];
        lg_label_color(i, a);
        least_light = LG_MIN(least_light, a[0] + a[1] + a[2]);
        for (uint32_t j = i + 1; j <= i + 6; j++) {
            lg_label_color(j, b);
            min = LG_MIN(min, abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]));
        }
    }
    CHECK(min >= 60, "colours of near numbers differ by %d", min);
    CHECK(least_light >= 200, "the darkest colour has %d", least_light);
    uint8_t zero[3] = {1, 1, 1}, last[3];
    lg_label_color(0, zero);
    lg_label_color(UINT32_MAX, last);
    CHECK(zero[0] + zero[1] + zero[2] == 0 && last[0] + last[1] + last[2] > 0, "ends");
}

static uint8_t *pixel(const lg_image *image, int z, int y, int x)
{
    return (uint8_t *)image->data + (size_t)z * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride + 4 * (size_t)x;
}

static bool is_outline(const lg_labels *l, int z, int y, int x)
{
    static const int dx[] = {-1, 1, 0, 0}, dy[] = {0, 0, -1, 1};
    for (int i = 0; i < 4; i++) {
        const int u = x + dx[i], v = y + dy[i];
        if (u >= 0 && v >= 0 && u < l->width && v < l->height && *at(l, z, v, u) != *at(l, z, y, x))
            return *at(l, z, y, x) != 0;
    }
    return false;
}

static void test_pictures(lg_context *context)
{
    lg_error error = {LG_OK, ""};
    for (int type = 0; type < LG_TYPES; type++)
        for (int channels = 1; channels <= 4; channels += 3) {
            lg_labels *labels = random_labels(context, 3);
            const lg_image_params shape = {.width = 37,
                                           .height = 29,
                                           .layers = 3,
                                           .channels = channels,
                                           .type = (lg_type)type,
                                           .alpha = channels == 4 ? LG_ALPHA_OPAQUE : 0};
            lg_image *image = NULL, *colors = NULL, *overlay = NULL, *samples = NULL;
            const lg_overlay_params params = {
                .size = sizeof(lg_overlay_params), .distinct = channels == 4, .color = {9, 8, 7}};
            NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
            if (type == LG_U8)
                random_bytes(image->data, image->shape.layer_stride * 3);
            CHECK(lg_labels_colors(context, labels, &colors, &error) == LG_OK &&
                      lg_labels_overlay(context, labels, image, &params, &overlay, &error) ==
                          LG_OK &&
                      lg_labels_image(context, labels, &samples, &error) == LG_OK,
                  "%s", error.message);
            int wrong = 0;
            for (int i = 0; i < 37 * 29 * 3; i++) {
                const int z = i / 37 / 29, y = i / 37 % 29, x = i % 37;
                uint8_t color[3], below[3] = {0};
                lg_label_color(*at(labels, z, y, x), color);
                wrong += memcmp(pixel(colors, z, y, x), color, 3) != 0;
                wrong += ((uint16_t *)(void *)((uint8_t *)samples->data +
                                               (size_t)z * samples->shape.layer_stride +
                                               (size_t)y * samples->shape.row_stride))[x] !=
                         *at(labels, z, y, x);
                for (int k = 0; type == LG_U8 && k < 3; k++)
                    below[k] =
                        ((uint8_t *)
                             image->data)[(size_t)z * image->shape.layer_stride +
                                          (size_t)y * image->shape.row_stride +
                                          (size_t)(x * channels) + (size_t)(channels == 4 ? k : 0)];
                const uint8_t *expected = !is_outline(labels, z, y, x) ? below
                                          : params.distinct            ? color
                                                                       : params.color;
                wrong += memcmp(pixel(overlay, z, y, x), expected, 3) != 0;
            }
            CHECK(wrong == 0, "%d samples of %s with %d channels", wrong,
                  lg_type_name((lg_type)type), channels);
            labels->count = 65536;
            lg_image_destroy(&samples);
            CHECK(lg_labels_image(context, labels, &samples, &error) == LG_ERROR_LIMIT &&
                      strstr(error.message, "u32 TIFF"),
                  "%s", error.message);
            lg_image_destroy(&image);
            lg_image_destroy(&colors);
            lg_image_destroy(&overlay);
            lg_labels_destroy(&labels);
        }
}

// Floats are stretched from the least to the greatest finite sample.
static void test_stretch(lg_context *context)
{
    static float samples[6] = {-2, NAN, 6, INFINITY, 2, -INFINITY};
    const lg_image_params shape = {.width = 6,
                                   .height = 1,
                                   .layers = 1,
                                   .channels = 1,
                                   .type = LG_F32,
                                   .row_stride = sizeof samples,
                                   .layer_stride = sizeof samples};
    static const uint8_t expected[6] = {0, 0, 255, 255, 128, 0};
    lg_image *image = NULL, *overlay = NULL;
    lg_labels *labels = NULL, *other = NULL;
    lg_error error;
    NEED(lg_image_wrap(context, &shape, samples, &image, &error) == LG_OK &&
             lg_labels_create(context, 6, 1, 1, &labels, &error) == LG_OK &&
             lg_labels_overlay(context, labels, image, NULL, &overlay, &error) == LG_OK,
         "%s", error.message);
    for (int x = 0; x < 6; x++)
        CHECK(pixel(overlay, 0, 0, x)[1] == expected[x], "sample %d is %d", x,
              pixel(overlay, 0, 0, x)[1]);
    CHECK(lg_labels_create(context, 5, 1, 1, &other, &error) == LG_OK &&
              lg_labels_overlay(context, other, image, NULL, &overlay, &error) == LG_ERROR_ARGUMENT,
          "%s", error.message);
    lg_image_destroy(&image);
    lg_image_destroy(&overlay);
    lg_labels_destroy(&labels);
    lg_labels_destroy(&other);
}

int main(void)
{
    lg_context *context = device_open_threads(3);
    random_seed(6);
    fill();
    test_expressions();
    test_errors();
    test_random_expressions();
    test_needs();
    test_largest();
    test_keep(context);
    test_colors();
    test_pictures(context);
    test_stretch(context);
    lg_context_destroy(&context);
    return check_finish("components_select");
}
