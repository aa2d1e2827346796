// SPDX-License-Identifier: MIT

/// The document of a verb: of one store, or of each store of a group.
///
/// That of a group is `{"format": 2, "stores": [{"name": "films", "failed": {…}}]}`.
struct StoreDocuments {
  private let verb: String
  private var single: JSONObject?
  private var stores: [JSONObject] = []

  /// - Parameter verb: The key of the object of each store of a group.
  init(_ verb: String) { self.verb = verb }

  /// - Parameter member: The name of the store in its group; nil if there is no group.
  mutating func add(_ object: JSONObject, of member: String?) {
    guard let member else {
      single = object
      return
    }
    stores.append(["name": member] + JSONObject(members: [(verb, object)]))
  }

  /// Prints one document.
  func print() throws { try JSONObject.document(single ?? ["stores": stores]).print() }
}
