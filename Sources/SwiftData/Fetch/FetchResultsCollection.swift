/// The results of a fetch: all of them at once, or, of a batched fetch, read in batches as they are asked for.
///
/// A batched collection keeps the identifiers and one batch of objects. It belongs to its context.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let count_: Int
  private let element: (Int) -> Element

  init(_ elements: [Element]) {
    count_ = elements.count
    element = { elements[$0] }
  }

  init(count: Int, element: @escaping (Int) -> Element) {
    count_ = count
    self.element = element
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count_ }

  public subscript(position: Int) -> Element {
    precondition(indices.contains(position), "index \(position) of \(count_) results")
    return element(position)
  }
}
