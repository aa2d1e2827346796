// SPDX-License-Identifier: MIT

/// How exactly the bits of an entity's change bitmap follow from its model.
package enum BitmapAccuracy {
  /// Each bit represents one known property.
  case exact
  /// To-many bits are in the order of a hash table: one may represent any relationship of the same kind.
  case hashedToMany
  /// The bits represent properties that the model does not contain.
  case unknown
}
