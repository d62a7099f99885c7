/// libnats, which is looked for when it is needed: a broker that runs alone starts without it.
///
/// These are the functions of nats.h, as far as the broker calls them. Without the headers of libnats there is nothing here.
#pragma once

#if __has_include(<nats/nats.h>)
// What nats.h includes itself: that is not hidden.
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The library has the same names as these functions: each calls its own.
#pragma GCC visibility push(hidden)
#include <nats/nats.h>
#pragma GCC visibility pop

/// Loads the library. Called before any of its functions; any thread may call.
///
/// \returns why it cannot be loaded; NULL: it is there.
const char *CNatsLoad(void);

/// The name of the file that is looked for, as the headers say it that this was built with.
extern const char *const CNatsFile;
#endif
