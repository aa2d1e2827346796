// SPDX-License-Identifier: MIT

/// Merges lists of several stores by time. It reads them page by page. Elements of one store keep their order, even if its
/// clock was set back.
package struct TimeMerge<Element> {
  private struct Source {
    /// The page after an element, or the first one; empty at the end.
    let read: (Element?) throws -> [Element]
    var page: ArraySlice<Element> = []
    var last: Element?
    var isOver = false

    /// The next element; nil at the end.
    mutating func head() throws -> Element? {
      if page.isEmpty, !isOver {
        page = try read(last)[...]
        last = page.last ?? last
        isOver = page.isEmpty
      }
      return page.first
    }
  }

  private var sources: [Source]
  private let time: (Element) -> Double
  private let isNewestFirst: Bool

  /// - Parameters:
  ///   - pages: For each store, reads the page after an element, or the first one.
  ///   - time: Seconds since any moment.
  package init(
    _ pages: [(Element?) throws -> [Element]], isNewestFirst: Bool, time: @escaping (Element) -> Double
  ) {
    sources = pages.map { Source(read: $0) }
    (self.isNewestFirst, self.time) = (isNewestFirst, time)
  }

  /// The next element, and the index of its store. Elements of one moment are in the order of the stores.
  package mutating func next() throws -> (store: Int, element: Element)? {
    var best: (store: Int, element: Element)?
    for index in sources.indices {
      guard let head = try sources[index].head() else { continue }
      if let known = best.map({ time($0.element) }), isNewestFirst ? known >= time(head) : known <= time(head) {
        continue
      }
      best = (index, head)
    }
    if let best { sources[best.store].page.removeFirst() }
    return best
  }
}
