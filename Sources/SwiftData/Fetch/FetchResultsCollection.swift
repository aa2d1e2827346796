// SPDX-License-Identifier: MIT

/// The results of a fetch. Those of a batched fetch are read in batches, each at the first access.
///
/// A batched collection keeps the identifiers and one batch of objects. It belongs to its context.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let size: Int
  private let element: (Int) -> Element

  init(_ elements: [Element]) {
    size = elements.count
    element = { elements[$0] }
  }

  init(count: Int, element: @escaping (Int) -> Element) {
    size = count
    self.element = element
  }

  /// The index of the first result.
  public var startIndex: Int { 0 }
  /// The index after the last result.
  public var endIndex: Int { size }

  /// The result at an index, read from the store if necessary.
  public subscript(position: Int) -> Element {
    precondition(indices.contains(position), "index \(position) of \(size) results")
    return element(position)
  }
}
