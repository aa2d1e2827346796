// SPDX-License-Identifier: MIT

internal import SQLite

/// Names the records of a replica of an ordinary database. It has no tables, so that keys come from an index.
package final class ReplicaNames: RecordNaming {
  package let namedByNumber: Set<String>
  package var keptKey: ((_ entity: String, _ key: Int64) -> [UInt8]?)?

  package init(namedByNumber: Set<String>) { self.namedByNumber = namedByNumber }

  package func keyText(of key: Int64, _ entity: EntityLayout) -> String? {
    if namedByNumber.contains(entity.entity.name) { return String(key) }
    // Only keys that are not numbers of rows are kept.
    guard let kept = keptKey?(entity.entity.name, key), !kept.isEmpty else { return nil }
    // A replica has no columns. The kinds of the values tell theirs.
    return RowBytes.values(kept[...])
      .map { KeyText.text($0, affinities: $0.map(Self.affinity)) }
  }

  /// The keys, as documents keep them, that a text may mean.
  package func keys(named text: Substring) -> [[UInt8]] {
    ["TEXT", "NUMERIC", "BLOB"].flatMap { affinity in
      let count = text.count { $0 == ":" } + 1
      return KeyText.keys(text, affinities: Array(repeating: affinity, count: count)).map { values in
        var bytes = RowBytes()
        for value in values { bytes.append(value) }
        return bytes.bytes
      }
    }
  }

  /// The affinity of a column that such values come from.
  private static func affinity(_ value: Value) -> String {
    switch value {
    case .text: "TEXT"
    case .blob, .null: "BLOB"
    case .integer, .real: "NUMERIC"
    }
  }
}
