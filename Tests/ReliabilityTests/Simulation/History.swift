// SPDX-License-Identifier: MIT

import SQLite
import Store

/// The transactions of a store, read by plain SQL, and what a token has lost.
struct History {
  /// How a token is of no use any more, by the words in which it is said.
  enum Loss: String, CaseIterable {
    case expired = "has expired"
    case older = "is older than the index"
    case otherPast = "has diverged"
  }

  private(set) var stamps: [Int64: UInt64] = [:]
  let newest: Int64

  init(_ storePath: String) throws {
    let connection = try Connection(path: storePath, access: .readOnly)
    let rows = try connection.cursor("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION")
    while try rows.step() { stamps[rows.integer(at: 0)] = rows.double(at: 1).bitPattern }
    newest = try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'") ?? 0
  }

  var oldest: Int64? { stamps.keys.min() }
  var beginsWithTheFirst: Bool { oldest == 1 || (oldest == nil && newest == 0) }

  /// What a reader at that token has lost; nil if it can continue.
  func loss(of token: StoreToken) -> Loss? {
    if let stamp = token.stamp {
      if token.number > newest { return .older }
      guard let found = stamps[token.number] else { return .expired }
      if found != stamp { return .otherPast }
    } else if token.number > newest {
      return .expired
    }
    return stamps.keys.filter { $0 > token.number }.count == Int(newest - token.number) ? nil : .expired
  }
}
