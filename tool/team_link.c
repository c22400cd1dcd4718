// Whether the machines of a job reach each other. MPI waits for TCP, which tries for many minutes. So each
// rank has a connection of its own to the leader, on which nothing is said: the kernels of both sides ask
// each other whether they are there, also while the ranks compute, and end the connection when there is no
// answer.
#include "team_messages.h"

#if defined(__APPLE__) || defined(LG_PORTABLE) // sockets there are made and watched in other ways

lg_status lg_team_link_open(lg_team *team, int seconds, lg_error *error)
{
    return lg_set_error(error, LG_ERROR_UNSUPPORTED, "--link-limit is not there on this system");
}

void lg_team_link_close(lg_team *team)
{
}

#else

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define ADDRESSES 16

// What the leader tells by MPI.
typedef struct offer {
    uint64_t token[2]; // which other programs do not know
    uint64_t count;
    struct sockaddr_storage at[ADDRESSES];
} offer;

typedef struct greeting {
    uint64_t token[2];
    uint64_t rank;
} greeting;

struct lg_team_link {
    lg_team *team;
    int seconds;
    struct pollfd *peers; // of the leader: by rank, from 1; of others the leader
    nfds_t count;
    int wake[2]; // closed to end the thread
    pthread_t thread;
    bool runs;
};

static lg_status fail(lg_error *error, const char *what)
{
    const int why = errno;
    return lg_set_error(error, LG_ERROR_IO, "--link-limit: %s: %s", what, strerror(why));
}

// ---- the kernel's questions -----------------------------------------------------------------------

static bool keep_alive(int fd, int seconds)
{
    const int on = 1, count = 3, idle = seconds / 2, step = (seconds - idle) / count;
    const unsigned most = (unsigned)seconds * 1000;
    return setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &step, sizeof step) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &most, sizeof most) == 0;
}

// The other end has gone without a word. That it ended is not told here: its machine has said so, and MPI or
// the launcher learn of it.
static bool is_lost(int fd)
{
    char byte;
    const ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);
    return got < 0 && (errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH);
}

static void *watch(void *arg)
{
    struct lg_team_link *link = arg;
    for (;;) {
        if (poll(link->peers, link->count + 1, -1) < 0)
            continue;
        if (link->peers[link->count].revents)
            return NULL;
        for (nfds_t i = 0; i < link->count; i++) {
            struct pollfd *p = &link->peers[i];
            if (!p->revents)
                continue;
            if (is_lost(p->fd)) {
                lg_output_unlink_all();
                lg_complain_again();
                lg_complain("rank %d of %d: the machine of rank %d has not answered for %d s",
                            link->team->rank, link->team->count, link->team->rank ? 0 : (int)i + 1,
                            link->seconds);
                _exit(LG_EXIT_IO); // MPI would wait for that machine
            }
            close(p->fd);
            p->fd = -1; // poll leaves it out
        }
    }
}

// ---- connecting -----------------------------------------------------------------------------------

static void note_addresses(offer *out, in_port_t port)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0)
        return;
    for (int loop = 0; loop < 2; loop++) // those of one machine last
        for (const struct ifaddrs *i = all; i && out->count < ADDRESSES; i = i->ifa_next) {
            const bool is_loop = (i->ifa_flags & IFF_LOOPBACK) != 0;
            if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || is_loop != loop)
                continue;
            struct sockaddr_in at;
            memcpy(&at, i->ifa_addr, sizeof at);
            at.sin_port = port;
            memcpy(&out->at[out->count++], &at, sizeof at);
        }
    freeifaddrs(all);
}

static lg_status listen_here(int *fd, int count, offer *out, lg_error *error)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t size = sizeof at;
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0 || bind(*fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(*fd, count) != 0 ||
        getsockname(*fd, (struct sockaddr *)&at, &size) != 0 ||
        getrandom(out->token, sizeof out->token, 0) != sizeof out->token)
        return fail(error, "rank 0 cannot listen");
    note_addresses(out, at.sin_port);
    return LG_OK;
}

static bool wait_for(int fd, short events, int seconds)
{
    struct pollfd p = {fd, events, 0};
    return poll(&p, 1, seconds * 1000) == 1;
}

