// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// The property list in `Z_METADATA`: Core Data's own keys and this package's model description.
struct StoreMetadata: Codable {
  var storeType = "SQLite"
  var versionHashes: [String: Data]
  var versionHashesVersion = 3
  var versionHashesDigest: String
  /// The program's names for the version of its model; one empty name if it has none.
  var versionIdentifiers: [String]
  var frameworkVersion = 1345
  var maximumFrameworkVersion = 1345
  var autoVacuumLevel = "2"
  /// The model description as JSON; nil in stores of other software.
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
      // 32 bytes, like Core Data's hashes. Only their equality has a meaning.
      hashes[entity.name] = Data(try ModelDescription(entities: [entity]).digest().utf8)
    }
    versionHashes = hashes
    self.versionIdentifiers = versionIdentifiers.isEmpty ? [""] : versionIdentifiers
    versionHashesDigest = try model.digest()
    self.model = try model.encoded()
  }

  /// The part of the property list that a reader needs.
  struct Essentials: Decodable {
    let model: ModelDescription
    let versionIdentifiers: [String]

    private enum CodingKeys: String, CodingKey {
      case model = "FollowspotModel"
      case versionIdentifiers = "NSStoreModelVersionIdentifiers"
    }

    /// The result of reading the property list of a store.
    enum Found {
      case own(Essentials)
      /// Other software made the store: there is no model description.
      case foreign(versionIdentifiers: [String])
      case unreadable
    }

    static func read(_ bytes: [UInt8]) -> Found {
      let decoder = PropertyListDecoder()
      if let essentials = try? decoder.decode(Self.self, from: Data(bytes)) { return .own(essentials) }
      guard let others = try? decoder.decode(Others.self, from: Data(bytes)) else { return .unreadable }
      return others.hasModel ? .unreadable : .foreign(versionIdentifiers: others.versionIdentifiers)
    }

    private struct Others: Decodable {
      let hasModel: Bool
      let versionIdentifiers: [String]

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hasModel = container.contains(.model)
        let names = try? container.decodeIfPresent([String].self, forKey: .versionIdentifiers)
        versionIdentifiers = (names ?? nil ?? []).filter { !$0.isEmpty }
      }
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
