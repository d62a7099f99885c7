// Preloaded into a program (LD_PRELOAD), counts how often all of its threads call the functions of the C library below. The
// counts are in the file that COUNTS_FILE names, where others can read them at any moment: for each function 24 bytes of its
// name and 8 of its count. What the C library does by itself is not counted (memory that malloc fetches, the kernel's part of
// a lock), since it depends on the moment.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALLOCATIONS(X) X(malloc) X(calloc) X(realloc) X(aligned_alloc) X(memalign) X(posix_memalign)

#define SYSTEM_CALLS(X)                                                                                                          \
    X(read) X(readv) X(pread) X(pread64) X(recv) X(recvfrom) X(recvmsg) X(recvmmsg) X(eventfd_read)                              \
    X(write) X(writev) X(pwrite) X(pwrite64) X(send) X(sendto) X(sendmsg) X(sendmmsg) X(sendfile) X(eventfd_write)               \
    X(epoll_wait) X(epoll_pwait) X(epoll_ctl) X(poll) X(ppoll) X(select) X(timerfd_settime)                                      \
    X(socket) X(bind) X(listen) X(connect) X(accept) X(accept4) X(shutdown) X(close) X(getsockname) X(getpeername)               \
    X(getsockopt) X(setsockopt) X(fcntl) X(fcntl64) X(ioctl) X(open) X(open64) X(openat) X(openat64) X(unlink)                   \
    X(stat) X(stat64) X(fstat) X(fstat64) X(lstat) X(lstat64) X(access) X(lseek) X(lseek64) X(ftruncate) X(ftruncate64)          \
    X(fsync) X(fdatasync) X(mmap) X(mmap64) X(munmap) X(mremap) X(madvise) X(getrandom) X(getrusage) X(sched_yield) X(usleep)    \
    X(nanosleep) X(statfs) X(statfs64) X(statvfs) X(statvfs64)

#define NUMBER(name) NUMBER_##name,
enum { ALLOCATIONS(NUMBER) SYSTEM_CALLS(NUMBER) FUNCTIONS };

typedef struct {
    char name[24];
    uint64_t count;
} Counter;

#define NAMED(name) {#name, 0},
static Counter early[FUNCTIONS] = {ALLOCATIONS(NAMED) SYSTEM_CALLS(NAMED)};
static Counter *counters = early;

static inline void count(int number) {
    __atomic_fetch_add(&counters[number].count, 1, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void share(void) {
    const char *path = getenv("COUNTS_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0 || ftruncate(file, sizeof early) != 0) return;
    void *shared = mmap(NULL, sizeof early, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    memcpy(shared, early, sizeof early);
    counters = shared;
}

// glibc's own names: dlsym allocates, so it cannot be asked for malloc.
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    count(NUMBER_malloc);
    return __libc_malloc(size);
}

void *calloc(size_t many, size_t size) {
    count(NUMBER_calloc);
    return __libc_calloc(many, size);
}

void *realloc(void *memory, size_t size) {
    count(NUMBER_realloc);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(NUMBER_aligned_alloc);
    return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
    count(NUMBER_memalign);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count(NUMBER_posix_memalign);
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

// All arguments of these functions, and what they return, are integers and pointers, at most six: they are in registers, and
// pass through whatever their types.
typedef long Function(long, long, long, long, long, long);

#define COUNT(name)                                                                                                              \
    Function counting_##name __asm__(#name);                                                                                      \
    long counting_##name(long a, long b, long c, long d, long e, long f) {                                                        \
        static Function *next;                                                                                                   \
        count(NUMBER_##name);                                                                                                    \
        if (!next) next = (Function *)dlsym(RTLD_NEXT, #name);                                                                   \
        return next(a, b, c, d, e, f);                                                                                           \
    }
SYSTEM_CALLS(COUNT)
