// SPDX-License-Identifier: MIT

/// Switches back to the generation before the serving one.
package enum Rollback {
  /// - Returns: The number of the generation that now serves; nil if there is no earlier one.
  /// - Throws: `OperationError.locked` while a rebuild runs.
  package static func run(in directory: IndexDirectory) throws -> Int? {
    guard try directory.serving() != nil else { throw IndexError.missing(directory) }
    let lock = try FileLock(.rebuild, in: directory, verb: "rollback")
    defer { withExtendedLifetime(lock) {} }
    guard let serving = try directory.serving(),
      let earlier = directory.generations().last(where: { $0 < serving.number })
    else { return nil }
    _ = try IndexState.read(path: directory.path(ofGeneration: earlier))
    try directory.flip(to: earlier)
    return earlier
  }
}
