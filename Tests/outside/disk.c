// Preloaded into a program (LD_PRELOAD), kills it at a writing system call, and lets its syncs wait or fail. Only calls on files below
// the directory that DISK_DIRECTORY names are concerned. The file that DISK_CONTROL names has numbers of 8 bytes, which others can
// read and write at any moment: see Control.
//
// The directory that DISK_STABLE names, if any, has the files as a power cut leaves them at the worst: of what was written, only what
// was synced afterwards, and the names that are removed before their directory is synced; directories are there as soon as they are
// made, and files that were never synced are empty once their directory is. A sync that fails loses what it was for, as
// on Linux: the next one does not write it either.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct {
    // How many writing calls there were, and at which of them the program dies.
    uint64_t calls, last;
    // So many of the next syncs of a -wal fail.
    uint64_t failing;
    // While this is not 0, syncs of a -wal do not end; so many have begun to wait.
    uint64_t holding, held;
    // Like the first two, of writes into history.sqlite itself, as a checkpoint makes them; whether it has died at one of them.
    uint64_t copies, last_copy, died_copying;
} Control;

static Control none, *control = &none;
static const char *directory, *stable;

__attribute__((constructor)) static void share(void) {
    directory = getenv("DISK_DIRECTORY");
    stable = getenv("DISK_STABLE");
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

static int find_path(int file, char path[PATH_MAX]) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

static int ends_with(const char *path, const char *end) {
    size_t length = strlen(path), rest = strlen(end);
    return length > rest && strcmp(path + length - rest, end) == 0;
}

typedef enum { OTHERS = 0, OURS, WAL, HISTORY } Kind;

static Kind kind_of(int file) {
    char path[PATH_MAX];
    if (!find_path(file, path)) return OTHERS;
    return ends_with(path, "-wal") ? WAL : ends_with(path, "/history.sqlite") ? HISTORY : OURS;
}

// The pages of a file that were written since it was synced.
enum { PAGE = 4096, MOST_PAGES = 1 << 17, MOST_FILES = 64 };
typedef struct {
    dev_t device;
    ino_t number;
    unsigned char dirty[MOST_PAGES];
} File;

static File *files[MOST_FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static File *tracked(int file) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
    for (int n = 0; n < MOST_FILES; n++) {
        if (!files[n]) {
            files[n] = calloc(1, sizeof(File));
            files[n]->device = status.st_dev;
            files[n]->number = status.st_ino;
        }
        if (files[n]->number == status.st_ino && files[n]->device == status.st_dev) return files[n];
    }
    fprintf(stderr, "disk.c: too many files\n");
    abort();
}

static void wrote(int file, off_t offset, ssize_t length) {
    if (!stable || length <= 0) return;
    pthread_mutex_lock(&lock);
    File *found = tracked(file);
    for (off_t page = offset / PAGE; found && page <= (offset + length - 1) / PAGE; page++) {
        if (page >= MOST_PAGES) abort();
        found->dirty[page] = 1;
    }
    pthread_mutex_unlock(&lock);
}

static int stable_path(const char *path, char result[PATH_MAX]) {
    return snprintf(result, PATH_MAX, "%s%s", stable, path + strlen(directory)) < PATH_MAX;
}

// Names in `stable` that are gone as soon as the directory is synced.
enum { MOST_REMOVALS = 64 };
static char *removals[MOST_REMOVALS];

// Without a path: the removals are on the disk. With one: another file has its name, so that there is nothing to remove.
static void end_removals(const char *path) {
    for (int n = 0; n < MOST_REMOVALS; n++) {
        if (!removals[n] || (path && strcmp(path, removals[n]) != 0)) continue;
        if (!path && syscall(SYS_unlinkat, AT_FDCWD, removals[n], 0) != 0 && errno == EISDIR) continue;
        free(removals[n]);
        removals[n] = NULL;
    }
    // Directories, of which the files are gone by now.
    for (int n = 0; !path && n < MOST_REMOVALS; n++) {
        if (!removals[n]) continue;
        syscall(SYS_unlinkat, AT_FDCWD, removals[n], AT_REMOVEDIR);
        free(removals[n]);
        removals[n] = NULL;
    }
}

static void removed(const char *copy) {
    pthread_mutex_lock(&lock);
    end_removals(copy);
    int n = 0;
    while (n < MOST_REMOVALS && removals[n]) n++;
    if (n == MOST_REMOVALS) abort();
    removals[n] = strdup(copy);
    pthread_mutex_unlock(&lock);
}

// The names of files are on the disk with their directory, whatever is in them.
static void names_synced(const char *path, const char *copy) {
    DIR *entries = opendir(path);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char target[PATH_MAX];
        if (entry->d_type != DT_REG || snprintf(target, PATH_MAX, "%s/%s", copy, entry->d_name) >= PATH_MAX) continue;
        int file = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file >= 0) close(file);
    }
    if (entries) closedir(entries);
}

