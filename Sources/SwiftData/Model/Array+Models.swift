// SPDX-License-Identifier: MIT

/// Changes of arrays of models. They are those of every array; in a large to-many relationship that is changed in place,
/// as by `folder.items.append(item)`, they also take as long as those of an array. An addition to Apple's interface.
extension Array where Element: PersistentModel {
  /// Adds an object at the end.
  public mutating func append(_ newElement: Element) {
    replace(count..<count, with: [newElement])
  }

  /// Adds objects at the end.
  public mutating func append(contentsOf newElements: some Sequence<Element>) {
    replace(count..<count, with: Array(newElements))
  }

  /// Adds objects at the end.
  public static func += (array: inout Self, newElements: some Sequence<Element>) {
    array.append(contentsOf: newElements)
  }

  /// Inserts an object at an index.
  public mutating func insert(_ newElement: Element, at index: Int) {
    replace(index..<index, with: [newElement])
  }

  /// Removes and returns the object at an index.
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    let object = self[index]
    replace(index..<(index + 1), with: [])
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
    var ranges: [Range<Int>] = []
    for index in indices where try shouldBeRemoved(self[index]) {
      if let last = ranges.last, last.upperBound == index {
        ranges[ranges.count - 1] = last.lowerBound..<(index + 1)
      } else {
        ranges.append(index..<(index + 1))
      }
    }
    guard let first = ranges.first else { return }
    if ranges.count == 1 { return replace(first, with: []) }
    var rest: [Element] = []
    var start = 0
    for range in ranges {
      rest += self[start..<range.lowerBound]
      start = range.upperBound
    }
    rest += self[start...]
    self = rest
  }

  /// Replaces a range of the array, and of the relationship that holds the array while it is changed in place. A
  /// relationship whose array was changed otherwise before takes the whole array over at the end of the access.
  private mutating func replace(_ range: Range<Int>, with new: [Element]) {
    let edited = withUnsafeMutablePointer(to: &self) { OpenEdits.relationship(at: UnsafeRawPointer($0)) }
    guard let edited, edited.isUnchanged(unsafeBitCast(self, to: [AnyObject].self)) else {
      return replaceSubrange(range, with: new)
    }
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "index out of range")
    // The array is copied unless the relationship alone holds it.
    self = []
    self = unsafeBitCast(edited.replace(range, with: unsafeBitCast(new, to: [AnyObject].self)), to: [Element].self)
  }
}
