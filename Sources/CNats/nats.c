#include "CNats.h"

#if __has_include(<nats/nats.h>)
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *const CNatsFile = "libnats.so." TEXT(NATS_VERSION_MAJOR) "." TEXT(NATS_VERSION_MINOR);

static void *library;
static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Each function of the library is found once, and then called where it was found.

#define VOID(name, parameters, arguments) \
    static void (*found_##name) parameters; \
    void name parameters { found_##name arguments; }

#define GIVES(type, name, parameters, arguments) \
    static type(*found_##name) parameters; \
    type name parameters { return found_##name arguments; }

#include "functions.h"

#undef VOID
#undef GIVES

static void find(void **place, const char *name) {
    *place = dlsym(library, name);
    if (!*place && !failure[0]) snprintf(failure, sizeof failure, "%s has no %s", CNatsFile, name);
}

static void load(void) {
    library = dlopen(CNatsFile, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "%s", reason ? reason : CNatsFile);
        return;
    }
#define VOID(name, parameters, arguments) find((void **)&found_##name, #name);
#define GIVES(type, name, parameters, arguments) find((void **)&found_##name, #name);
#include "functions.h"
}

const char *CNatsLoad(void) {
    pthread_once(&once, load);
    return failure[0] ? failure : NULL;
}
#endif
