internal import FoundationEssentials

/// The property list in `Z_METADATA`: Core Data's own keys, and this package's model description beside them.
struct StoreMetadata: Codable {
  var storeType = "SQLite"
  var versionHashes: [String: Data]
  var versionHashesVersion = 3
  var versionHashesDigest: String
  /// Names that a program gives to the version of its model; one empty name where it gives none.
  var versionIdentifiers: [String]
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

  init(model: ModelDescription, _ versionIdentifiers: [String]) throws {
    var hashes: [String: Data] = [:]
    for entity in model.entities {
      // 32 bytes, as Core Data's hashes are; only their equality means anything.
      hashes[entity.name] = Data(try ModelDescription(entities: [entity]).digest().utf8)
    }
    versionHashes = hashes
    self.versionIdentifiers = versionIdentifiers.isEmpty ? [""] : versionIdentifiers
    versionHashesDigest = try model.digest()
    self.model = try model.encoded()
  }

  /// What a reader needs of the property list.
  struct Essentials: Decodable {
    let model: ModelDescription
    let versionIdentifiers: [String]

    private enum CodingKeys: String, CodingKey {
      case model = "FollowspotModel"
      case versionIdentifiers = "NSStoreModelVersionIdentifiers"
    }

    /// - Throws: Also where other software made the store, and there is no model description.
    init(propertyList bytes: [UInt8]) throws {
      self = try PropertyListDecoder().decode(Self.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      model = try JSONDecoder().decode(ModelDescription.self, from: container.decode(Data.self, forKey: .model))
      let names = try container.decodeIfPresent([String].self, forKey: .versionIdentifiers) ?? []
      versionIdentifiers = names.filter { !$0.isEmpty }
    }
  }

  func encoded() throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return Array(try encoder.encode(self))
  }
}
