// SPDX-License-Identifier: MIT

/// The results that have one title in common.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: Identifiable, RandomAccessCollection,
  Equatable
{
  /// The value that the objects of the section have in common.
  public let title: SectionTitle
  private let elements: [Element]

  init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  /// The title.
  public var id: SectionTitle { title }
  /// The index of the first object.
  public var startIndex: Int { 0 }
  /// The index after the last object.
  public var endIndex: Int { elements.count }
  /// The object at an index.
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

  /// The index of the first section.
  public var startIndex: Int { 0 }
  /// The index after the last section.
  public var endIndex: Int { sections.count }
  /// The section at an index.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

  /// The titles of the sections, in order.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }
  /// The section of that title; nil where there is none.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    positions[title].map { sections[$0] }
  }
  /// Whether there is a section of that title.
  public func contains(sectionTitle title: SectionTitle) -> Bool { positions[title] != nil }
  /// The index of the section of that title; nil where there is none.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { positions[title] }
}

// MARK: Former names

/// An older name of `SectionedResults`.
@available(*, deprecated, renamed: "SectionedResults", message: "not in version 1.0")
public typealias ResultsSectionCollection = SectionedResults

extension ResultsSection {
  /// An older name of `SectionTitle`.
  @available(*, deprecated, renamed: "SectionTitle", message: "not in version 1.0")
  public typealias SectionName = SectionTitle
  /// An older name of `title`.
  @available(*, deprecated, renamed: "title", message: "not in version 1.0")
  public var name: SectionTitle { title }
}

extension SectionedResults {
  /// An older name of `SectionTitle`.
  @available(*, deprecated, renamed: "SectionTitle", message: "not in version 1.0")
  public typealias SectionName = SectionTitle
  /// An older name of `sectionTitles`.
  @available(*, deprecated, renamed: "sectionTitles", message: "not in version 1.0")
  public var sectionNames: [SectionTitle] { sectionTitles }
  /// An older name of `contains(sectionTitle:)`.
  @available(*, deprecated, renamed: "contains(sectionTitle:)", message: "not in version 1.0")
  public func contains(sectionName name: SectionTitle) -> Bool { contains(sectionTitle: name) }
  /// An older name of `subscript(sectionTitle:)`.
  @available(*, deprecated, renamed: "subscript(sectionTitle:)", message: "not in version 1.0")
  public subscript(sectionName name: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    self[sectionTitle: name]
  }
  /// An older name of `index(ofSectionTitled:)`.
  @available(*, deprecated, renamed: "index(ofSectionTitled:)", message: "not in version 1.0")
  public func index(ofSectionNamed name: SectionTitle) -> Int? { index(ofSectionTitled: name) }
}
