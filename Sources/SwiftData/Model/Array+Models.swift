// SPDX-License-Identifier: MIT

/// Changes of arrays of models. They are those of every array; in a large to-many relationship that is changed in place,
/// as by `folder.items.append(item)`, they also take as long as those of an array.
extension Array where Element: PersistentModel {
  /// Adds an object at the end.
  public mutating func append(_ newElement: Element) {
    if !replaceRelated(count..<count, with: [newElement]) { Plain.append(newElement, to: &self) }
  }

  /// Adds objects at the end.
  public mutating func append(contentsOf newElements: some Sequence<Element>) {
    let new = Array(newElements)
    if !replaceRelated(count..<count, with: new) { Plain.append(contentsOf: new, to: &self) }
  }

  /// Adds objects at the end.
  public static func += (array: inout Self, newElements: some Sequence<Element>) {
    array.append(contentsOf: newElements)
  }

  /// Inserts an object at an index.
  public mutating func insert(_ newElement: Element, at index: Int) {
    if !replaceRelated(index..<index, with: [newElement]) { Plain.insert(newElement, at: index, in: &self) }
  }

  /// Removes and returns the object at an index.
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    let object = self[index]
    if !replaceRelated(index..<(index + 1), with: []) { Plain.remove(at: index, from: &self) }
    return object
  }

  /// Removes and returns the first object.
  @discardableResult
  public mutating func removeFirst() -> Element { remove(at: 0) }

  /// Removes and returns the last object.
  @discardableResult
  public mutating func removeLast() -> Element { remove(at: count - 1) }

  /// Removes and returns the last object; nil for none.
  public mutating func popLast() -> Element? { isEmpty ? nil : removeLast() }

  /// Removes the objects for which the closure returns true.
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    guard edited != nil else { return try Plain.removeAll(where: shouldBeRemoved, from: &self) }
    var ranges: [Range<Int>] = []
    for index in indices where try shouldBeRemoved(self[index]) {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<(index + 1)
      } else {
        ranges.append(index..<(index + 1))
      }
    }
    guard !ranges.isEmpty else { return }
    if ranges.count == 1, replaceRelated(ranges[0], with: []) { return }
    var rest: [Element] = []
    var start = 0
    for range in ranges {
      rest += self[start..<range.lowerBound]
      start = range.upperBound
    }
    rest += self[start...]
    self = rest
  }

  /// The relationship that has the array, if it is changed in place.
  private var edited: (any EditedRelationship)? {
    mutating get { withUnsafeMutablePointer(to: &self) { OpenEdits.relationship(at: UnsafeRawPointer($0)) } }
  }

  /// Replaces a range of the relationship that has the array.
  ///
  /// - Returns: false where there is none, or where its array was changed already.
  private mutating func replaceRelated(_ range: Range<Int>, with new: [Element]) -> Bool {
    guard let edited, edited.isUnchanged(unsafeBitCast(self, to: [AnyObject].self)) else { return false }
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "index out of range")
    // The relationship is to be the only one who holds the array, or it would copy it.
    self = []
    self = unsafeBitCast(edited.replace(range, with: unsafeBitCast(new, to: [AnyObject].self)), to: [Element].self)
    return true
  }
}

/// The standard library's own changes of a collection.
private enum Plain {
  static func append<Many: RangeReplaceableCollection>(_ element: Many.Element, to many: inout Many) {
    many.append(element)
  }

  static func append<Many: RangeReplaceableCollection>(contentsOf elements: [Many.Element], to many: inout Many) {
    many.append(contentsOf: elements)
  }

  static func insert<Many: RangeReplaceableCollection>(
    _ element: Many.Element, at index: Many.Index, in many: inout Many
  ) {
    many.insert(element, at: index)
  }

  static func remove<Many: RangeReplaceableCollection>(at index: Many.Index, from many: inout Many) {
    many.remove(at: index)
  }

  static func removeAll<Many: RangeReplaceableCollection>(
    where shouldBeRemoved: (Many.Element) throws -> Bool, from many: inout Many
  ) rethrows {
    try many.removeAll(where: shouldBeRemoved)
  }
}
