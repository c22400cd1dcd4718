// Which of its machine's devices a rank takes: ranks of one machine take them in turns.
#include "several_devices.h"
#include "team_messages.h"

#include <stdlib.h>

static uint64_t hash_file(const char *name, uint64_t hash)
{
    FILE *file = fopen(name, "rb");
    for (int c; file && (c = getc(file)) != EOF;)
        hash = (hash ^ (uint64_t)(unsigned char)c) * UINT64_C(0x100000001b3);
    if (file)
        fclose(file);
    return hash;
}

// The same on all ranks of a machine. A container with a name of its own counts as one, as its devices may be
// its own, too. Without these files all ranks are taken to be on one machine.
static uint64_t machine(void)
{
    const uint64_t hash = hash_file("/proc/sys/kernel/hostname", UINT64_C(0xcbf29ce484222325));
    return hash_file("/proc/sys/kernel/random/boot_id", hash);
}

// How many ranks with a lower number are on the machine of each.
static void count_before(const uint64_t *machines, int count, int *before)
{
    for (int i = 0; i < count; i++) {
        before[i] = 0;
        for (int k = 0; k < i; k++)
            before[i] += machines[k] == machines[i];
    }
}

static void lead(lg_team *team, uint64_t own)
{
    lg_error error = {0};
    uint64_t *machines = calloc((size_t)team->count, sizeof *machines);
    int *before = calloc((size_t)team->count, sizeof *before);
    if (!machines || !before) { // the others wait for a number
        lg_set_error(&error, LG_ERROR_MEMORY, "no memory for the ranks");
        lg_team_give_up(team, &error);
    } else {
        machines[0] = own;
        for (int i = 1; i < team->count; i++)
            lg_team_receive(team, i, &machines[i], sizeof *machines);
        count_before(machines, team->count, before);
        for (int i = 1; i < team->count; i++)
            lg_team_send(team, i, &before[i], sizeof *before);
    }
    free(machines);
    free(before);
}

// The number of this rank among those of its machine. All ranks come here at the same time.
static int number_here(lg_team *team)
{
    const uint64_t own = machine();
    int number = 0;
    if (team->rank == 0) { // the lowest one everywhere
        lead(team, own);
    } else {
        lg_team_send(team, 0, &own, sizeof own);
        lg_team_receive(team, 0, &number, sizeof number);
    }
    return number;
}

lg_status lg_team_take_device(lg_team *team, lg_options *options, lg_error *error)
{
    int indices[LG_MAX_DEVICES], count = 0;
    const bool several = options->all_gpus || options->device_count;
    if (!several && options->device != LG_DEVICE_AUTO)
        return LG_OK;
    team->number = number_here(team);
    lg_status status = several ? lg_several_indices(options, indices, &count, error) : LG_OK;
    status = lg_team_agree(team, status, error);
    if (status || !several)
        return status;
    options->device_index = indices[team->number % count];
    options->device_count = 0;
    options->all_gpus = false;
    return LG_OK;
}

void lg_team_place(const lg_options *options, lg_context_params *params)
{
    lg_error ignored;
    lg_options gpus = {.all_gpus = true};
    int indices[LG_MAX_DEVICES], count = 0;
    if (!options->team || lg_several_indices(&gpus, indices, &count, &ignored) != LG_OK)
        return;
    params->device = LG_DEVICE_VULKAN;
    params->device_index = indices[options->team->number % count];
}
