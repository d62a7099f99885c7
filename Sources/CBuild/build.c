#include "CBuild.h"

// In a section of its own, where `objcopy --update-section` replaces it in the linked binary: a new commit compiles
// nothing again. Volatile, so that the compiler does not take the empty text for granted.
#ifdef __ELF__
__attribute__((section(".roomline_commit"), used))
#endif
static const volatile char commit[64] = "";

const char *build_commit(void) {
    return (const char *)commit;
}
