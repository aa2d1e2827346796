// SPDX-License-Identifier: MIT

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // pipe2
#endif
#include "csupport.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static int wake_pipe[2] = {-1, -1};

static const int stops[] = {SIGTERM, SIGINT, SIGHUP};
enum { stop_count = sizeof stops / sizeof *stops };
/// The actions before the signals were caught.
static struct sigaction earlier[stop_count];
static int is_catching;

static void remember(int signal_number) {
  int saved = errno;
  caught = signal_number;
  ssize_t ignored = write(wake_pipe[1], "", 1);
  (void)ignored;
  errno = saved;
}

int cs_catch_stop_signals(void) {
  if (wake_pipe[0] < 0 && pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = remember;
  sigemptyset(&action.sa_mask);
  // The parent process may have blocked the signals.
  sigset_t set;
  sigemptyset(&set);
  for (int at = 0; at < stop_count; at++) {
    sigaddset(&set, stops[at]);
    if (!is_catching) sigaction(stops[at], NULL, &earlier[at]);
    // nohup ignores SIGHUP, so that the process survives its terminal.
    if (stops[at] != SIGHUP || earlier[at].sa_handler != SIG_IGN) sigaction(stops[at], &action, NULL);
  }
  is_catching = 1;
  signal(SIGPIPE, SIG_IGN);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  return wake_pipe[0];
}

int cs_catches_stop_signals(void) { return is_catching; }

void cs_release_stop_signals(void) {
  for (int at = 0; at < stop_count; at++) sigaction(stops[at], &earlier[at], NULL);
  is_catching = 0;
}

int cs_stop_signal(void) { return caught; }

void cs_forget_stop_signal(void) {
  char bytes[16];
  caught = 0;
  while (read(wake_pipe[0], bytes, sizeof bytes) > 0) {
  }
}
