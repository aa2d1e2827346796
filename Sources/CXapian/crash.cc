// SPDX-License-Identifier: MIT

// Crashes: a damaged database can crash Xapian, and a full disk can make it throw where nobody can catch. Both end the
// process with an error message and an exit code.
#include "internal.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>

using namespace cx;

namespace {

/// The number of calls into Xapian that this thread is in, and the database that it opened last.
thread_local volatile sig_atomic_t calls = 0;
thread_local char opened_path[1024];

/// The signals that are handled. Swift's runtime ends the process by the last two.
const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGTRAP};
struct sigaction actions_before[std::size(crashes)];
int crash_exit_code, full_exit_code;
bool handles_crashes = false;
char crash_options[1024];

void say(const char *text) noexcept {
  ssize_t ignored = write(2, text, std::strlen(text));
  (void)ignored;
}

/// Whether the process can get no more memory. Swift's runtime crashes in many ways then.
bool is_out_of_memory() noexcept {
  const size_t wanted = 16 << 20;
  void *probe = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return true;
  munmap(probe, wanted);
  return false;
}

void explain_crash(int number) {
  if (is_out_of_memory()) {
    say("followspot: the process is out of memory\n"
        "hint: allow it more (ulimit -v), then try again; what was committed is as it was\n");
    _exit(full_exit_code);
  }
  if (calls > 0 && number != SIGILL && number != SIGTRAP) {
    say("followspot: the index ");
    say(opened_path);
    say(" is damaged in a way that Xapian does not survive\nhint: followspot ");
    say(crash_options);
    say("rebuild\n");
    _exit(crash_exit_code);
  }
  // Not a crash of Xapian. The signal occurs again on return, and the previous handler gets it.
  for (size_t at = 0; at < std::size(crashes); at++) sigaction(crashes[at], &actions_before[at], nullptr);
}

/// The error of a disk because of which Xapian gives up, or 0. Where a second exception meets a first one that nobody has
/// caught yet, neither may be readable, and what is left is `last`, the error of the last call of the system that failed
/// within the call into Xapian.
int disk_error(int last) noexcept {
  if (const std::exception_ptr current = std::current_exception()) {
    try {
      std::rethrow_exception(current);
    } catch (const Xapian::Error &thrown) {
      if (const int number = system_error(thrown)) return number;
    } catch (...) {
    }
  }
  const bool is_of_disk = last == EIO || is_full(last);
  return std::uncaught_exceptions() > 0 && is_of_disk ? last : 0;
}

/// Xapian throws in destructors while a commit fails, and no caller can catch that. This reports a full or broken disk as
/// such, not as damage.
[[noreturn]] void explain_terminate() {
  if (const int number = calls > 0 ? disk_error(errno) : 0) {
    say("followspot: ");
    say(opened_path);
    say(" cannot be written: ");
    say(std::strerror(number));
    say("\nhint: free space or repair the disk, then try again; committed data has not changed\n");
    _exit(is_full(number) ? full_exit_code : 2);
  }
  std::abort();
}

}  // namespace

namespace cx {

void remember(const char *path) noexcept {
  size_t at = 0;
  for (; path[at] && at + 1 < sizeof opened_path; at++)
    opened_path[at] = static_cast<unsigned char>(path[at]) < 0x20 || path[at] == 0x7f ? '?' : path[at];
  opened_path[at] = 0;
}

CallScope::CallScope() noexcept {
  calls = calls + 1;
  errno = 0;
}
CallScope::~CallScope() { calls = calls - 1; }

}  // namespace cx

extern "C" {

void cx_exit_on_crash(int damaged, int full) noexcept {
  static char stack[1 << 16];
  stack_t known;
  if (sigaltstack(nullptr, &known) == 0 && (known.ss_flags & SS_DISABLE)) {
    stack_t own = {};
    own.ss_sp = stack;
    own.ss_size = sizeof stack;
    sigaltstack(&own, nullptr);
  }
  handles_crashes = true;
  crash_exit_code = damaged;
  full_exit_code = full;
  std::set_terminate(explain_terminate);
  struct sigaction action = {};
  action.sa_handler = explain_crash;
  action.sa_flags = SA_ONSTACK;
  for (size_t at = 0; at < std::size(crashes); at++) sigaction(crashes[at], &action, &actions_before[at]);
}

void cx_set_crash_options(const char *options) noexcept {
  std::snprintf(crash_options, sizeof crash_options, "%s", options);
}

int cx_survives_reading(const char *path) noexcept {
  if (!handles_crashes) return 1;
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    for (int number : crashes) signal(number, SIG_DFL);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    alarm(10);
    try {
      Xapian::Database database(path);
      for (auto key = database.metadata_keys_begin(); key != database.metadata_keys_end(); ++key)
        database.get_metadata(*key);
    } catch (...) {
      // An error is for whoever opens it next.
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status);
}

}  // extern "C"
