// SPDX-License-Identifier: MIT

package import Base
internal import SearchIndex

/// The index of another machine, which `IndexServer` serves there.
package struct RemoteIndex: Sendable {
  package let address: NetworkAddress

  package init(_ address: NetworkAddress) { self.address = address }

  /// As errors name it.
  package var name: String { "\(address.host):\(address.port)" }

  /// Connects to the server and reads the state of the index.
  ///
  /// - Throws: `IndexError.unreachable`; `OperationError.usage` if it serves something else.
  func open() throws -> IndexLocation.Opened {
    let reader = try IndexReader(host: address.host, port: address.port, patience: .init())
    let state = try read(reader)
    try reader.setStemmer(state.definition.language)
    return IndexLocation.Opened(generation: nil, reader: reader, state: state)
  }

  private func read(_ reader: IndexReader) throws -> IndexState {
    guard let format = try IndexState.format(of: reader) else {
      throw OperationError(
        .usage, "\(address) does not serve an index of this version of followspot", recovery: .sameVersion)
    }
    guard format == DocumentLayout.format else {
      throw OperationError(
        .usage, "\(address) serves an index of format \(format); this version reads \(DocumentLayout.format)",
        recovery: .sameVersion)
    }
    return try IndexState.read(reader)
  }
}
