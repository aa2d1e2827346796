// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
package import Store

/// Where an index is: in a directory, or on another machine.
package enum IndexLocation: CustomStringConvertible {
  case directory(IndexDirectory)
  case remote(RemoteIndex)

  /// An index that is open for reading.
  package struct Opened {
    /// nil for an index of another machine.
    let generation: IndexDirectory.Generation?
    package let reader: IndexReader
    package var state: IndexState
  }

  var isRemote: Bool { if case .remote = self { true } else { false } }

  package var description: String {
    switch self {
    case .directory(let directory): directory.path
    case .remote(let remote): remote.address.description
    }
  }

  /// The subject of a sentence about what the index stores.
  var subject: String {
    switch self {
    case .directory: "the replica"
    case .remote(let remote): remote.address.description
    }
  }

  /// Opens the newest revision of the generation that serves.
  ///
  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`, `.unreachable`.
  package func open() throws -> Opened {
    switch self {
    case .remote(let remote): return try remote.open()
    case .directory(let directory):
      let found = try directory.reading { serving, reader in
        let state = try IndexState.read(reader)
        try reader.setStemmer(state.definition.language)
        return Opened(generation: serving, reader: reader, state: state)
      }
      guard let found else { throw IndexError.missing(directory) }
      return found
    }
  }

  /// The model of the store that was indexed.
  package func model(of state: IndexState) throws -> ModelDescription {
    if let model = state.model { return model }
    throw IndexError(.corrupt, "the index \(self) does not contain the model of its store", recovery: .rebuildIndex)
  }

  /// Whether the directory's stub still names that generation.
  func isServing(_ generation: IndexDirectory.Generation) throws -> Bool {
    guard case .directory(let directory) = self else { return false }
    return try directory.serving() == generation
  }
}
