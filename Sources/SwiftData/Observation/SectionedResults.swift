/// The results that have one title in common.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: Identifiable, RandomAccessCollection,
  Equatable
{
  public let title: SectionTitle
  private let elements: [Element]

  init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  public var id: SectionTitle { title }
  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(position: Int) -> Element { elements[position] }
}

/// The results of a fetch in sections, each with the objects of one title.
///
/// Sections come in the order of their first objects.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Equatable {
  private let sections: [ResultsSection<Element, SectionTitle>]
  private let positions: [SectionTitle: Int]

  init(_ models: [Element], by title: (Element) -> SectionTitle) {
    var positions: [SectionTitle: Int] = [:]
    var groups: [(title: SectionTitle, elements: [Element])] = []
    for model in models {
      let title = title(model)
      if let position = positions[title] {
        groups[position].elements.append(model)
      } else {
        positions[title] = groups.count
        groups.append((title, [model]))
      }
    }
    self.positions = positions
    sections = groups.map { ResultsSection(title: $0.title, elements: $0.elements) }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

  public var sectionTitles: [SectionTitle] { sections.map(\.title) }
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    positions[title].map { sections[$0] }
  }
  public func contains(sectionTitle title: SectionTitle) -> Bool { positions[title] != nil }
  public func index(ofSectionTitled title: SectionTitle) -> Int? { positions[title] }
}

// MARK: Former names

@available(*, deprecated, renamed: "SectionedResults")
public typealias ResultsSectionCollection = SectionedResults

extension ResultsSection {
  @available(*, deprecated, renamed: "SectionTitle")
  public typealias SectionName = SectionTitle
  @available(*, deprecated, renamed: "title")
  public var name: SectionTitle { title }
}

extension SectionedResults {
  @available(*, deprecated, renamed: "SectionTitle")
  public typealias SectionName = SectionTitle
  @available(*, deprecated, renamed: "sectionTitles")
  public var sectionNames: [SectionTitle] { sectionTitles }
  @available(*, deprecated, renamed: "contains(sectionTitle:)")
  public func contains(sectionName name: SectionTitle) -> Bool { contains(sectionTitle: name) }
  @available(*, deprecated, renamed: "subscript(sectionTitle:)")
  public subscript(sectionName name: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    self[sectionTitle: name]
  }
}
