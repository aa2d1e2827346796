// SPDX-License-Identifier: MIT

internal import SQLite

/// What a store's file holds: the description that this package wrote, or the model of other software.
package struct StoredModel: Sendable {
  package let model: ModelDescription
  let layout: StoreLayout
  /// What the program that made or migrated the store calls this version of the model; empty for no name.
  package var versionIdentifiers: [String] = []
  /// The digest of the model; nil if it was not computed.
  var digest: String?
  /// Sentences without a full stop about what is missing in the file or cannot be read.
  package var remarks: [String] = []
  /// Why the file's own model cannot be used, so that its relationships are not known; nil if it is used.
  package var modelFault: String?
  /// Views that replace tables of a file of other software; nil for this package's stores. Only those may be written.
  var views: TemporaryViews?

  var isOwn: Bool { views == nil }

  init(model: ModelDescription, layout: StoreLayout, views: TemporaryViews) {
    (self.model, self.layout, self.views) = (model, layout, views)
  }

  private init(_ essentials: StoreMetadata.Essentials) throws {
    model = essentials.model
    layout = StoreLayout(model: model)
    versionIdentifiers = essentials.versionIdentifiers
    digest = try model.digest()
  }

  /// The models of this package's stores that were read last, by their property lists. The stores of a group often have
  /// the same one.
  private static let known = RecentValues<[UInt8], StoredModel>()

  static func read(
    _ connection: Connection, propertyList: [UInt8], _ foreign: (any ForeignFormat)?
  ) throws -> StoredModel {
    if let model = known[propertyList] { return model }
    switch StoreMetadata.Essentials.read(propertyList) {
    case .own(let essentials):
      let model = try StoredModel(essentials)
      known.keep(model, for: propertyList)
      return model
    case .foreign(let versionIdentifiers):
      guard let foreign else {
        throw StoreError(
          .notAStore, "\(connection.path) was made by Apple's software", recovery: .chooseOwnStore)
      }
      return try foreign.model(of: connection, versionIdentifiers: versionIdentifiers)
    case .unreadable:
      throw StoreError(
        .notAStore, "\(connection.path) has a model description that cannot be read", recovery: .restoreBackup)
    }
  }
}