// Written is what was written before the sync began.
static void synced(int file, int has_failed) {
    char path[PATH_MAX], copy[PATH_MAX], bytes[PAGE];
    struct stat status;
    if (!stable || !find_path(file, path) || !stable_path(path, copy)) return;
    pthread_mutex_lock(&lock);
    File *found = tracked(file);
    end_removals(found ? copy : NULL);
    if (!found && !has_failed) names_synced(path, copy);
    int target = found && !has_failed ? open(copy, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    for (off_t page = 0; found && page < MOST_PAGES; page++) {
        if (!found->dirty[page]) continue;
        found->dirty[page] = 0;
        if (target < 0) continue;
        ssize_t length = pread(file, bytes, PAGE, page * PAGE);
        if (length > 0 && syscall(SYS_pwrite64, target, bytes, length, page * PAGE) != length) abort();
    }
    if (target >= 0) {
        if (fstat(file, &status) != 0 || syscall(SYS_ftruncate, target, status.st_size) != 0) abort();
        close(target);
    }
    pthread_mutex_unlock(&lock);
}

static int counts(uint64_t *calls, uint64_t *last) {
    return __atomic_add_fetch(calls, 1, __ATOMIC_SEQ_CST) == __atomic_load_n(last, __ATOMIC_SEQ_CST);
}

// Whether this call is the last one.
static int is_last(void) { return counts(&control->calls, &control->last); }

static int is_last_write(Kind kind) {
    int last = is_last();
    if (kind == HISTORY && counts(&control->copies, &control->last_copy)) last = 1;
    if (kind == HISTORY && last) control->died_copying = 1;
    return last;
}

// Whether this sync fails.
static int fails(void) {
    uint64_t left = __atomic_load_n(&control->failing, __ATOMIC_SEQ_CST);
    while (left && !__atomic_compare_exchange_n(&control->failing, &left, left - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    return left > 0;
}

static void hold(void) {
    if (__atomic_load_n(&control->holding, __ATOMIC_SEQ_CST) == 0) return;
    __atomic_add_fetch(&control->held, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&control->holding, __ATOMIC_SEQ_CST)) usleep(1000);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

// What a disk, and a process that dies, writes wholly or not at all.
enum { SECTOR = 512 };

// Of what the last call was to write, half is written.
static size_t half(size_t length) { return length < SECTOR ? 0 : length / 2; }

#define WRITE(name)                                                                                                              \
    ssize_t name(int file, const void *bytes, size_t length) {                                                                    \
        typedef ssize_t (*Next)(int, const void *, size_t);                                                                       \
        Next next = NEXT(Next, #name);                                                                                            \
        Kind kind = kind_of(file);                                                                                                \
        if (kind && is_last_write(kind)) {                                                                                        \
            next(file, bytes, half(length));                                                                                      \
            die();                                                                                                                \
        }                                                                                                                         \
        ssize_t result = next(file, bytes, length);                                                                               \
        if (kind) wrote(file, lseek(file, 0, SEEK_CUR) - result, result);                                                         \
        return result;                                                                                                            \
    }
WRITE(write)

#define PWRITE(name)                                                                                                             \
    ssize_t name(int file, const void *bytes, size_t length, off_t offset) {                                                      \
        typedef ssize_t (*Next)(int, const void *, size_t, off_t);                                                                \
        Next next = NEXT(Next, #name);                                                                                            \
        Kind kind = kind_of(file);                                                                                                \
        if (kind && is_last_write(kind)) {                                                                                        \
            next(file, bytes, half(length), offset);                                                                              \
            die();                                                                                                                \
        }                                                                                                                         \
        ssize_t result = next(file, bytes, length, offset);                                                                       \
        if (kind) wrote(file, offset, result);                                                                                    \
        return result;                                                                                                            \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t writev(int file, const struct iovec *parts, int count) {
    typedef ssize_t (*Next)(int, const struct iovec *, int);
    if (kind_of(file) && is_last()) die();
    return NEXT(Next, "writev")(file, parts, count);
}

#define SYNC(name)                                                                                                               \
    int name(int file) {                                                                                                          \
        typedef int (*Next)(int);                                                                                                 \
        Kind kind = kind_of(file);                                                                                                \
        if (!kind) return NEXT(Next, #name)(file);                                                                                \
        if (is_last()) die();                                                                                                     \
        if (kind == WAL && fails()) {                                                                                            \
            synced(file, 1);                                                                                                      \
            errno = EIO;                                                                                                          \
            return -1;                                                                                                            \
        }                                                                                                                         \
        int result = NEXT(Next, #name)(file);                                                                                     \
        synced(file, result != 0);                                                                                                \
        if (kind == WAL) hold();                                                                                                  \
        return result;                                                                                                            \
    }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name)                                                                                                           \
    int name(int file, off_t length) {                                                                                            \
        typedef int (*Next)(int, off_t);                                                                                          \
        if (kind_of(file) && is_last()) die();                                                                                    \
        return NEXT(Next, #name)(file, length);                                                                                   \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

static void moved(const char *from, const char *to) {
    pthread_mutex_lock(&lock);
    end_removals(to);
    syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    pthread_mutex_unlock(&lock);
}

int rename(const char *from, const char *to) {
    typedef int (*Next)(const char *, const char *);
    if (is_below(to) && is_last()) die();
    char old[PATH_MAX], new[PATH_MAX];
    int result = NEXT(Next, "rename")(from, to);
    if (result == 0 && stable && is_below(from) && is_below(to) && stable_path(from, old) && stable_path(to, new)) moved(old, new);
    return result;
}

int unlink(const char *path) {
    typedef int (*Next)(const char *);
    if (is_below(path) && is_last()) die();
    char copy[PATH_MAX];
    if (stable && is_below(path) && stable_path(path, copy)) removed(copy);
    return NEXT(Next, "unlink")(path);
}

int mkdir(const char *path, mode_t mode) {
    typedef int (*Next)(const char *, mode_t);
    if (is_below(path) && is_last()) die();
    char copy[PATH_MAX];
    int result = NEXT(Next, "mkdir")(path, mode);
    if (result == 0 && stable && is_below(path) && stable_path(path, copy)) syscall(SYS_mkdirat, AT_FDCWD, copy, mode);
    return result;
}

int rmdir(const char *path) {
    typedef int (*Next)(const char *);
    if (is_below(path) && is_last()) die();
    char copy[PATH_MAX];
    int result = NEXT(Next, "rmdir")(path);
    if (result == 0 && stable && is_below(path) && stable_path(path, copy)) removed(copy);
    return result;
}

// An opening counts where it makes the file.
static void open_counts(const char *path, int flags) {
    if (flags & O_CREAT && is_below(path) && access(path, F_OK) != 0 && is_last()) die();
}

#define OPEN(name)                                                                                                               \
    int name(const char *path, int flags, ...) {                                                                                  \
        typedef int (*Next)(const char *, int, ...);                                                                              \
        mode_t mode = 0;                                                                                                          \
        if (flags & O_CREAT) {                                                                                                    \
            va_list rest;                                                                                                         \
            va_start(rest, flags);                                                                                                \
            mode = va_arg(rest, mode_t);                                                                                          \
            va_end(rest);                                                                                                         \
        }                                                                                                                         \
        open_counts(path, flags);                                                                                                 \
        return NEXT(Next, #name)(path, flags, mode);                                                                              \
    }
OPEN(open)
OPEN(open64)
