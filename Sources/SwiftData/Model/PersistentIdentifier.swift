// SPDX-License-Identifier: MIT

internal import Synchronization

/// Names one object: its store, its entity and its key there. Before the first save it is temporary.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// What tells two objects apart.
  public struct ID: Hashable, Sendable {
    enum Key: Hashable {
      case row(Int64)
      /// Counted in this process.
      case temporary(UInt64)
      /// Of another process.
      indirect case foreign(String)
      /// Texts are kept elsewhere, so that identifiers of rows are small.
      indirect case custom(String)
    }

    /// The key as a number, where it is one.
    var number: Int64? {
      switch key {
      case .row(let number): number
      case .temporary(let count): Int64(count)
      case .foreign, .custom: nil
      }
    }

    /// Safe: references live as long as the process.
    unowned(unsafe) let entity: EntityReference
    let key: Key

    /// Whether both name the same object.
    public static func == (left: ID, right: ID) -> Bool { left.entity === right.entity && left.key == right.key }

    /// Hashes the store, the entity and the key.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(entity))
      hasher.combine(key)
    }
  }

  /// What tells two objects apart.
  public let id: ID

  init(_ entity: EntityReference, _ key: ID.Key) { id = ID(entity: entity, key: key) }

  /// The identifier of row `key`.
  init(_ entity: EntityReference, key: Int64) { self.init(entity, .row(key)) }

  /// A new temporary identifier of an entity of no store.
  init(temporaryOf entity: EntityReference) {
    self.init(entity, .temporary(Self.temporaries.add(1, ordering: .relaxed).newValue))
  }

  private static let process = UUID()
  private static let temporaries = Atomic<UInt64>(0)

  /// The name of the object's entity.
  public var entityName: String { id.entity.entityName }

  /// The store's UUID; nil while the identifier is temporary.
  public var storeIdentifier: String? { id.entity.storeIdentifier }

  /// Whether the object was not saved yet.
  public var isTemporary: Bool {
    switch id.key {
    case .temporary, .foreign: true
    case .row, .custom: false
    }
  }

  /// The row's key in its store; nil for identifiers of other kinds.
  var row: Int64? {
    if case .row(let key) = id.key { return key }
    return nil
  }

  /// An identifier that a custom store assigns.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the custom store.
  ///   - entityName: The name of the object's entity.
  ///   - primaryKey: The key of the object in the store. A text that is an integer identifies the same object as that
  ///     integer.
  public static func identifier<Key>(
    for storeIdentifier: String, entityName: String, primaryKey: Key
  ) throws -> PersistentIdentifier where Key: Comparable & CustomStringConvertible & Codable & Hashable {
    let entity = EntityReference.of(storeIdentifier: storeIdentifier, entityName: entityName)
    if let number = primaryKey as? any BinaryInteger { return PersistentIdentifier(entity, key: Int64(number)) }
    return PersistentIdentifier(entity, .custom(primaryKey.description))
  }

  /// By store, entity and key; then the temporary ones, in the order in which they were made.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    let (a, b) = (left.id.entity, right.id.entity)
    if a !== b {
      let (left, right) = (a.storeIdentifier, b.storeIdentifier)
      guard (left == nil) == (right == nil) else { return left != nil }
      return (left ?? "", a.entityName) < (right ?? "", b.entityName)
    }
    switch (left.id.key, right.id.key) {
    case (.row(let a), .row(let b)): return a < b
    case (.temporary(let a), .temporary(let b)): return a < b
    case (.custom(let a), .custom(let b)), (.foreign(let a), .foreign(let b)): return a < b
    case (let a, let b): return a.rank < b.rank
    }
  }
}

// MARK: Coding

extension PersistentIdentifier {
  private enum OuterKey: String, CodingKey { case implementation }
  private enum InnerKey: String, CodingKey {
    case primaryKey, isTemporary, entityName, uriRepresentation, storeIdentifier
  }

  /// Reads the URI only, because it contains the other values. A decoded identifier equals the encoded one.
  public init(from decoder: any Decoder) throws {
    let inner = try decoder.container(keyedBy: OuterKey.self).nestedContainer(
      keyedBy: InnerKey.self, forKey: .implementation)
    let uri = try inner.decode(String.self, forKey: .uriRepresentation)
    guard let found = PersistentIdentifier(uriRepresentation: uri) else {
      throw DecodingError.dataCorruptedError(
        forKey: .uriRepresentation, in: inner, debugDescription: "'\(uri)' names no object")
    }
    self = found
  }

  /// Encodes the identifier as Apple's framework lays it out.
  public func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: OuterKey.self)
    var inner = outer.nestedContainer(keyedBy: InnerKey.self, forKey: .implementation)
    try inner.encode(keyText, forKey: .primaryKey)
    try inner.encode(isTemporary, forKey: .isTemporary)
    try inner.encode(entityName, forKey: .entityName)
    try inner.encode(uriRepresentation, forKey: .uriRepresentation)
    try inner.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
  }

  private var keyText: String {
    switch id.key {
    case .row(let number): "p\(number)"
    case .temporary(let count): "t\(Self.process.uuidString)-\(count)"
    case .foreign(let text): "t\(text)"
    case .custom(let text): "c\(text)"
    }
  }

  /// The identifier as text, `x-coredata://STORE-UUID/Entity/p12`: as the `followspot` program prints it, and as hits of
  /// a search in the store's index carry it.
  ///
  /// An addition to Apple's interface.
  public var uriRepresentation: String {
    let key = keyText.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? keyText
    return "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(key)"
  }

  /// The identifier that such a text names; nil for any other text. Whether there is such an object is not looked up.
  ///
  /// An addition to Apple's interface.
  public init?(uriRepresentation: String) {
    guard uriRepresentation.hasPrefix("x-coredata://") else { return nil }
    let parts = uriRepresentation.dropFirst("x-coredata://".count).split(
      separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[1].isEmpty, let kind = parts[2].first else { return nil }
    let store = parts[0].isEmpty ? nil : String(parts[0])
    let entity = EntityReference.of(storeIdentifier: store, entityName: String(parts[1]))
    let rest = String(parts[2].dropFirst()).removingPercentEncoding ?? String(parts[2].dropFirst())
    switch kind {
    case "p":
      guard let key = Int64(rest) else { return nil }
      self.init(entity, key: key)
    case "c": self.init(entity, .custom(rest))
    case "t":
      let own = Self.process.uuidString + "-"
      let count = rest.hasPrefix(own) ? UInt64(rest.dropFirst(own.count)) : nil
      self.init(entity, count.map(ID.Key.temporary) ?? .foreign(rest))
    default: return nil
    }
  }
}

extension PersistentIdentifier.ID.Key {
  fileprivate var rank: Int {
    switch self {
    case .row: 0
    case .custom: 1
    case .temporary: 2
    case .foreign: 3
    }
  }
}

/// An entity of one store. There is one object for each, by which identifiers are compared; it is never deallocated.
final class EntityReference: Sendable {
  let storeIdentifier: String?
  let entityName: String

  private struct Name: Hashable {
    let storeIdentifier: String?
    let entityName: String
  }

  private static let all = Locked<[Name: EntityReference]>([:])

  private init(_ storeIdentifier: String?, _ entityName: String) {
    self.storeIdentifier = storeIdentifier
    self.entityName = entityName
  }

  static func of(storeIdentifier: String?, entityName: String) -> EntityReference {
    all.withLock { all in
      let name = Name(storeIdentifier: storeIdentifier, entityName: entityName)
      if let known = all[name] { return known }
      let made = EntityReference(storeIdentifier, entityName)
      all[name] = made
      return made
    }
  }
}
