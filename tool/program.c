// The program around the commands: numbers, signals, the end.
#include "films.h"
#include "session.h"
#include <lumagraph/io.h>

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

// Temporary files go, then the process: the work itself holds nothing that must be undone.
static void on_signal(int number)
{
    if ((number == SIGINT || number == SIGTERM) && lg_film_signal(number))
        return; // the film that is written ends behind this frame
    lg_output_unlink_all();
    _exit(128 + number);
}

// What a process does to itself, and what asks for a core: the handler was dropped when it was
// called, and what the system does by default happens next.
static void on_failure(int number)
{
    lg_output_unlink_all();
    raise(number);
}

static void catch_signal(int number, void (*handler)(int), int flags, bool even_ignored)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    sigemptyset(&action.sa_mask);
    if (even_ignored || sigaction(number, NULL, &old) != 0 || old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

// Every signal that would end the process and can be caught.
static void catch_signals(void)
{
    static const int asked[] = {SIGINT, SIGTERM, SIGPIPE}; // scripts ignore them in the background
    static const int told[] = {
#ifdef SIGPWR // these two are Linux's alone
        SIGPWR,
#endif
#ifdef SIGSTKFLT
        SIGSTKFLT,
#endif
        SIGHUP,    SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO};
    static const int failed[] = {SIGQUIT, SIGXCPU, SIGABRT, SIGSEGV, SIGBUS,
                                 SIGFPE,  SIGILL,  SIGSYS,  SIGTRAP};
    static char stack[1 << 16]; // a stack that overflowed cannot hold the handler
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        catch_signal(asked[i], on_signal, SA_RESTART, true);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        catch_signal(told[i], on_signal, 0, false);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        catch_signal(number, on_signal, 0, false);
    for (size_t i = 0; i < sizeof failed / sizeof failed[0]; i++)
        catch_signal(failed[i], on_failure, (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK), false);
    signal(SIGXFSZ, SIG_IGN); // writing says what happened
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

// The kernel takes everything back at once; destructors of a hundred libraries take 2 ms for it. Sanitizers
// say there what they found.
static int end(int status)
{
#ifdef HAS_SANITIZER
    lg_io_shutdown();
    return status;
#else
    fflush(NULL);
    _exit(status);
#endif
}

int main(int argc, char **argv)
{
    // Numbers are written and read with a decimal point whatever the environment says, even when a
    // library sets the process's locale.
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain)
        uselocale(plain);
    catch_signals();
    return end(lg_tool_main(argc, argv));
}
