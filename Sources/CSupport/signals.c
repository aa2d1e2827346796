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
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  // nohup ignores SIGHUP, so that the process survives its terminal.
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  // The parent process may have blocked the signals.
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &stops, NULL);
  return wake_pipe[0];
}

int cs_stop_signal(void) { return caught; }

void cs_forget_stop_signal(void) {
  char bytes[16];
  caught = 0;
  while (read(wake_pipe[0], bytes, sizeof bytes) > 0) {
  }
}
