internal import FoundationEssentials

/// The property list in `Z_METADATA`: Core Data's own keys, and this package's model description beside them.
struct StoreMetadata: Codable {
  var storeType = "SQLite"
  var versionHashes: [String: Data]
  var versionHashesVersion = 3
  var versionHashesDigest: String
  var versionIdentifiers = [""]
  var frameworkVersion = 1345
  var maximumFrameworkVersion = 1345
  var autoVacuumLevel = "2"
  /// The model description as JSON; absent in stores that other software made.
  var model: Data?

  private enum CodingKeys: String, CodingKey {
    case storeType = "NSStoreType"
    case versionHashes = "NSStoreModelVersionHashes"
    case versionHashesVersion = "NSStoreModelVersionHashesVersion"
    case versionHashesDigest = "NSStoreModelVersionHashesDigest"
    case versionIdentifiers = "NSStoreModelVersionIdentifiers"
    case frameworkVersion = "NSPersistenceFrameworkVersion"
    case maximumFrameworkVersion = "NSPersistenceMaximumFrameworkVersion"
    case autoVacuumLevel = "_NSAutoVacuumLevel"
    case model = "FollowspotModel"
  }

  init(model: ModelDescription) throws {
    var hashes: [String: Data] = [:]
    for entity in model.entities {
      // 32 bytes, as Core Data's hashes are; only their equality means anything.
      hashes[entity.name] = Data(try ModelDescription(entities: [entity]).digest().utf8)
    }
    versionHashes = hashes
    versionHashesDigest = try model.digest()
    self.model = try model.encoded()
  }

  /// Only the model description: what a reader needs.
  static func model(fromPropertyList bytes: [UInt8]) throws -> ModelDescription? {
    struct ModelOnly: Decodable {
      let model: Data?
      private enum CodingKeys: String, CodingKey { case model = "FollowspotModel" }
    }
    guard let data = try PropertyListDecoder().decode(ModelOnly.self, from: Data(bytes)).model else { return nil }
    return try JSONDecoder().decode(ModelDescription.self, from: data)
  }

  func encoded() throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return Array(try encoder.encode(self))
  }
}
