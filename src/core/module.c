#include "core/module.h"

#include "core/portable.h"
#include "module_paths.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef LG_PORTABLE
#include <link.h>
#include <sys/xattr.h>
#endif

// ---- which program, which file of it ------------------------------------------------------------

#ifdef LG_PORTABLE

bool lg_program_is_static(void)
{
    return false; // it is not asked for where programs are always dynamic
}

static bool own_folder(char *out, size_t size)
{
    static const char anchor;
    Dl_info own;
    const char *slash = dladdr(&anchor, &own) && own.dli_fname && own.dli_fname[0] == '/'
                            ? strrchr(own.dli_fname, '/')
                            : NULL;
    return slash &&
           snprintf(out, size, "%.*s", (int)(slash - own.dli_fname), own.dli_fname) < (int)size;
}

#else

typedef struct location {
    bool seen, is_static; // of the first object, which is the program
    bool found, in_program;
    char path[PATH_MAX];
} location;

static bool contains(const struct dl_phdr_info *object, const void *address)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (uintptr_t)address - start < part->p_memsz)
            return true;
    }
    return false;
}

static int visit(struct dl_phdr_info *object, size_t size, void *data)
{
    static const char anchor;
    location *own = data;
    if (!own->seen) {
        own->is_static = true;
        for (size_t i = 0; i < object->dlpi_phnum; i++)
            own->is_static = own->is_static && object->dlpi_phdr[i].p_type != PT_INTERP;
        own->in_program = contains(object, &anchor);
    }
    own->seen = true;
    own->found = contains(object, &anchor);
    if (own->found)
        snprintf(own->path, sizeof own->path, "%s", object->dlpi_name);
    return own->found;
}

bool lg_program_is_static(void)
{
    location own = {0};
    dl_iterate_phdr(visit, &own);
    return own.is_static;
}

// The folder of the file that this code is in. The name of the program is what
// its caller says, so that it is asked of the system; a library has the name
// that it was loaded by, which may be relative.
static bool own_folder(char *out, size_t size)
{
    location own = {0};
    dl_iterate_phdr(visit, &own);
    if (own.in_program) {
        const ssize_t length = readlink("/proc/self/exe", own.path, sizeof own.path - 1);
        own.path[LG_MAX(length, 0)] = 0;
    }
    char *slash = strrchr(own.path, '/');
    if (!own.found || own.path[0] != '/')
        return false;
    *slash = 0;
    return snprintf(out, size, "%s", own.path) < (int)size;
}

#endif

// ---- trust --------------------------------------------------------------------------------------

// A group of the same number as the owner is the owner's private one, unless an access list makes
// the bits of the group those of everybody on the list.
static bool group_may_write(const char *path, const struct stat *s)
{
#ifdef LG_PORTABLE // lists are read in another way, so that no group is trusted
    return (s->st_mode & S_IWGRP) != 0;
#else
    const bool private_group = s->st_gid == 0 || s->st_gid == (gid_t)s->st_uid;
    return (s->st_mode & S_IWGRP) &&
           (!private_group || getxattr(path, "system.posix_acl_access", NULL, 0) > 0);
#endif
}

// NULL where nobody but root and this user can change what is there; otherwise what speaks against
// it. A folder further up that others can write to lets them put something else in its place, but
// nothing that belongs to root or to this user.
static const char *distrust(const char *path, mode_t kind)
{
    struct stat s;
    if (path[0] != '/')
        return "is relative";
    if (stat(path, &s))
        return "is not there";
    if ((s.st_mode & S_IFMT) != kind)
        return kind == S_IFDIR ? "is no folder" : "is no file";
    if (s.st_uid != 0 && s.st_uid != geteuid())
        return "belongs to another user";
    if (s.st_mode & S_IWOTH)
        return "can be written by everybody";
    return group_may_write(path, &s) ? "can be written by its group" : NULL;
}

