// SPDX-License-Identifier: MIT

/// The objects of a to-many relationship in their order, each of them once.
///
/// Copies share their storage until one of them changes. `objects` returns the stored array itself, so a later change
/// copies the array only while the caller holds it.
///
/// Membership in a large array is looked up in a set beside it. The removal of single objects from a large array is
/// delayed to the next reader, so a loop that removes them one by one moves the others once.
struct RelatedObjects {
  private var stored: [AnyObject]
  /// nil until the first call of `contains` for a large array.
  private var lookup: Lookup?

  /// Up to this size an array is searched faster than a set.
  private static let small = 32

  /// The members of a large array.
  private final class Lookup {
    var members: Set<ObjectIdentifier>
    /// Removed objects that are still in the array; `sweep()` removes them.
    var removed: Set<ObjectIdentifier> = []

    init(_ members: Set<ObjectIdentifier>) { self.members = members }

    var copy: Lookup {
      let copy = Lookup(members)
      copy.removed = removed
      return copy
    }
  }

  /// - Parameter objects: None of them twice.
  init(_ objects: [AnyObject] = []) { stored = objects }

  /// - Parameter models: None of them twice.
  init(models: [any PersistentModel]) { self.init(models.map { $0 as AnyObject }) }

  /// Copies nothing after `sweep()`.
  var objects: [AnyObject] {
    guard let lookup, !lookup.removed.isEmpty else { return stored }
    return stored.filter { !lookup.removed.contains(ObjectIdentifier($0)) }
  }

  /// Whether both are the same array in memory.
  func isStored(as array: [AnyObject]) -> Bool {
    guard stored.count == array.count, lookup?.removed.isEmpty ?? true else { return false }
    return stored.withUnsafeBufferPointer { own in array.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress } }
  }

  /// Removes the objects whose removal was delayed from the array.
  mutating func sweep() {
    guard let lookup, !lookup.removed.isEmpty else { return }
    stored = objects
    writableLookup { $0.removed = [] }
  }

  /// - Complexity: O(1), but for the first question to a large array.
  mutating func contains(_ object: AnyObject) -> Bool {
    if lookup == nil {
      guard stored.count > Self.small else { return stored.contains { $0 === object } }
      lookup = Lookup(Set(stored.map(ObjectIdentifier.init)))
    }
    return lookup?.members.contains(ObjectIdentifier(object)) ?? false
  }

  /// - Parameter object: Not one of the objects.
  mutating func append(_ object: AnyObject) {
    // An object that is added again comes last.
    if lookup?.removed.contains(ObjectIdentifier(object)) ?? false { sweep() }
    stored.append(object)
    writableLookup { $0.members.insert(ObjectIdentifier(object)) }
  }

  /// - Parameter object: One of the objects.
  mutating func remove(_ object: AnyObject) {
    guard lookup != nil || stored.count > Self.small, contains(object) else {
      return stored.removeAll { $0 === object }
    }
    writableLookup {
      $0.members.remove(ObjectIdentifier(object))
      $0.removed.insert(ObjectIdentifier(object))
    }
  }

  /// Replaces a range of the objects.
  ///
  /// - Parameter new: None of the objects outside of the range, and none twice.
  mutating func replace(_ range: Range<Int>, with new: some Collection<AnyObject>) {
    sweep()
    forget(stored[range])
    if new.count == 1, range.isEmpty, range.lowerBound == stored.count {
      stored.append(contentsOf: new)
    } else {
      stored.replaceSubrange(range, with: new)
    }
    writableLookup { for object in new { $0.members.insert(ObjectIdentifier(object)) } }
  }

  /// Replaces the array by one that differs from it in a range only.
  mutating func become(_ objects: [AnyObject], _ range: Range<Int>, with new: some Collection<AnyObject>) {
    sweep()
    forget(stored[range])
    stored = objects
    writableLookup { for object in new { $0.members.insert(ObjectIdentifier(object)) } }
  }

  private mutating func forget(_ objects: ArraySlice<AnyObject>) {
    guard lookup != nil else { return }
    guard objects.count < stored.count else {
      lookup = nil
      return
    }
    writableLookup { for object in objects { $0.members.remove(ObjectIdentifier(object)) } }
  }

  private mutating func writableLookup(_ body: (Lookup) -> Void) {
    guard var own = lookup else { return }
    lookup = nil
    if !isKnownUniquelyReferenced(&own) { own = own.copy }
    body(own)
    lookup = own
  }
}
