// lumagraph devices
#include "session.h"

#include <stdlib.h>

// As in other tools: 8, 4, 4, 4 and 12 digits.
static const char *uuid_text(const lg_device_info *device, char text[40])
{
    size_t at = 0;
    bool any = false;
    for (int i = 0; i < 16; i++) {
        any = any || device->uuid[i];
        at += (size_t)snprintf(text + at, 40 - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", device->uuid[i]);
    }
    return any ? text : NULL;
}

static void device_json(lg_json *json, const lg_device_info *device)
{
    char name[32], uuid[40];
    snprintf(name, sizeof name, device->kind == LG_DEVICE_CPU ? "cpu" : "vulkan:%d", device->index);
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "device", name);
    lg_json_text(json, "name", device->name);
    lg_json_bool(json, "usable", device->usable);
    lg_json_bool(json, "hardware", device->hardware);
    lg_json_text(json, "driver", device->driver);
    lg_json_text(json, "api", device->api);
    lg_json_text(json, "reason", device->reason[0] ? device->reason : NULL);
    lg_json_bool(json, "compiler", device->compiler);
    lg_json_text(json, "no_compiler", device->no_compiler[0] ? device->no_compiler : NULL);
    lg_json_unsigned(json, "memory", device->memory);
    lg_json_integer(json, "subgroup_size", device->subgroup_size);
    lg_json_integer(json, "threads", device->threads);
    lg_json_text(json, "uuid", uuid_text(device, uuid));
    lg_json_end(json, '}');
}

static void report_json(FILE *out, const lg_device_info *devices, size_t count, const char *why)
{
    lg_json json = {.stream = out};
    lg_json_begin(&json, NULL, '{');
    lg_json_text(&json, "schema", "lumagraph.devices/1");
    lg_json_begin(&json, "devices", '[');
    for (size_t i = 0; i < count; i++)
        device_json(&json, &devices[i]);
    lg_json_end(&json, ']');
    lg_json_text(&json, "why_no_vulkan", why[0] ? why : NULL);
    lg_json_end(&json, '}');
}

static void report_csv(FILE *out, const lg_device_info *devices, size_t count)
{
    static const char *const names[] = {
        "device",        "name",    "usable", "hardware", "driver",      "api", "memory",
        "subgroup_size", "threads", "reason", "compiler", "no_compiler", "uuid"};
    lg_csv csv = {.stream = out};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        lg_csv_text(&csv, names[i]);
    lg_csv_row(&csv);
    for (size_t i = 0; i < count; i++) {
        char name[32], uuid[40];
        const lg_device_info *device = &devices[i];
        snprintf(name, sizeof name, device->kind == LG_DEVICE_CPU ? "cpu" : "vulkan:%d",
                 device->index);
        lg_csv_text(&csv, name);
        lg_csv_text(&csv, device->name);
        lg_csv_integer(&csv, device->usable);
        lg_csv_integer(&csv, device->hardware);
        lg_csv_text(&csv, device->driver);
        lg_csv_text(&csv, device->api);
        lg_csv_unsigned(&csv, device->memory);
        lg_csv_integer(&csv, device->subgroup_size);
        lg_csv_integer(&csv, device->threads);
        lg_csv_text(&csv, device->reason);
        lg_csv_integer(&csv, device->compiler);
        lg_csv_text(&csv, device->no_compiler);
        lg_csv_text(&csv, uuid_text(device, uuid) ? uuid : "");
        lg_csv_row(&csv);
    }
}

static void report_text(FILE *out, const lg_device_info *devices, size_t count, const char *why)
{
    lg_table table = {.columns = 7};
    static const char *const names[] = {"device", "name",   "driver", "api",
                                        "memory", "usable", "filters"};
    char clean[400];
    for (int i = 0; i < table.columns; i++)
        lg_table_cell(&table, "%s", names[i]);
    for (size_t i = 0; i < count; i++) {
        const lg_device_info *device = &devices[i];
        lg_table_cell(&table, device->kind == LG_DEVICE_CPU ? "cpu" : "vulkan:%d", device->index);
        lg_table_cell(&table, "%s", device->name);
        lg_table_cell(&table, "%s", device->driver);
        lg_table_cell(&table, "%s", device->api);
        if (device->memory > 0)
            lg_table_cell(&table, "%.1f GiB", (double)device->memory / 0x1p30);
        else
            lg_table_cell(&table, "-");
        lg_table_cell(&table, "%s%s%s", device->usable ? "yes" : "no: ",
                      device->usable ? (device->hardware || device->kind == LG_DEVICE_CPU
                                            ? ""
                                            : ", in software: for tests")
                                     : device->reason,
                      "");
        lg_table_cell(&table, "%s", !device->usable ? "-" : device->compiler ? "yes" : "no");
    }
    lg_table_print(&table, out, 0x6fu);
    for (size_t i = 0; i < count; i++)
        if (devices[i].usable && !devices[i].compiler) {
            fprintf(out, "no filters on vulkan:%d but those that were compiled before:\n  ",
                    devices[i].index);
            lg_print_wrapped(out, lg_sanitise(devices[i].no_compiler, clean, sizeof clean), 2);
        }
    if (why[0])
        lg_print_wrapped(out, lg_sanitise(why, clean, sizeof clean), fprintf(out, "no Vulkan: "));
}

static lg_status list(lg_device_info **devices, size_t *count, char *why, lg_error *error)
{
    lg_status status = lg_devices_list(NULL, 0, count, why, error);
    if (status != LG_OK)
        return status;
    size_t capacity = *count;
    *devices = calloc(capacity + 1, sizeof **devices);
    if (!*devices)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu devices", capacity);
    status = lg_devices_list(*devices, capacity, count, why, error);
    *count = *count < capacity ? *count : capacity;
    return status;
}

int lg_command_devices(const lg_options *options)
{
    lg_error error = {0};
    lg_device_info *devices = NULL;
    lg_output *report = NULL;
    size_t count = 0;
    char why[256] = "";
    lg_status status = list(&devices, &count, why, &error);
    if (status == LG_OK)
        status = lg_output_open(options->output ? options->output : "-", &report, &error);
    if (status == LG_OK) {
        FILE *out = lg_output_stream(report);
        if (options->json)
            report_json(out, devices, count, why);
        else if (options->csv)
            report_csv(out, devices, count);
        else
            report_text(out, devices, count, why);
        status = lg_output_commit(&report, &error);
    }
    free(devices);
    if (status != LG_OK)
        lg_complain("%s%s%s", options->output ? options->output : "devices", ": ", error.message);
    return lg_exit_of(status);
}