// Who connects without the token is no rank, and is left.
static lg_status accept_all(struct lg_team_link *link, int fd, const offer *told, lg_error *error)
{
    for (nfds_t missing = link->count; missing > 0;) {
        greeting g;
        if (!wait_for(fd, POLLIN, link->seconds)) {
            errno = ETIMEDOUT;
            return fail(error, "not all ranks reach rank 0");
        }
        const int peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        const bool good = peer >= 0 && wait_for(peer, POLLIN, link->seconds) &&
                          recv(peer, &g, sizeof g, 0) == sizeof g &&
                          memcmp(g.token, told->token, sizeof g.token) == 0 && g.rank >= 1 &&
                          g.rank <= link->count && link->peers[g.rank - 1].fd < 0;
        if (!good && peer >= 0)
            close(peer);
        if (!good)
            continue;
        link->peers[g.rank - 1].fd = peer;
        missing--;
        if (!keep_alive(peer, link->seconds))
            return fail(error, "a connection cannot be watched");
    }
    return LG_OK;
}

static int connect_to(const struct sockaddr_storage *at, int seconds)
{
    int why = 0;
    socklen_t size = sizeof why;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if ((connect(fd, (const struct sockaddr *)at, sizeof(struct sockaddr_in)) == 0 ||
         errno == EINPROGRESS) &&
        wait_for(fd, POLLOUT, seconds) && getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) == 0 &&
        why == 0)
        return fd;
    close(fd);
    errno = why ? why : ETIMEDOUT;
    return -1;
}

static lg_status reach_leader(struct lg_team_link *link, const offer *told, lg_error *error)
{
    const greeting g = {{told->token[0], told->token[1]}, (uint64_t)link->team->rank};
    const int seconds = link->seconds / ADDRESSES + 1;
    int fd = -1;
    for (uint64_t i = 0; i < told->count && fd < 0; i++)
        fd = connect_to(&told->at[i], seconds);
    link->peers[0].fd = fd;
    if (fd < 0)
        return fail(error, "rank 0 cannot be reached");
    return send(fd, &g, sizeof g, MSG_NOSIGNAL) == sizeof g && keep_alive(fd, link->seconds)
               ? LG_OK
               : fail(error, "a connection cannot be watched");
}

// ---- life -----------------------------------------------------------------------------------------

static lg_status begin(struct lg_team_link *link, const lg_team *team, int seconds, lg_error *error)
{
    link->team = (lg_team *)(uintptr_t)team;
    link->seconds = seconds;
    link->wake[0] = link->wake[1] = -1;
    link->count = team->rank ? 1 : (nfds_t)team->count - 1;
    link->peers = calloc(link->count + 1, sizeof *link->peers);
    if (!link->peers)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for connections");
    for (nfds_t i = 0; i <= link->count; i++)
        link->peers[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    if (pipe2(link->wake, O_CLOEXEC) != 0)
        return fail(error, "no pipe");
    link->peers[link->count].fd = link->wake[0];
    return LG_OK;
}

lg_status lg_team_link_open(lg_team *team, int seconds, lg_error *error)
{
    int fd = -1;
    offer told = {0};
    struct lg_team_link *link = team->link = calloc(1, sizeof *link);
    lg_status status = link ? begin(link, team, seconds, error)
                            : lg_set_error(error, LG_ERROR_MEMORY, "no memory for connections");
    if (!status && team->rank == 0)
        status = listen_here(&fd, team->count, &told, error);
    status = lg_team_agree(team, status, error);
    if (!status) {
        lg_team_broadcast(team, &told, sizeof told);
        status =
            team->rank == 0 ? accept_all(link, fd, &told, error) : reach_leader(link, &told, error);
        if (!status && pthread_create(&link->thread, NULL, watch, link) != 0)
            status = fail(error, "no thread");
        link->runs = !status;
        status = lg_team_agree(team, status, error);
    }
    if (fd >= 0)
        close(fd);
    return status;
}

void lg_team_link_close(lg_team *team)
{
    struct lg_team_link *link = team->link;
    if (!link)
        return;
    if (link->wake[1] >= 0)
        close(link->wake[1]);
    if (link->runs)
        pthread_join(link->thread, NULL);
    if (link->wake[0] >= 0)
        close(link->wake[0]);
    for (nfds_t i = 0; link->peers && i < link->count; i++)
        if (link->peers[i].fd >= 0)
            close(link->peers[i].fd);
    free(link->peers);
    free(link);
    team->link = NULL;
}

#endif
