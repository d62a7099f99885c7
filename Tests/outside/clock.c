// Preloaded into a program (LD_PRELOAD), sets its clock: the file that CLOCK_CONTROL names has a number of 8 bytes, the seconds that
// are added to the time of day. Others can write it at any moment. Clocks that only measure are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t none, *control = &none;

__attribute__((constructor)) static void share(void) {
    const char *path = getenv("CLOCK_CONTROL");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED) control = shared;
}

static time_t offset(void) { return (time_t)__atomic_load_n(control, __ATOMIC_SEQ_CST); }

int clock_gettime(clockid_t clock, struct timespec *now) {
    typedef int (*Next)(clockid_t, struct timespec *);
    static Next next;
    if (!next) next = (Next)dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec time;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0) return -1;
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
