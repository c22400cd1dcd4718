// Small integers measured once per device: which kernel variant is the fastest here.
#include "vulkan/vk_private.h"

#include <string.h>

static const char kind[] = "choices";

enum { MOST = 4096 };

static void load(lg_vk *vk)
{
    if (vk->choices_loaded)
        return;
    vk->choices_loaded = true;
    void *payload;
    size_t size;
    if (!lg_vk_cache_read(vk, kind, &payload, &size))
        return;
    const size_t count = size / sizeof *vk->choices;
    if (size % sizeof *vk->choices || count > MOST) {
        lg_free(payload);
        return;
    }
    vk->choices = payload;
    vk->choice_count = count;
    for (size_t i = 0; i < count; i++)
        vk->choices[i].key[sizeof vk->choices[i].key - 1] = '\0';
}

static lg_vk_choice *find(lg_vk *vk, const char *key)
{
    load(vk);
    for (size_t i = 0; i < vk->choice_count; i++)
        if (strcmp(vk->choices[i].key, key) == 0)
            return &vk->choices[i];
    return NULL;
}

bool lg_vk_remembered(lg_vk *vk, const char *key, int32_t *value)
{
    const lg_vk_choice *choice = find(vk, key);
    if (choice)
        *value = choice->value;
    return choice != NULL;
}

void lg_vk_remember(lg_vk *vk, const char *key, int32_t value)
{
    lg_vk_choice *choice = find(vk, key);
    if (choice && choice->value == value)
        return;
    if (!choice) {
        if (strlen(key) >= sizeof choice->key || vk->choice_count >= MOST)
            return;
        lg_vk_choice *more = lg_alloc_array(vk->choice_count + 1, sizeof *more);
        if (!more)
            return;
        if (vk->choice_count)
            memcpy(more, vk->choices, vk->choice_count * sizeof *more);
        lg_free(vk->choices);
        vk->choices = more;
        choice = &more[vk->choice_count++];
        strcpy(choice->key, key);
    }
    choice->value = value;
    if (vk->cache_dir)
        lg_vk_cache_write(vk, kind, vk->choices, vk->choice_count * sizeof *vk->choices);
}
