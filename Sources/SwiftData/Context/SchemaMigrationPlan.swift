// SPDX-License-Identifier: MIT

/// The versions of a schema, oldest first, and how a store comes from each to the next.
///
/// When a container with a plan opens a store, the stages run one by one from the store's version to that of the
/// container's schema. The store's models determine its version. Where several versions have the same models, the version
/// identifier in the store's metadata does. A version whose models were edited without a new version is taken for the
/// same version as long as nothing of the store would be lost.
///
/// Each stage is one transaction of the store's file, its code included: if the code throws, the disk is full or the
/// process ends, the store is as it was before that stage, and the next opening goes on from there. Meanwhile others
/// read the store as it was before the stage, and wait with their saves. History and its tokens stay good; each stage is
/// a transaction of the history too.
///
/// Without a plan, a container performs lightweight migrations automatically.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps between the versions.
  static var stages: [MigrationStage] { get }
}

/// One step of a migration.
public enum MigrationStage: Sendable {
  /// New optional or defaulted properties, removed and renamed ones, new and removed entities: no code.
  ///
  /// All rows get the one value of a new property's default, `UUID()` and `Date.now` included.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// Code around what a lightweight stage does: `willMigrate` has a context of the old models alone, `didMigrate` one of
  /// the new ones. What it leaves unsaved is saved at its end. What it throws, the container throws.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (ModelContext) throws -> Void)?, didMigrate: (@Sendable (ModelContext) throws -> Void)?)

  var ends: (from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
    switch self {
    case .lightweight(let from, let to), .custom(let from, let to, _, _): (from, to)
    }
  }
}
