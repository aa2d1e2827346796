// SPDX-License-Identifier: MIT

/// A position in the history: for each store, the number of the last transaction that was read.
public struct DefaultHistoryToken: HistoryToken {
  /// Transaction numbers by store identifier.
  public typealias TokenType = [String: Int64]
  /// The type of `id`.
  public typealias ID = Int

  private let storeTokens: [String: Int64]

  private enum CodingKeys: String, CodingKey { case storeTokens }

  init(_ storeTokens: [String: Int64]) { self.storeTokens = storeTokens }

  /// Transaction numbers by store identifier.
  public var tokenValue: [String: Int64]? { storeTokens }
  /// The hash value; equal tokens have equal identities in one process.
  public var id: Int { hashValue }

  /// The first store by name.
  public var storeIdentifier: String { storeTokens.keys.min() ?? "" }

  func number(of store: String) -> Int64? { storeTokens[store] }

  /// Earlier in every store that both know. Tokens of different stores have no order: neither is less.
  public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    let common = left.storeTokens.keys.filter { right.storeTokens[$0] != nil }
    guard !common.isEmpty else { return false }
    return common.allSatisfy { left.storeTokens[$0]! <= right.storeTokens[$0]! }
      && common.contains { left.storeTokens[$0]! < right.storeTokens[$0]! }
  }
}
