/* A library to preload: it writes down where a process connects to and which files it changes, and
   lets no connection leave the machine.

   Seen are calls of the C library, whatever language they come from. The C library looks up a name
   by calls within itself, so the look-up is what is seen of it. Each line of the file that
   OBSERVED_CALLS names is a kind, a tab, and an address, a name or a path. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

static void report(const char *kind, const char *what)
{
    const char *file = getenv("OBSERVED_CALLS");
    char line[PATH_MAX + 64];
    int kept = errno;
    int length = snprintf(line, sizeof line, "%s\t%s\n", kind, what);
    if (file && length > 0 && length < (int)sizeof line) {
        int out = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (out < 0 || syscall(SYS_write, out, line, length) != length)
            abort();
        syscall(SYS_close, out);
    }
    errno = kept;
}

/* Return whether an address is of another machine; one that is, is reported. */
static int leaves(const char *call, const struct sockaddr *address)
{
    char text[INET6_ADDRSTRLEN] = "", what[128];
    int port = 0, local = 0;
    if (!address)
        return 0;
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const void *)address;
        inet_ntop(AF_INET, &four->sin_addr, text, sizeof text);
        port = ntohs(four->sin_port);
        local = ntohl(four->sin_addr.s_addr) >> 24 == 127;
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const void *)address;
        inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
        port = ntohs(six->sin6_port);
        local = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    } else {
        return 0;
    }
    if (local)
        return 0;
    snprintf(what, sizeof what, "%s %s port %d", call, text, port);
    report("outside", what);
    errno = ENETUNREACH;
    return 1;
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    return leaves("connect", address) ? -1 : REAL(connect, fd, address, length);
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *address,
               socklen_t length)
{
    if (leaves("sendto", address))
        return -1;
    return REAL(sendto, fd, data, size, flags, address, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return leaves("sendmsg", message->msg_name) ? -1 : REAL(sendmsg, fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags)
{
    for (unsigned int at = 0; at < count; at++)
        if (leaves("sendmmsg", messages[at].msg_hdr.msg_name))
            return -1;
    return REAL(sendmmsg, fd, messages, count, flags);
}

/* Return whether a name has to be asked of another machine; one that has, is reported. */
static int asks(const char *name)
{
    struct in6_addr parsed;
    int local = !name || !*name || !strcmp(name, "localhost") ||
                inet_pton(AF_INET, name, &parsed) == 1 || inet_pton(AF_INET6, name, &parsed) == 1;
    if (!local)
        report("outside", name);
    return !local;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    return asks(name) ? EAI_AGAIN : REAL(getaddrinfo, name, service, hints, found);
}

struct hostent *gethostbyname(const char *name)
{
    return asks(name) ? NULL : REAL(gethostbyname, name);
}

struct hostent *gethostbyname2(const char *name, int family)
{
    return asks(name) ? NULL : REAL(gethostbyname2, name, family);
}

int gethostbyname_r(const char *name, struct hostent *entry, char *buffer, size_t size,
                    struct hostent **found, int *error)
{
    return asks(name) ? EAGAIN : REAL(gethostbyname_r, name, entry, buffer, size, found, error);
}

/* Report a file that is changed; a path that is not absolute begins at a folder, or where the
   process stands. */
static void changes(int folder, const char *path)
{
    char link[64], base[PATH_MAX], whole[PATH_MAX * 2];
    if (!path)
        return;
    if (*path != '/') {
        ssize_t length = 0;
        if (folder == AT_FDCWD)
            length = getcwd(base, sizeof base) ? (ssize_t)strlen(base) : 0;
        else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            length = readlink(link, base, sizeof base - 1);
        }
        base[length > 0 ? length : 0] = 0;
        snprintf(whole, sizeof whole, "%s/%s", base, path);
        path = whole;
    }
    report("changed", path);
}

static int writes(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
}

#define MODE(flags)                                                                               \
    va_list rest;                                                                                 \
    va_start(rest, flags);                                                                        \
    mode_t mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                     \
    va_end(rest)

#define OPEN(name)                                                                                \
    int name(const char *path, int flags, ...)                                                    \
    {                                                                                             \
        MODE(flags);                                                                              \
        if (writes(flags))                                                                        \
            changes(AT_FDCWD, path);                                                              \
        return REAL(name, path, flags, mode);                                                     \
    }

#define OPENAT(name)                                                                              \
    int name(int folder, const char *path, int flags, ...)                                        \
    {                                                                                             \
        MODE(flags);                                                                              \
        if (writes(flags))                                                                        \
            changes(folder, path);                                                                \
        return REAL(name, folder, path, flags, mode);                                             \
    }

#define FOPEN(name)                                                                               \
    FILE *name(const char *path, const char *mode)                                                \
    {                                                                                             \
        if (strpbrk(mode, "wa+"))                                                                 \
            changes(AT_FDCWD, path);                                                              \
        return REAL(name, path, mode);                                                            \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)

int creat(const char *path, mode_t mode)
{
    changes(AT_FDCWD, path);
    return REAL(creat, path, mode);
}

int mkdir(const char *path, mode_t mode)
{
    changes(AT_FDCWD, path);
    return REAL(mkdir, path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    changes(folder, path);
    return REAL(mkdirat, folder, path, mode);
}

int rename(const char *from, const char *to)
{
    changes(AT_FDCWD, to);
    return REAL(rename, from, to);
}

int renameat(int folder, const char *from, int other, const char *to)
{
    changes(other, to);
    return REAL(renameat, folder, from, other, to);
}

int link(const char *from, const char *to)
{
    changes(AT_FDCWD, to);
    return REAL(link, from, to);
}

int symlink(const char *from, const char *to)
{
    changes(AT_FDCWD, to);
    return REAL(symlink, from, to);
}

#define TEMPORARY(name)                                                                           \
    int name(char *path)                                                                          \
    {                                                                                             \
        int fd = REAL(name, path);                                                                \
        changes(AT_FDCWD, path);                                                                  \
        return fd;                                                                                \
    }

TEMPORARY(mkstemp)
TEMPORARY(mkstemp64)
