// SPDX-License-Identifier: MIT

internal import Followspot
internal import Store

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

  init(_ change: ResultChange) {
    self =
      switch change {
      case .match, .enter: .added
      case .change: .changed
      case .leave: .removed
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
