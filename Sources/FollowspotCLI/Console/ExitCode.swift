// SPDX-License-Identifier: MIT

internal import Indexing
internal import PersistentStore
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// The exit code of the process. The numbers are part of the command line's interface and do not change.
enum ExitCode: Int32, Error {
  /// Success: something was found, two things are equal, or the work is done.
  case success = 0
  /// A negative result: nothing was found, or a difference was found.
  case negative = 1
  /// A usage error, or an error without its own exit code.
  case failure = 2
  /// The store or the index does not exist.
  case missing = 3
  /// The answer would be older than permitted, or `wait` timed out.
  case stale = 4
  /// Another process holds the lock.
  case locked = 5
  /// The token expired or the history diverged, and reconciling was forbidden.
  case historyGone = 6
  /// The index is corrupt, and a rebuild is needed.
  case corrupt = 7
  /// A remote index of a group does not answer. What the others answer is printed.
  case incomplete = 8
  /// The failure is temporary, and a retry can succeed.
  case temporary = 75
  case interrupted = 130
  case terminated = 143

  /// The meaning, for help and the manual.
  static let meanings: [(code: ExitCode, meaning: String)] = [
    (.success, "success: found, equal or done"), (.negative, "nothing found, or a difference found"),
    (.failure, "usage error, or an error without its own exit code"),
    (.missing, "the store or the index does not exist"),
    (.stale, "the answer is older than --max-lag allows, or a wait timed out"),
    (.locked, "another process holds the lock of the index, a saved search or a consumer"),
    (.historyGone, "history is missing and --no-reconcile was given"), (.corrupt, "the index is corrupt; rebuild it"),
    (.incomplete, "a remote part of a group does not answer; what the others answer is printed"),
    (.temporary, "temporary failure; try again"),
  ]

  init(_ error: any Error) {
    self =
      switch error {
      case let error as CommandError: error.code
      case let error as StoreError: Self.code(error)
      case let error as IndexError: Self.code(error)
      case let error as OperationError: Self.code(error)
      default: .failure
      }
  }

  private static func code(_ error: StoreError) -> ExitCode {
    switch error.code {
    case .missing: .missing
    case .busy, .full, .limit, .replaced: .temporary
    default: .failure
    }
  }

  private static func code(_ error: IndexError) -> ExitCode {
    switch error.code {
    case .missing: .missing
    case .locked: .locked
    case .corrupt: .corrupt
    case .unreachable: .incomplete
    case .full, .limit, .changed, .building: .temporary
    default: .failure
    }
  }

  private static func code(_ error: OperationError) -> ExitCode {
    switch error.code {
    case .locked: .locked
    case .historyGone: .historyGone
    case .stale: .stale
    case .incomplete: .incomplete
    case .full, .busy, .unreachable, .damagedReplica: .temporary
    case .stopped: StopSignal.number == SIGINT ? .interrupted : .terminated
    default: .failure
    }
  }
}
