// SPDX-License-Identifier: MIT

/// The exit code of the process. The numbers are part of the command line's interface and do not change.
enum ExitCode: Int32, Comparable {
  /// Something was found, two things are equal, or the work is done.
  case success = 0
  /// Nothing was found, or a difference was found.
  case negative = 1
  /// A usage error, or an error without its own exit code.
  case failure = 2
  /// What the command works on does not exist.
  case missing = 3
  /// The answer would be older than permitted, or a wait timed out.
  case stale = 4
  /// Another process holds the lock.
  case locked = 5
  /// Data that the work must continue from are gone, and starting anew was forbidden.
  case historyGone = 6
  case corrupt = 7
  /// One of several parts does not answer. What the others answer is printed.
  case incomplete = 8
  /// The failure is temporary, and a retry can succeed.
  case temporary = 75
  case interrupted = 130
  case terminated = 143

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
