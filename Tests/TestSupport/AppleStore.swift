// SPDX-License-Identifier: MIT

internal import Foundation

/// A real store of Apple's software below FOLLOWSPOT_DATA. Tests use copies.
package struct AppleStore: CustomStringConvertible, Sendable {
  /// The path of the main file below `stores/`.
  package let file: String
  /// The numbers in the file `NOTES.md` beside the stores; nil for a store without history.
  package let history: History?

  package struct History: Equatable, Sendable {
    package var transactions: Int
    package var inserts: Int
    package var updates: Int
    package var deletes: Int

    package init(_ transactions: Int, _ inserts: Int, _ updates: Int, _ deletes: Int) {
      (self.transactions, self.inserts, self.updates, self.deletes) = (transactions, inserts, updates, deletes)
    }
  }

  package var description: String { file }

  package static let notes = AppleStore(file: "ios-NoteStore.sqlite", history: History(84, 78, 213, 7))
  package static let screenTime = AppleStore(file: "RMAdminStore-Local.sqlite", history: History(939, 9897, 2816, 7216))
  package static let oldHistory = AppleStore(file: "knowledgec-10.13.db", history: History(536, 554, 28, 533))
  package static let withoutHistory = AppleStore(file: "knowledgec-10.14.db", history: nil)
  package static let photos = AppleStore(file: "photos-13.5.1-1/Photos.sqlite", history: History(19, 99, 52, 0))
  package static let laterPhotos = AppleStore(file: "photos-13.5.1-2/Photos.sqlite", history: History(38, 133, 120, 11))

  package static let withHistory = [notes, screenTime, oldHistory, photos, laterPhotos]
  package static let all = withHistory + [withoutHistory]

  /// Copies the main file and the files beside it to `path`.
  package func copy(to path: String) throws {
    let source = (Shell.dataDirectory ?? "") + "/stores/" + file
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
      guard suffix != "-shm", FileManager.default.fileExists(atPath: source + suffix) else { continue }
      try FileManager.default.copyItem(atPath: source + suffix, toPath: path + suffix)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + suffix)
    }
  }

  /// Copies the store to a new directory.
  package func copy() throws -> (path: String, directory: TemporaryDirectory) {
    let directory = TemporaryDirectory()
    let path = directory.file((file as NSString).lastPathComponent)
    try copy(to: path)
    return (path, directory)
  }
}
