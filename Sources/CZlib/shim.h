// SPDX-License-Identifier: MIT

#ifndef FOLLOWSPOT_CZLIB_H
#define FOLLOWSPOT_CZLIB_H

#include <zlib.h>

/// Begins to inflate raw DEFLATE data, which has no header. `inflateInit2` is a macro, which Swift cannot import.
static inline int czlib_begin_raw(z_stream *stream) { return inflateInit2(stream, -15); }

/// Begins to inflate a gzip file. `inflateInit2` is a macro, which Swift cannot import.
static inline int czlib_begin_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
