/// How far the bits of an entity's bitmap follow from its model.
enum BitmapAccuracy {
  /// Each bit stands for one known property.
  case exact
  /// The bits of to-many relationships are in the order of a hash table: a bit stands for any of them of its kind.
  case hashedToMany
  /// The bits stand for properties that the model does not have.
  case unknown
}
