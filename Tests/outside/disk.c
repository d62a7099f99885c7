// Preloaded into a program (LD_PRELOAD), kills it at a writing system call. Only calls on files below the directory that
// DISK_DIRECTORY names are concerned. The file that DISK_CONTROL names has two numbers of 8 bytes, which others can read and
// write at any moment: how many such calls there were, and at which of them the program dies.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct {
    uint64_t calls, last;
} Control;

static Control none, *control = &none;
static const char *directory;

__attribute__((constructor)) static void share(void) {
    directory = getenv("DISK_DIRECTORY");
    const char *path = getenv("DISK_CONTROL");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED) control = shared;
}

static int is_below(const char *path) {
    return directory && path && strncmp(path, directory, strlen(directory)) == 0;
}

static int is_ours(int file) {
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

// Whether this call is the last one.
static int is_last(void) {
    uint64_t number = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
    return number == __atomic_load_n(&control->last, __ATOMIC_SEQ_CST);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

// Half of what the last call was to write is written.
#define WRITE(name)                                                                                                              \
    ssize_t name(int file, const void *bytes, size_t length) {                                                                    \
        typedef ssize_t (*Next)(int, const void *, size_t);                                                                       \
        Next next = NEXT(Next, #name);                                                                                            \
        if (is_ours(file) && is_last()) {                                                                                         \
            next(file, bytes, length / 2);                                                                                        \
            die();                                                                                                                \
        }                                                                                                                         \
        return next(file, bytes, length);                                                                                         \
    }
WRITE(write)

#define PWRITE(name)                                                                                                             \
    ssize_t name(int file, const void *bytes, size_t length, off_t offset) {                                                      \
        typedef ssize_t (*Next)(int, const void *, size_t, off_t);                                                                \
        Next next = NEXT(Next, #name);                                                                                            \
        if (is_ours(file) && is_last()) {                                                                                         \
            next(file, bytes, length / 2, offset);                                                                                \
            die();                                                                                                                \
        }                                                                                                                         \
        return next(file, bytes, length, offset);                                                                                 \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t writev(int file, const struct iovec *parts, int count) {
    typedef ssize_t (*Next)(int, const struct iovec *, int);
    if (is_ours(file) && is_last()) die();
    return NEXT(Next, "writev")(file, parts, count);
}

#define SYNC(name)                                                                                                               \
    int name(int file) {                                                                                                          \
        typedef int (*Next)(int);                                                                                                 \
        if (is_ours(file) && is_last()) die();                                                                                    \
        return NEXT(Next, #name)(file);                                                                                           \
    }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name)                                                                                                           \
    int name(int file, off_t length) {                                                                                            \
        typedef int (*Next)(int, off_t);                                                                                          \
        if (is_ours(file) && is_last()) die();                                                                                    \
        return NEXT(Next, #name)(file, length);                                                                                   \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int rename(const char *from, const char *to) {
    typedef int (*Next)(const char *, const char *);
    if (is_below(to) && is_last()) die();
    return NEXT(Next, "rename")(from, to);
}

int unlink(const char *path) {
    typedef int (*Next)(const char *);
    if (is_below(path) && is_last()) die();
    return NEXT(Next, "unlink")(path);
}
