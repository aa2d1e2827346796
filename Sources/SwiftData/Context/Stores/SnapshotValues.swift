// SPDX-License-Identifier: MIT

/// The values of a snapshot by property name, as the snapshot itself encodes them.
enum SnapshotValues {
  static func of(_ snapshot: some DataStoreSnapshot) throws -> [String: Any] {
    if let snapshot = snapshot as? DefaultSnapshot { return snapshot.values }
    var values: [String: Any] = [:]
    try snapshot.encode(to: KeyedValueEncoder { value, key in values[key.stringValue] = value })
    return values
  }
}
