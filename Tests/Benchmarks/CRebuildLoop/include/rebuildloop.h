// SPDX-License-Identifier: MIT

#ifndef FOLLOWSPOT_REBUILDLOOP_H
#define FOLLOWSPOT_REBUILDLOOP_H

#ifdef __cplusplus
extern "C" {
#endif

/// The partner of the rebuild benchmark: what a short C++ program does to index a store of films by Xapian's defaults,
/// one thread, one document after the other, with the same fields, prefixes and values as the standard definition
/// gives them, but without folding diacritics.
///
/// Returns the number of documents, or -1; `terms` receives the sum of their lengths.
long rebuild_loop(const char *store, const char *index, double *terms);

#ifdef __cplusplus
}
#endif

#endif
