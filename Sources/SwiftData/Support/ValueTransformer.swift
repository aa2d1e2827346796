// SPDX-License-Identifier: MIT

/// Converts values of any type to `Data` and back, for `.transformable` attributes.
///
/// Foundation on Linux has no such class; this one has the members that models use. Subclasses override
/// `transformedValue(_:)`, which makes `Data`, and `reverseTransformedValue(_:)`, which reads it. Subclasses of
/// `NSSecureUnarchiveFromDataTransformer` work in the opposite direction.
open class ValueTransformer: NSObject, ValueTransformerLookup {
  private struct Registry: @unchecked Sendable {
    // Unchecked: the list is behind a lock, and a transformer that is registered is used by every thread on any system.
    var transformers: [String: ValueTransformer]
  }

  private static let registry = Locked(
    Registry(transformers: [
      NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue: NSSecureUnarchiveFromDataTransformer()
    ]))

  /// Creates a transformer.
  public override required init() { super.init() }

  /// The class of transformed values.
  open class func transformedValueClass() -> AnyClass { NSData.self }
  /// Whether transformed values can be converted back.
  open class func allowsReverseTransformation() -> Bool { true }
  /// Converts a value; returns it unchanged unless overridden.
  open func transformedValue(_ value: Any?) -> Any? { value }
  /// Converts a transformed value back; returns it unchanged unless overridden.
  open func reverseTransformedValue(_ value: Any?) -> Any? { value }

  /// Whether `transformedValue(_:)` reads `Data` and `reverseTransformedValue(_:)` makes it.
  class var readsData: Bool { false }

  /// Registers a transformer under a name; nil removes the name.
  public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
    registry.withLock { $0.transformers[name.rawValue] = transformer }
  }

  /// The names of all registered transformers, sorted.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    registry.withLock { $0.transformers.keys.sorted().map(NSValueTransformerName.init(rawValue:)) }
  }

  /// Registers a class under its own name.
  static func register(_ type: ValueTransformer.Type) {
    let name = String(reflecting: type)
    guard registry.withLock({ $0.transformers[name] == nil }) else { return }
    // Not under the lock: user code runs.
    setValueTransformer(type.init(), forName: NSValueTransformerName(name))
  }

  /// The transformer that is registered under the name, or one of the class `Module.Class` of that name.
  static func find(_ name: String) -> ValueTransformer? {
    if let known = registry.withLock({ $0 }).transformers[name] { return known }
    return (NSClassFromString(name) as? ValueTransformer.Type)?.init()
  }
}

/// Gives `ValueTransformer` an initializer that returns a registered object. An addition to Apple's interface.
public protocol ValueTransformerLookup {}

extension ValueTransformerLookup where Self: ValueTransformer {
  /// The transformer that is registered under the name; nil where there is none.
  public init?(forName name: NSValueTransformerName) {
    guard let found = ValueTransformer.find(name.rawValue) as? Self else { return nil }
    self = found
  }
}

/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name as text.
  public let rawValue: String
  /// The name of that text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name of that text.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Archives values that support secure coding: `NSSecureUnarchiveFromDataTransformer`.
  public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}
