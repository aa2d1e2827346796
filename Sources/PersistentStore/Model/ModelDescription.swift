internal import CSupport
package import FoundationEssentials

/// What a store holds: its entities. Kept inside the store, so that a reader needs nothing else.
package struct ModelDescription: Codable, Sendable, Equatable {
  package var entities: [EntityDescription]

  package init(entities: [EntityDescription]) { self.entities = entities }

  package func entity(named name: String) -> EntityDescription? { entities.first { $0.name == name } }

  /// The model as JSON with sorted keys: equal models give equal bytes.
  package func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// 32 hexadecimal digits that change when anything in the model does.
  package func digest() throws -> String {
    let bytes = Array(try encoded())
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 33) { digits in
      cs_digest_hexadecimal(bytes, bytes.count, digits.baseAddress!)
      return String(cString: digits.baseAddress!)
    }
  }
}
