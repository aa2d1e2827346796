// SPDX-License-Identifier: MIT

extension ModelContext: CustomDebugStringConvertible {
  /// The names of the container's configurations, the author if there is one, and the numbers of unsaved changes.
  public var debugDescription: String {
    let names = container.stores.map { $0.configuration.name }.joined(separator: ", ")
    let changes = [
      "\(insertedModelsArray.count) inserted", "\(changedModelsArray.count) changed",
      "\(deletedModelsArray.count) deleted",
    ]
    return "ModelContext of \(names)\(author.map { " by \($0)" } ?? ""): \(changes.joined(separator: ", "))"
  }
}
