// SPDX-License-Identifier: MIT

internal import CXapian

/// Joins databases into a compact one.
enum DatabaseJoin {
  private final class Condition {
    let isOver: () -> Bool

    init(_ isOver: @escaping () -> Bool) { self.isOver = isOver }
  }

  /// - Parameters:
  ///   - renumbers: Whether the documents of each database follow those of the one before it. Otherwise they keep their
  ///     numbers, whose ranges must not overlap.
  ///   - isOver: Called before and after each table. If it returns true, joining ends with an error.
  static func run(
    _ sources: some Sequence<String>, at path: String, renumbers: Bool, isOver: @escaping () -> Bool
  ) throws(IndexError) {
    let condition = Condition(isOver)
    let names = sources.map { $0 + "\0" }.joined()
    var error = cx_error()
    let code = withExtendedLifetime(condition) {
      cx_join(
        names, names.utf8.count, path, renumbers ? 1 : 0,
        { $0.map { Unmanaged<Condition>.fromOpaque($0).takeUnretainedValue().isOver() } == true ? 1 : 0 },
        Unmanaged.passUnretained(condition).toOpaque(), &error)
    }
    guard code == CX_OK else { throw IndexError.from(error, "joining databases into", path: path) }
  }
}
