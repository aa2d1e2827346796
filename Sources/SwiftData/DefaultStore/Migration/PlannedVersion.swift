// SPDX-License-Identifier: MIT

internal import Store

/// One version of a migration plan, as one store holds it; without a plan, the schema of the container.
struct PlannedVersion {
  let name: (any VersionedSchema.Type)?
  let schema: Schema
  let model: ModelDescription

  /// - Parameter isPart: Tells which entities the store holds, where it does not hold all.
  init(_ name: any VersionedSchema.Type, isPart: ((ModelType) -> Bool)? = nil) throws {
    self.name = name
    let whole = Schema(versionedSchema: name)
    schema =
      if let isPart {
        Schema(whole.types.filter(isPart).map(\.modelType), version: name.versionIdentifier)
      } else {
        whole
      }
    model = try ModelDescription(schema)
  }

  init(_ schema: Schema, _ model: ModelDescription) {
    name = nil
    self.schema = schema
    self.model = model
  }

  var version: Schema.Version { schema.version }
  /// The version identifiers in the store's metadata.
  var identifiers: [String] { [version.description] }
  /// For messages.
  var title: String { "\(name.map { "\($0)" } ?? "the schema") \(version)" }

  func isNamed(_ other: any VersionedSchema.Type) -> Bool {
    name.map { ObjectIdentifier($0) == ObjectIdentifier(other) } ?? false
  }
}
