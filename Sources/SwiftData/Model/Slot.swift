// SPDX-License-Identifier: MIT

internal import SQLite

/// One property of one object in memory.
enum Slot {
  /// No value was set yet.
  case unset
  /// A value as its column stores it.
  case column(Value)
  /// The values of the columns of a property that has several, not decoded yet.
  case columns([Value])
  /// A value that is not stored as it stands: decoded once, encoded when it is saved.
  case boxed(AnyObject)
  /// The object of a to-one relationship.
  case one((any PersistentModel)?)
  /// The row of a to-one relationship whose object was not read yet.
  case row(PersistentIdentifier)
  /// The objects of a to-many relationship.
  case many(RelatedObjects)
  /// A to-many relationship that was not read yet.
  case unread
}

/// A decoded value of a property whose columns hold something else.
final class Box<Content> {
  let content: Content
  init(_ content: Content) { self.content = content }
}
