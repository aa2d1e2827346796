// SPDX-License-Identifier: MIT

package import SearchIndex

/// The content of an index in a form that is equal for two indexes of the same rows: terms with frequencies and positions,
/// values, and data by identifier. It contains no document numbers, token or generation.
package struct CanonicalDump: Equatable, Sendable, CustomStringConvertible {
  /// Documents by `Entity/p12`.
  package var documents: [String: String] = [:]

  package init() {}

  package init(of reader: IndexReader) throws {
    let definition = try IndexState.read(reader).definition
    var identities: [[UInt8]] = []
    try reader.eachValue(slot: DocumentLayout.Slot.identity) {
      identities.append($0)
      return true
    }
    for identity in identities {
      guard let (entity, key) = DocumentLayout.parseIdentity(identity) else { continue }
      let term = definition.lookupTerm(entity: entity, key: key)
      documents["\(entity)/p\(key)"] = try reader.description(ofStored: term).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
  }

  /// The dump of the serving generation.
  package init(of directory: IndexDirectory) throws {
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    let language = try IndexState.read(path: serving.path).definition.language
    try self.init(of: IndexReader(path: serving.path, stemmer: language))
  }

  package var description: String {
    documents.sorted { $0.key < $1.key }.map { "\($0.key)\n\($0.value)" }.joined()
  }
}
