// SPDX-License-Identifier: MIT

/// What a results observer shows.
final class ResultsContent<Element: PersistentModel, SectionTitle: Hashable> {
  let results: FetchResultsCollection<Element>
  let sections: SectionedResults<Element, SectionTitle>?
  private let models: [Element]
  /// How often each object had been saved.
  private let versions: [Int64]
  private lazy var positions = makePositions()

  init(_ models: [Element], _ sections: SectionedResults<Element, SectionTitle>?) {
    self.models = models
    self.sections = sections
    results = FetchResultsCollection(models)
    versions = models.map { $0.persistentBackingData._state?.version ?? 0 }
  }

  convenience init(_ models: [Element], by sectioning: Sectioning<Element, SectionTitle>?) {
    self.init(models, sectioning.map { SectionedResults(models, by: $0.title) })
  }

  /// Whether there are the same objects at the same positions, and none of them was saved since.
  func isSame(as other: ResultsContent) -> Bool {
    versions == other.versions && models.elementsEqual(other.models) { $0 === $1 }
      && sections?.sectionTitles == other.sections?.sectionTitles
      && sections?.map(\.count) == other.sections?.map(\.count)
  }

  func element(at indexPath: IndexPath) -> Element? {
    guard indexPath.count == 2 else { return nil }
    guard let sections else {
      return indexPath.section == 0 && models.indices.contains(indexPath.item) ? models[indexPath.item] : nil
    }
    guard sections.indices.contains(indexPath.section) else { return nil }
    let section = sections[indexPath.section]
    return section.indices.contains(indexPath.item) ? section[indexPath.item] : nil
  }

  func indexPath(for element: Element) -> IndexPath? { positions[element.persistentModelID] }

  private func makePositions() -> [PersistentIdentifier: IndexPath] {
    var positions: [PersistentIdentifier: IndexPath] = [:]
    func add(_ models: some Sequence<Element>, _ section: Int) {
      for (item, model) in models.enumerated() {
        positions[model.persistentModelID] = IndexPath(item: item, section: section)
      }
    }
    if let sections {
      for (index, section) in sections.enumerated() { add(section, index) }
    } else {
      add(models, 0)
    }
    return positions
  }
}

// On Apple's systems, UIKit and AppKit have these.
extension IndexPath {
  /// The index path of an item: its section, then its position in the section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The first index.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The second index.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
