// Libraries that a driver loads stay all, or none when memory for that fails.
#include "check.h"
#include "core/module.h"
#include "faults.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

// Of the C library, and nothing of ours needs them.
static const char *const names[] = {"libanl.so.1", "libutil.so.1"};

enum { LIBRARIES = sizeof names / sizeof names[0], FAILED = 64 };

// In a process of its own: what stays, stays. The exit status has a bit for each library that stayed, and
// FAILED.
static int stay(int64_t failing)
{
    const pid_t pid = fork();
    if (pid == 0) {
        void *loaded[LIBRARIES];
        const size_t before = lg_modules_loaded();
        for (int i = 0; i < LIBRARIES; i++)
            loaded[i] = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        faults_arm(FAULTS_MEMORY, failing);
        lg_modules_keep(before);
        int status = faults_disarm() ? FAILED : 0;
        for (int i = 0; i < LIBRARIES; i++) {
            if (loaded[i])
                dlclose(loaded[i]);
            if (dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD))
                status |= 1 << i;
        }
        _exit(status);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    bool any = false;
    for (int i = 0; i < LIBRARIES; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (library || !(library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL))) {
            check_skip("this C library has these in one");
            return check_finish("faults_module");
        }
        dlclose(library);
    }
    const int all = stay(-1);
    CHECK(all == (1 << LIBRARIES) - 1, "libraries %x stay of %d", (unsigned)all, LIBRARIES);
    for (int64_t at = 0;; at++) {
        const int left = stay(at);
        if (!(left & FAILED) || left < 0) {
            CHECK(left == all, "without a failure: %x", (unsigned)left);
            break;
        }
        any = true;
        CHECK(left == FAILED, "allocation %d fails: %x stay", (int)at, (unsigned)left & ~FAILED);
    }
    CHECK(any, "nothing took memory");
    return check_finish("faults_module");
}
