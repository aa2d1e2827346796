// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import Glibc
internal import SearchIndex
internal import Store

/// An error as a person or a script reads it.
enum ErrorReport {
  /// Prints an error with its position and its hint.
  ///
  /// - Parameter member: The store of a group that has the error; nil if there is no group.
  static func say(_ error: any Error, of member: String? = nil) {
    Console.say((member.map { $0 + ": " } ?? "") + String(describing: error))
    if let marked = (error as? QueryError)?.marked {
      Console.note(marked.split(separator: "\n").map { String($0).printable }.joined(separator: "\n"))
    }
    if let hint = Hint.of(error) { Console.hint(hint) }
  }

  static func code(of error: any Error) -> ExitCode {
    switch error {
    case let error as CommandError: error.code
    case let error as StoreError: code(error)
    case let error as IndexError: code(error)
    case let error as OperationError: code(error)
    case let error as MissingPart: error.error.map(code(of:)) ?? .incomplete
    default: .failure
    }
  }

  /// The exit code of a verb that works on several stores.
  ///
  /// - Parameter worked: Whether it did its work on at least one of them.
  static func code(ofGroup error: any Error, worked: Bool) -> ExitCode {
    let code = code(of: error)
    return worked && code == .missing ? .incomplete : code
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
