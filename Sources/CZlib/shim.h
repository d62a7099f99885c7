#include <zlib.h>

/// The most bytes that `CZlibGzip` makes of so many.
static inline unsigned long CZlibGzipBound(unsigned long count) {
    return compressBound(count) + 18;
}

/// Writes bytes as gzip (RFC 1952), as small as zlib makes them; 0: there was no memory, or less room than that.
static inline unsigned long CZlibGzip(const void *bytes, unsigned long count, void *into, unsigned long room) {
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)count, .next_out = into, .avail_out = (uInt)room};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    int status = deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return status == Z_STREAM_END ? stream.total_out : 0;
}
