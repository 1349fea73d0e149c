/* A library to preload: it lets one system call of a process fail, or kills the process at it.

   Counted are the calls that change a file under a folder, of whatever language: Python, SQLite
   and the Rust of LanceDB alike, since all of them call the C library. Calls that the C library
   makes within itself (fwrite) are not seen. The counter is shared with the child processes, so
   that a parent can read it after a child was killed. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { COUNT, KILL_BEFORE, KILL_AFTER, NO_SPACE, IO_ERROR, NO_PERMISSION, BAD_READ };

/* What a call needs decides which faults it can have. */
enum need { SPACE = 1, PERMISSION = 2, DEVICE = 4, READING = 8 };

struct shared {
    long calls;
    long fired;
    char place[512];
};

static struct shared *shared;
static char folder[PATH_MAX];
static size_t folder_length;
static long target;
static enum kind kind;
static int armed;

__attribute__((constructor)) static void map_counter(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
}

/* Arm the fault at the target-th call, from 1, under a folder; a target of 0 only counts. */
void faults_arm(const char *under, long at, int what)
{
    folder_length = strlen(under);
    if (folder_length >= sizeof folder)
        abort();
    memcpy(folder, under, folder_length + 1);
    target = at;
    kind = what;
    shared->calls = shared->fired = 0;
    shared->place[0] = 0;
    armed = 1;
}

void faults_disarm(void) { armed = 0; }
long faults_calls(void) { return shared->calls; }
long faults_fired(void) { return shared->fired; }
const char *faults_place(void) { return shared->place; }

static int is_under(const char *path)
{
    return strncmp(path, folder, folder_length) == 0 &&
           (path[folder_length] == '/' || path[folder_length] == 0);
}

static const char *path_of(int fd, char *buffer)
{
    char link[64];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, buffer, PATH_MAX - 1);
    buffer[length < 0 ? 0 : length] = 0;
    return buffer;
}

static const char *path_at(int fd, const char *path, char *buffer)
{
    size_t length;
    if (path[0] == '/')
        return path;
    if (fd == AT_FDCWD)
        length = getcwd(buffer, PATH_MAX) ? strlen(buffer) : 0;
    else
        length = strlen(path_of(fd, buffer));
    snprintf(buffer + length, PATH_MAX - length, "/%s", path);
    return buffer;
}

static int is_possible(int needs)
{
    switch (kind) {
    case NO_SPACE:
        return needs & SPACE;
    case NO_PERMISSION:
        return needs & PERMISSION;
    case IO_ERROR:
        return needs & DEVICE;
    case BAD_READ:
        return needs & READING;
    default:
        return needs & ~READING;
    }
}

/* Count a call; return the error that it has, 0 for none, -1 to be killed once it is done. */
static int fault(const char *name, const char *path, int needs)
{
    long number;
    int is_lasting = kind == NO_SPACE || kind == NO_PERMISSION;
    if (!is_under(path) || !is_possible(needs))
        return 0;
    number = __atomic_add_fetch(&shared->calls, 1, __ATOMIC_SEQ_CST);
    if (!target || number < target || (number > target && !is_lasting))
        return 0;
    if (number == target) {
        snprintf(shared->place, sizeof shared->place, "%s %s", name, path + folder_length);
        shared->fired = 1;
    }
    switch (kind) {
    case KILL_BEFORE:
        kill(getpid(), SIGKILL);
        return 0;
    case KILL_AFTER:
        return -1;
    case NO_SPACE:
        return ENOSPC;
    case NO_PERMISSION:
        return EACCES;
    default:
        return EIO;
    }
}

static long settle(int error, long result)
{
    if (error == -1)
        kill(getpid(), SIGKILL);
    return result;
}

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

#define GUARD(label, path, needs)                                                                 \
    char buffer[PATH_MAX + 64];                                                                   \
    int error = armed ? fault(label, path, needs) : 0;                                            \
    (void)buffer;                                                                                 \
    if (error > 0) {                                                                              \
        errno = error;                                                                            \
        return -1;                                                                                \
    }

#define WRITING (SPACE | DEVICE)
#define NAMING (SPACE | DEVICE | PERMISSION)
#define REMOVING (DEVICE | PERMISSION)

