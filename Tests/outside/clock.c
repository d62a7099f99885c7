// Preloaded into a program (LD_PRELOAD), sets its clock: the file that CLOCK_CONTROL names has a number of 8 bytes, the seconds that
// are added to the time of day. Others can write it at any moment. Clocks that only measure are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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

static int kernel_gettime(clockid_t clock, struct timespec *now) {
    typedef int (*Next)(clockid_t, struct timespec *);
    static Next next;
    if (!next) next = (Next)dlsym(RTLD_NEXT, "clock_gettime");
    return next(clock, now);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = kernel_gettime(clock, now);
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

static int is_before(const struct timespec *one, const struct timespec *other) {
    return one->tv_sec != other->tv_sec ? one->tv_sec < other->tv_sec : one->tv_nsec < other->tv_nsec;
}

// Waits until the set clock says so: the kernel looks at its own. Who is waiting while the clock is set notices within 50 ms.
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict end) {
    typedef int (*Next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    static Next next;
    if (!next) next = (Next)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    if (condition->__data.__wrefs & 2) return next(condition, mutex, end);  // waits by a clock that only measures
    for (;;) {
        struct timespec step, left = *end;
        left.tv_sec -= offset();
        kernel_gettime(CLOCK_REALTIME, &step);
        if (!is_before(&step, &left)) return ETIMEDOUT;
        step.tv_nsec += 50000000;
        if (step.tv_nsec >= 1000000000) {
            step.tv_nsec -= 1000000000;
            step.tv_sec += 1;
        }
        int result = next(condition, mutex, is_before(&step, &left) ? &step : &left);
        if (result != ETIMEDOUT) return result;
    }
}
