// SPDX-License-Identifier: MIT

/// Archives values that support secure coding: `transformedValue(_:)` reads the archive, and
/// `reverseTransformedValue(_:)` makes it.
///
/// Arrays, dictionaries and sets of texts, numbers, dates, `Data`, `URL` and `UUID` are accepted as they are. Subclasses
/// add other classes to `allowedTopLevelClasses`, also those of objects inside of an archived object. An archive that
/// names any other class is not read.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  private static let foundationClasses: [AnyClass] = [
    NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self,
    NSUUID.self, NSNull.self,
  ]

  /// The classes that a value may have.
  open class var allowedTopLevelClasses: [AnyClass] { foundationClasses }

  override class var readsData: Bool { true }

  /// The object in an archive; nil for an archive that names other classes.
  open override func transformedValue(_ value: Any?) -> Any? {
    let allowed = Self.foundationClasses + type(of: self).allowedTopLevelClasses
    guard let data = value as? Data, Self.names(in: data).allSatisfy({ Self.isOne($0, of: allowed) }),
      let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data)
    else { return nil }
    // The classes are checked already. In its secure mode, Foundation stops the program at one that is not allowed.
    unarchiver.requiresSecureCoding = false
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    defer { unarchiver.finishDecoding() }
    let object = unarchiver.decodeObject(of: allowed, forKey: NSKeyedArchiveRootObjectKey)
    return unarchiver.error == nil ? object : nil
  }

  /// The archive of an object; nil for an object of another class.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let value, value as AnyObject is any NSSecureCoding else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
  }

  /// The names of all classes in an archive.
  private static func names(in archive: Data) -> [String] {
    let list = try? PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any]
    let objects = list?["$objects"] as? [Any] ?? []
    return objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String }
  }

  private static func isOne(_ name: String, of allowed: [AnyClass]) -> Bool {
    var type: AnyClass? = NSClassFromString(name)
    while let found = type {
      if allowed.contains(where: { $0 == found }) { return true }
      type = _getSuperclass(found)
    }
    return false
  }
}
