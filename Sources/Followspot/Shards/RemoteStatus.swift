// SPDX-License-Identifier: MIT

package import SearchIndex
internal import Store

/// The state of a remote index at one moment.
package struct RemoteStatus: Sendable {
  package let uuid: String
  package let state: IndexState
  package let documents: Int

  /// How much of the store the index contains.
  package var complete: Completeness { Completeness(documents: documents, leftOut: state.leftOut) }
  package var token: Int64 { state.token?.number ?? 0 }

  /// - Throws: `IndexError.unreachable`, `.corrupt`; `OperationError.usage` if it serves something else.
  package init(_ remote: RemoteIndex) throws {
    let opened = try remote.open()
    uuid = try opened.reader.uuid()
    state = opened.state
    documents = try opened.reader.documentCount()
  }
}
