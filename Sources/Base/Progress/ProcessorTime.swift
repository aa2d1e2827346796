// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

package enum ProcessorTime {
  /// Processor time of this thread in milliseconds.
  package static var ofThread: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
  }
}
