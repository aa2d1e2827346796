// SPDX-License-Identifier: MIT

/// How a record in the result of a search changed.
package enum ResultChange: String, Sendable {
  /// In the first result.
  case match
  /// In the result now, and not before.
  case enter
  /// In the result before and now, with other values.
  case change
  /// In the result before, and not now.
  case leave

  /// nil if the record is in neither result, or the same in both.
  init?<Before, After>(from before: Before?, to after: After?, isSame: (Before, After) throws -> Bool) rethrows {
    switch (before, after) {
    case (nil, _?): self = .enter
    case (_?, nil): self = .leave
    case (let before?, let after?) where try !isSame(before, after): self = .change
    default: return nil
    }
  }
}
