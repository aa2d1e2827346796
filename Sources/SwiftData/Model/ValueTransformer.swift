/// Turns values of any kind into `Data` and back, for `.transformable` attributes.
///
/// Foundation on Linux has no such class; this one has the members that models use. Subclasses override
/// `transformedValue(_:)`, which makes `Data`, and `reverseTransformedValue(_:)`, which reads it.
open class ValueTransformer: NSObject, @unchecked Sendable {
  private static let registered = Locked<[String: ValueTransformer]>([:])

  public override required init() { super.init() }

  open class func transformedValueClass() -> AnyClass { NSData.self }
  open class func allowsReverseTransformation() -> Bool { true }
  open func transformedValue(_ value: Any?) -> Any? { value }
  open func reverseTransformedValue(_ value: Any?) -> Any? { value }

  public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
    registered.withLock { $0[name.rawValue] = transformer }
  }

  public class func valueTransformerNames() -> [NSValueTransformerName] {
    registered.withLock { $0.keys.sorted().map(NSValueTransformerName.init(rawValue:)) }
  }

  /// Registers a class under its own name.
  static func register(_ type: ValueTransformer.Type) {
    let name = String(reflecting: type)
    registered.withLock { if $0[name] == nil { $0[name] = type.init() } }
  }

  static func find(_ name: String) -> ValueTransformer? { registered.withLock { $0[name] } }
}

public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
}
