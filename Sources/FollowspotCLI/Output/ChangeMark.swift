// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import ShellInterface

/// The mark before a change in text: it entered or was added, changed, or left.
enum ChangeMark: String {
  case added = "+"
  case changed = "~"
  case removed = "-"

  init(_ kind: ChangeKind) {
    self =
      switch kind {
      case .insert: .added
      case .update: .changed
      case .delete: .removed
      }
  }

  /// - Parameter event: The name of an event of a result: `match`, `enter`, `change` or `leave`.
  init(event: String) {
    self =
      switch event {
      case "change": .changed
      case "leave": .removed
      default: .added
      }
  }

  var styled: String {
    switch self {
    case .added: Style.added(rawValue)
    case .changed: Style.bold(rawValue)
    case .removed: Style.removed(rawValue)
    }
  }
}
