// SPDX-License-Identifier: MIT

// Gives a process another time of day than the machine's, told by its environment:
//
//   FAULTPOINT_CLOCK_SHIFT  so many seconds later, or earlier when negative
//   FAULTPOINT_CLOCK_STOP   the clock stands still at so many seconds since 1970
//
// Clocks that only measure how long something takes are left alone.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift;
static long stopped;

__attribute__((constructor)) static void prepare_clock(void) {
  const char *text = getenv("FAULTPOINT_CLOCK_SHIFT");
  if (text) shift = strtol(text, NULL, 10);
  text = getenv("FAULTPOINT_CLOCK_STOP");
  if (text) stopped = strtol(text, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int code = (int)syscall(SYS_clock_gettime, clock, now);
  if (code != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return code;
  if (stopped) *now = (struct timespec){.tv_sec = stopped};
  now->tv_sec += shift;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  *now = (struct timeval){.tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *out) {
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
  if (out) *out = exact.tv_sec;
  return exact.tv_sec;
}