/* A killed process has written half of what it was writing. */
#define WRITE(name, signature, half, all)                                                         \
    ssize_t name signature                                                                        \
    {                                                                                             \
        GUARD(#name, path_of(fd, buffer), WRITING)                                                \
        return settle(error, error == -1 ? half : all);                                           \
    }

WRITE(write, (int fd, const void *data, size_t size), REAL(write, fd, data, size / 2),
      REAL(write, fd, data, size))
WRITE(pwrite, (int fd, const void *data, size_t size, off_t at),
      REAL(pwrite, fd, data, size / 2, at), REAL(pwrite, fd, data, size, at))
WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t at),
      REAL(pwrite64, fd, data, size / 2, at), REAL(pwrite64, fd, data, size, at))
WRITE(writev, (int fd, const struct iovec *parts, int count),
      REAL(writev, fd, parts, (count + 1) / 2), REAL(writev, fd, parts, count))
WRITE(copy_file_range,
      (int from, off64_t *start, int fd, off64_t *end, size_t size, unsigned flags),
      REAL(copy_file_range, from, start, fd, end, size / 2, flags),
      REAL(copy_file_range, from, start, fd, end, size, flags))
WRITE(sendfile64, (int fd, int from, off64_t *start, size_t size),
      REAL(sendfile64, fd, from, start, size / 2), REAL(sendfile64, fd, from, start, size))

#define CALL(name, signature, path, needs, ...)                                                   \
    int name signature                                                                            \
    {                                                                                             \
        GUARD(#name, path, needs)                                                                 \
        return (int)settle(error, REAL(name, __VA_ARGS__));                                       \
    }

CALL(fsync, (int fd), path_of(fd, buffer), WRITING, fd)
CALL(fdatasync, (int fd), path_of(fd, buffer), WRITING, fd)
CALL(ftruncate64, (int fd, off64_t size), path_of(fd, buffer), WRITING, fd, size)
CALL(mkdir, (const char *path, mode_t mode), path_at(AT_FDCWD, path, buffer), NAMING, path, mode)
CALL(mkdirat, (int fd, const char *path, mode_t mode), path_at(fd, path, buffer), NAMING, fd, path,
     mode)
CALL(rename, (const char *from, const char *to), path_at(AT_FDCWD, to, buffer), NAMING, from, to)
CALL(renameat, (int from_fd, const char *from, int fd, const char *to), path_at(fd, to, buffer),
     NAMING, from_fd, from, fd, to)
CALL(link, (const char *from, const char *to), path_at(AT_FDCWD, to, buffer), NAMING, from, to)
CALL(linkat, (int from_fd, const char *from, int fd, const char *to, int flags),
     path_at(fd, to, buffer), NAMING, from_fd, from, fd, to, flags)
CALL(unlink, (const char *path), path_at(AT_FDCWD, path, buffer), REMOVING, path)
CALL(unlinkat, (int fd, const char *path, int flags), path_at(fd, path, buffer), REMOVING, fd,
     path, flags)
CALL(rmdir, (const char *path), path_at(AT_FDCWD, path, buffer), REMOVING, path)
CALL(utimensat, (int fd, const char *path, const struct timespec times[2], int flags),
     path_at(fd, path, buffer), REMOVING, fd, path, times, flags)

#define OPENING(flags)                                                                            \
    (((flags) & O_CREAT) ? NAMING : ((flags) & O_ACCMODE) != O_RDONLY ? REMOVING : READING)

#define OPEN(name)                                                                                \
    int name(const char *path, int flags, ...)                                                    \
    {                                                                                             \
        va_list rest;                                                                             \
        va_start(rest, flags);                                                                    \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                   \
        va_end(rest);                                                                             \
        GUARD(#name, path_at(AT_FDCWD, path, buffer), OPENING(flags))                             \
        return (int)settle(error, REAL(name, path, flags, mode));                                 \
    }

#define OPENAT(name)                                                                              \
    int name(int fd, const char *path, int flags, ...)                                            \
    {                                                                                             \
        va_list rest;                                                                             \
        va_start(rest, flags);                                                                    \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                   \
        va_end(rest);                                                                             \
        GUARD(#name, path_at(fd, path, buffer), OPENING(flags))                                   \
        return (int)settle(error, REAL(name, fd, path, flags, mode));                             \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

#define READ(name, signature, ...)                                                                \
    ssize_t name signature                                                                        \
    {                                                                                             \
        GUARD(#name, path_of(fd, buffer), READING)                                                \
        return settle(error, REAL(name, __VA_ARGS__));                                            \
    }

READ(read, (int fd, void *data, size_t size), fd, data, size)
READ(pread, (int fd, void *data, size_t size, off_t at), fd, data, size, at)
READ(pread64, (int fd, void *data, size_t size, off64_t at), fd, data, size, at)
