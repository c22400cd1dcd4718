// The program around the commands, on Windows: numbers, Ctrl-C and closed consoles, the end.
#include "films.h"
#include "session.h"
#include <lumagraph/io.h>

#include <signal.h>
#include <windows.h>

// Windows calls it on a thread of its own. Temporary files go, then the process.
static BOOL WINAPI on_end(DWORD event)
{
    const int number = event == CTRL_C_EVENT ? SIGINT : SIGTERM;
    if (lg_film_signal(number))
        return TRUE; // the film that is written ends behind this frame
    lg_output_unlink_all();
    ExitProcess(128 + (UINT)number);
}

int main(int argc, char **argv)
{
    SetConsoleCtrlHandler(on_end, TRUE);
    int status = lg_tool_main(argc, argv);
    lg_io_shutdown();
    return status;
}
