// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

extension IndexDirectory {
  /// Maximum number of attempts to open an index that changes meanwhile.
  private static let mostAttempts = 100

  /// Runs `body` with the serving generation and a reader that stays at one revision.
  ///
  /// The generation, or the database of a replica, may be replaced and removed after its stub was read, and its revision
  /// may be overwritten. Then it is opened again.
  ///
  /// - Returns: nil if there is no index yet.
  package func reading<Result>(_ body: (Generation, IndexReader) throws -> Result) throws -> Result? {
    for attempt in 1... {
      guard let serving = try serving() else { return nil }
      do {
        let reader = try IndexReader(path: serving.path)
        reader.pin()
        return try body(serving, reader)
      } catch let error as IndexError {
        let isReplaced = error.code == .changed || (try? self.serving()) != serving
        guard attempt < Self.mostAttempts, isReplaced || attempt < 3 else { throw error }
        usleep(UInt32(min(attempt, 10)) * 500)
      }
    }
    return nil
  }
}