// All symbols of some hundred libraries take 3 ms to look up. Modules of lumagraph ask for their own at once.
static void *open_file(const char *path)
{
    return dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

// Loads a file whose folder and which itself can be trusted. NULL: there is
// none, or the reason is in *why.
static void *open_trusted(const char *folder, const char *name, lg_error *why)
{
    char path[PATH_MAX], real[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return NULL;
    if (!realpath(path, real)) {
        if (errno == ENOMEM) // the file may well be there
            lg_fail_memory(why, sizeof real, "the path of a module");
        return NULL;
    }
    memcpy(path, real, sizeof path);
    *strrchr(path, '/') = 0;
    const char *place = *path ? path : "/", *reason = distrust(place, S_IFDIR);
    if (!reason)
        place = real, reason = distrust(real, S_IFREG);
    void *module = reason ? NULL : open_file(real);
    if (reason)
        lg_fail(why, LG_ERROR_UNSUPPORTED, "%.200s is not loaded: %.200s %s", name, place, reason);
    else if (!module)
        lg_fail(why, LG_ERROR_UNSUPPORTED, "%s", dlerror());
    return module;
}

// ---- libraries of the system --------------------------------------------------------------------

// The folders that the loader looks through, as the program was started and
// linked; NULL: *why says it.
static Dl_serinfo *search_path(lg_error *why)
{
    Dl_serinfo size, *path = NULL;
    void *program = dlopen(NULL, RTLD_LAZY);
    lg_fail(why, LG_ERROR_UNSUPPORTED, "the loader does not say where it looks");
    if (program && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
        path = lg_alloc(size.dls_size);
        if (path)
            *path = size;
        else
            lg_fail_memory(why, size.dls_size, "the folders of the loader");
        if (path && dlinfo(program, RTLD_DI_SERINFO, path)) {
            lg_free(path);
            path = NULL;
        }
    }
    if (program)
        dlclose(program);
    return path;
}

// A folder that is not there was marked as such when the program started.
static const char *distrust_listed(const char *folder)
{
    struct stat s;
    return folder[0] == '/' && stat(folder, &s) ? NULL : distrust(folder, S_IFDIR);
}

// The loader cannot be told to leave a folder out. Where it would look into one that cannot be
// trusted, the others are looked through here.
static void *open_of_system(const char *name, lg_error *why)
{
    Dl_serinfo *path = search_path(why);
    if (!path)
        return NULL;
    const char *folder = NULL, *reason = NULL;
    for (unsigned i = 0; i < path->dls_cnt && !reason; i++) {
        folder = path->dls_serpath[i].dls_name;
        reason = distrust_listed(folder);
    }
    void *module = NULL;
    if (!reason && !(module = open_file(name)))
        lg_fail(why, LG_ERROR_UNSUPPORTED, "%s", dlerror());
    if (reason) {
        lg_fail(why, LG_ERROR_UNSUPPORTED,
                "the loader's path (LD_LIBRARY_PATH) has the folder '%.200s', which %s", folder,
                reason);
        for (unsigned i = 0; i < path->dls_cnt && !module && why->status != LG_ERROR_MEMORY; i++)
            if (!distrust(path->dls_serpath[i].dls_name, S_IFDIR))
                module = open_trusted(path->dls_serpath[i].dls_name, name, why);
    }
    lg_free(path);
    return module;
}

// ---- modules of lumagraph -----------------------------------------------------------------------

// Beside this code (the build folder), where modules are installed as seen from the tool and from
// the library, wherever the whole was moved to, and where they were to be installed.
static void *open_of_lumagraph(const char *name, lg_error *why)
{
    static const char *const beside[] = {"", "/" LG_MODULES_FROM_TOOL, "/" LG_MODULES_FROM_LIBRARY};
    char own[PATH_MAX], folder[2 * PATH_MAX];
    lg_fail(why, LG_ERROR_UNSUPPORTED, "%s is neither beside lumagraph nor in %s", name,
            LG_MODULES_FOLDER);
    const bool known = own_folder(own, sizeof own);
    for (size_t i = 0; known && i < LG_COUNT(beside) && why->status != LG_ERROR_MEMORY; i++) {
        snprintf(folder, sizeof folder, "%s%s", own, beside[i]);
        void *module = open_trusted(folder, name, why);
        if (module)
            return module;
    }
    return why->status == LG_ERROR_MEMORY ? NULL : open_trusted(LG_MODULES_FOLDER, name, why);
}

// ---- both ---------------------------------------------------------------------------------------

lg_status lg_module_open(lg_module_origin origin, const char *name, void **module, lg_error *error)
{
    if (lg_program_is_static())
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "%s cannot be loaded by a static program; link it dynamically", name);
    lg_error why = {0};
    void *opened =
        origin == LG_MODULE_OF_SYSTEM ? open_of_system(name, &why) : open_of_lumagraph(name, &why);
    if (!opened)
        return lg_fail(error, why.status ? why.status : LG_ERROR_UNSUPPORTED, "%s", why.message);
    dlclose(opened); // NODELETE: it stays
    *module = opened;
    return LG_OK;
}

void *lg_module_symbol(void *module, const char *name)
{
    return dlsym(module, name);
}

// ---- libraries of others --------------------------------------------------------------------------

#ifdef LG_PORTABLE // nothing tells them; drivers that end with the process are not protected

size_t lg_modules_loaded(void)
{
    return 0;
}

void lg_modules_keep(size_t from)
{
}

#else

typedef struct loaded {
    size_t count, from; // libraries seen, and how many of them were there before
    size_t bytes, room; // of their paths, each with its zero
    char *paths;
} loaded;

// New ones stand at the end of the list.
static int note_loaded(struct dl_phdr_info *object, size_t size, void *data)
{
    loaded *l = data;
    if (l->count++ < l->from || object->dlpi_name[0] != '/')
        return 0;
    const size_t bytes = strlen(object->dlpi_name) + 1;
    if (l->paths && bytes > l->room - l->bytes)
        return 1; // another thread has loaded it meanwhile
    if (l->paths)
        memcpy(l->paths + l->bytes, object->dlpi_name, bytes);
    l->bytes += bytes;
    return 0;
}

size_t lg_modules_loaded(void)
{
    loaded l = {.from = SIZE_MAX};
    dl_iterate_phdr(note_loaded, &l);
    return l.count;
}

// All or none: a part of a driver that stays does not expect another part to be loaded again, and crashes.
void lg_modules_keep(size_t from)
{
    loaded l = {.from = from};
    dl_iterate_phdr(note_loaded, &l);
    l = (loaded){.from = from, .room = l.bytes, .paths = l.bytes ? lg_alloc(l.bytes) : NULL};
    if (!l.paths)
        return;
    dl_iterate_phdr(note_loaded, &l);
    for (size_t at = 0; at < l.bytes; at += strlen(l.paths + at) + 1) {
        void *module = dlopen(l.paths + at, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);
        if (module)
            dlclose(module);
    }
    lg_free(l.paths);
}

#endif
