#ifndef CPAGES_H
#define CPAGES_H

#include <stddef.h>

/// One file of the web pages, as it was when the binary was built.
struct page_file {
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

size_t page_file_count(void);

/// `index` is below the count.
struct page_file page_file_at(size_t index);

#endif
