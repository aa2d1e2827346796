// SPDX-License-Identifier: MIT

internal import Store

/// The entities of a store that a schema without a plan leaves out although it keeps an entity above them.
///
/// A program that lists a class without its subclass has rather forgotten the subclass than wants to lose its objects.
struct LostSubclasses {
  private let store: PersistentStore
  private let lost: [EntityLayout]
  private let kept: Set<String>

  init(_ store: PersistentStore, _ model: ModelDescription) throws {
    self.store = store
    let removed = Set(try store.previewMigration(to: model).removedEntities)
    kept = Set(store.model.entities.map(\.name)).subtracting(removed)
    lost = store.layout.entities.filter { removed.contains($0.entity.name) }
  }

  /// - Throws: `SwiftDataError.loadIssueModelContainer` that names a class whose objects would be deleted.
  func refuse() throws {
    for entity in lost {
      guard let above = keptAncestor(of: entity) else { continue }
      let count = try store.count(of: entity)
      guard count > 0 else { continue }
      let name = entity.entity.name
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(store.path) has \(count) object\(count == 1 ? "" : "s") of \(name), a subclass of \(above), and the "
          + "schema lists \(above) without it: list \(name) in the container's schema, or remove it by a migration plan"
      )
    }
  }

  private func keptAncestor(of entity: EntityLayout) -> String? {
    let names = entity.lineage.compactMap { number in store.layout.entity(number: number)?.entity.name }
    return names.last { $0 != entity.entity.name && kept.contains($0) }
  }
}
