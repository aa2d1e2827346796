// SPDX-License-Identifier: MIT

package import SwiftSyntaxMacros

/// The macros of the module SwiftData, by the names of their types in its declarations.
///
/// - Returns: nil for any other name.
package func macro(named name: String) -> (any Macro.Type)? {
  switch name {
  case "ModelMacro": ModelMacro.self
  case "PersistedPropertyMacro": PersistedPropertyMacro.self
  case "PropertyMarkerMacro": PropertyMarkerMacro.self
  case "SchemaConstraintMacro": SchemaConstraintMacro.self
  case "ModelActorMacro": ModelActorMacro.self
  default: nil
  }
}
