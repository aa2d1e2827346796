// SPDX-License-Identifier: MIT

import ModelWriter
import SwiftData
import TestSupport
import Testing

/// Former names of sections, which are deprecated, so that calls of them would give warnings.
private protocol FormerSectionNames {
  associatedtype SectionTitle
  var sectionNames: [SectionTitle] { get }
  func contains(sectionName name: SectionTitle) -> Bool
  func index(ofSectionNamed name: SectionTitle) -> Int?
}

extension SectionedResults: FormerSectionNames {}

/// Filters, orders, sections and positions of a results observer.
@Suite(.everyStore) @MainActor struct ResultsQueryTests {
  let context: ModelContext

  init() throws {
    context = ModelContext(try newContainer(Entry.self, Comment.self))
    for (title, topic, day) in [
      ("rain", "weather", 3), ("bread", "food", 1), ("snow", "weather", 2), ("nothing", nil, 5), ("soup", "food", 4),
    ] {
      context.insert(Entry(title, topic: topic, day: day))
    }
    try context.save()
  }

  private func titles<Title>(_ observer: ResultsObserver<Entry, Title>) -> [String] { observer.results.map(\.title) }

  private func sections(_ observer: ResultsObserver<Entry, String>) -> [[String]] {
    observer.sections?.map { [$0.title] + $0.map(\.title) } ?? []
  }

  @Test func `sections follow an order of their property, whichever comparator it has`() throws {
    for title in ["b", "A", "a", "B10", "B9"] { context.insert(Entry(title, topic: title, day: 100)) }
    try context.save()
    let own = #Predicate<Entry> { $0.day == 100 }
    func sections(_ order: SortDescriptor<Entry>) throws -> [[String]?] {
      [
        try ResultsObserver<Entry, String>(filterBy: own, sortBy: [order], sectionBy: \.title, modelContext: context),
        try ResultsObserver<Entry, String>(filterBy: own, sortBy: [order], sectionBy: \.topic, modelContext: context),
      ].map { $0.sections?.sectionTitles }
    }
    func check(_ order: SortDescriptor<Entry>, _ optional: SortDescriptor<Entry>, _ expected: [String]) throws {
      #expect(try sections(order)[0] == expected)
      #expect(try sections(optional)[1] == expected)
    }
    let (standard, lexical) = (["a", "A", "b", "B9", "B10"], ["A", "B10", "B9", "a", "b"])
    try check(
      SortDescriptor(\.title, comparator: .localizedStandard), SortDescriptor(\.topic, comparator: .localizedStandard),
      standard)
    try check(
      SortDescriptor(\.title, comparator: .localizedStandard, order: .reverse),
      SortDescriptor(\.topic, comparator: .localizedStandard, order: .reverse), standard.reversed())
    try check(
      SortDescriptor(\.title, comparator: .lexical), SortDescriptor(\.topic, comparator: .lexical), lexical)
    try check(SortDescriptor(\.day), SortDescriptor(\.day), lexical)
  }

  @Test func `an order that may be nil and a key path of a parameter are taken`() throws {
    func observers(_ order: [SortDescriptor<Entry>]?, _ title: KeyPath<Entry, String>, _ topic: KeyPath<Entry, String?>)
      throws -> [ResultsObserver<Entry, String>]
    {
      let (container, descriptor) = (context.container, FetchDescriptor(sortBy: order ?? []))
      return [
        try ResultsObserver(sortBy: order, sectionBy: title, modelContext: context),
        try ResultsObserver(sortBy: order, sectionBy: title, modelContainer: container),
        try ResultsObserver(fetchDescriptor: descriptor, sectionBy: title, modelContext: context),
        try ResultsObserver(fetchDescriptor: descriptor, sectionBy: title, modelContainer: container),
        try ResultsObserver(sortBy: order, sectionBy: topic, modelContext: context),
        try ResultsObserver(sortBy: order, sectionBy: topic, modelContainer: container),
        try ResultsObserver(fetchDescriptor: descriptor, sectionBy: topic, modelContext: context),
        try ResultsObserver(fetchDescriptor: descriptor, sectionBy: topic, modelContainer: container),
      ]
    }
    let titles = ["bread", "nothing", "rain", "snow", "soup"]
    for order in [nil, [SortDescriptor(\Entry.day)]] {
      let found = try observers(order, \.title, \.topic)
      #expect(found.prefix(4).allSatisfy { $0.sections?.sectionTitles == titles })
      #expect(found.suffix(4).allSatisfy { $0.sections?.sectionTitles == ["", "food", "weather"] })
      #expect(found.allSatisfy { $0.sortBy == order ?? [] })
    }
    #expect(try ResultsObserver<Entry, Never>(sortBy: nil, modelContext: context).sortBy == [])
    #expect(try ResultsObserver<Entry, Never>(sortBy: nil, modelContainer: context.container).sortBy == [])
  }

  @Test func `results and sections that are set are shown until the next refresh`() throws {
    let observer = try ResultsObserver<Entry, String>(
      sortBy: [SortDescriptor(\.day)], sectionBy: \.topic, modelContext: context)
    let food = try ResultsObserver<Entry, String>(
      filterBy: #Predicate { $0.topic == "food" }, sectionBy: \.title, modelContext: context)
    let all = sections(observer)
    let changes = ConcurrentLog<Int>()
    withObservationTracking {
      _ = (observer.results, observer.sections)
    } onChange: {
      changes.add(1)
    }
    observer.results = food.results
    #expect(changes.all == [1])
    #expect(titles(observer) == ["bread", "soup"])
    #expect(sections(observer) == [["food", "bread", "soup"]])
    #expect(observer.element(at: IndexPath(item: 1, section: 0))?.title == "soup")
    observer.sections = food.sections
    #expect(sections(observer) == [["bread", "bread"], ["soup", "soup"]])
    #expect(titles(observer) == ["bread", "soup"])
    observer.sections = nil
    #expect(observer.sections == nil)
    #expect(titles(observer) == ["bread", "soup"])
    let tea = Entry("tea", topic: "food", day: 6)
    context.insert(tea)
    #expect(titles(observer).count == 6)
    context.delete(tea)
    #expect(sections(observer) == all)
  }

  @Test func `filterBy filters and sortBy orders the results`() throws {
    let observer = try ResultsObserver<Entry, Never>(
      filterBy: #Predicate { $0.day > 1 }, sortBy: [SortDescriptor(\.day)], modelContext: context)
    #expect(titles(observer) == ["snow", "rain", "soup", "nothing"])
  }

  @Test func `setting filterBy fetches at once and notifies observers`() async throws {
    let observer = try ResultsObserver<Entry, Never>(sortBy: [SortDescriptor(\.day)], modelContext: context)
    let seen = ConcurrentLog<[String]>()
    let token = withContinuousObservation(options: .didSet) { _ in seen.add(observer.results.map(\.title)) }
    #expect(await waitUntil { seen.all.count == 1 })
    observer.filterBy = #Predicate { $0.topic == "food" }
    #expect(titles(observer) == ["bread", "soup"])
    #expect(await waitUntil { seen.all.last == ["bread", "soup"] })
    observer.filterBy = nil
    #expect(titles(observer) == ["bread", "snow", "rain", "soup", "nothing"])
    #expect(await waitUntil { seen.all.last?.count == 5 })
    token.cancel()
  }

  @Test func `setting sortBy fetches at once, and the order is total`() throws {
    let observer = try ResultsObserver<Entry, Never>(modelContext: context)
    #expect(titles(observer) == ["rain", "bread", "snow", "nothing", "soup"])
    observer.sortBy = [SortDescriptor(\.day, order: .reverse)]
    #expect(titles(observer) == ["nothing", "soup", "rain", "snow", "bread"])
    #expect(observer.sortBy == [SortDescriptor(\.day, order: .reverse)])
    #expect(
      observer.fetchDescriptor.sortBy
        == [SortDescriptor(\.day, order: .reverse), SortDescriptor(\.persistentModelID)])
  }

  @Test func `a predicate without SQL leaves the results as they were`() throws {
    let observer = try ResultsObserver<Entry, Never>(sortBy: [SortDescriptor(\.day)], modelContext: context)
    let before = titles(observer)
    observer.filterBy = #Predicate { $0.hasChanges }
    #expect(titles(observer) == before)
    observer.filterBy = #Predicate { $0.day == 4 }
    #expect(titles(observer) == ["soup"])
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try ResultsObserver<Entry, Never>(filterBy: #Predicate { $0.hasChanges }, modelContext: context)
    }
  }

  @Test func `an unsaved change moves an object in the results`() throws {
    let observer = try ResultsObserver<Entry, Never>(
      filterBy: #Predicate { $0.day > 1 }, sortBy: [SortDescriptor(\.day)], modelContext: context)
    let snow = observer.results[0]
    snow.day = 10
    #expect(titles(observer) == ["rain", "soup", "nothing", "snow"])
    snow.day = 0
    #expect(titles(observer) == ["rain", "soup", "nothing"])
    snow.day = 4
    #expect(titles(observer).contains("snow"))
    context.rollback()
    #expect(titles(observer) == ["snow", "rain", "soup", "nothing"])
  }

  @Test func `sections gather the objects of one value, nil under the empty title`() throws {
    let observer = try ResultsObserver<Entry, String>(
      sortBy: [SortDescriptor(\.day)], sectionBy: \Entry.topic, modelContext: context)
    #expect(
      sections(observer) == [["", "nothing"], ["food", "bread", "soup"], ["weather", "snow", "rain"]])
    #expect(observer.sectionBy == \Entry.topic)
    #expect(observer.fetchDescriptor.sortBy.map(\.keyPath) == [\Entry.topic, \Entry.day, \Entry.persistentModelID])
    #expect(titles(observer) == ["nothing", "bread", "soup", "snow", "rain"])
    observer.sortBy = [SortDescriptor(\.topic, order: .reverse), SortDescriptor(\.title)]
    #expect(
      sections(observer) == [["weather", "rain", "snow"], ["food", "bread", "soup"], ["", "nothing"]])
    #expect(observer.debugDescription == "ResultsObserver of Entry: 5 objects in 3 sections")
    func former(_ sections: some FormerSectionNames) -> [Int?] {
      sections.sectionNames.filter(sections.contains).map(sections.index)
    }
    #expect(former(try #require(observer.sections)) == [0, 1, 2])
  }

  @Test func `sections are found by their titles`() throws {
    let observer = try ResultsObserver<Entry, String>(
      filterBy: #Predicate { $0.topic != nil }, sortBy: [SortDescriptor(\.day)], sectionBy: \Entry.topic,
      modelContext: context)
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["food", "weather"])
    #expect(sections.count == 2)
    #expect(sections[sectionTitle: "weather"]?.map(\.title) == ["snow", "rain"])
    #expect(sections[sectionTitle: "weather"]?.id == "weather")
    #expect(sections[sectionTitle: "sport"] == nil)
    #expect(sections.contains(sectionTitle: "food"))
    #expect(!sections.contains(sectionTitle: ""))
    #expect(sections.index(ofSectionTitled: "weather") == 1)
    #expect(sections.index(ofSectionTitled: "sport") == nil)
    #expect(sections == observer.sections)
    #expect(sections[0] != sections[1])
  }

  @Test func `sections by a property that always has a value`() throws {
    let observer = try ResultsObserver<Entry, String>(sectionBy: \Entry.title, modelContext: context)
    #expect(observer.sections?.sectionTitles == ["bread", "nothing", "rain", "snow", "soup"])
    observer.results[0].title = "toast"
    #expect(observer.sections?.sectionTitles == ["nothing", "rain", "snow", "soup", "toast"])
  }

  @Test func `an object that moves to another section notifies observers`() async throws {
    let observer = try ResultsObserver<Entry, String>(
      sortBy: [SortDescriptor(\.day)], sectionBy: \Entry.topic, modelContext: context)
    let seen = ConcurrentLog<[String]>()
    let token = withContinuousObservation(options: .didSet) { _ in seen.add(observer.sections?.sectionTitles ?? []) }
    #expect(await waitUntil { seen.all == [["", "food", "weather"]] })
    try #require(observer.sections?[sectionTitle: ""]?.first).topic = "void"
    #expect(await waitUntil { seen.all.last == ["food", "void", "weather"] })
    token.cancel()
  }

  @Test func `positions are converted to objects and back`() throws {
    let flat = try ResultsObserver<Entry, Never>(sortBy: [SortDescriptor(\.day)], modelContext: context)
    let sectioned = try ResultsObserver<Entry, String>(
      sortBy: [SortDescriptor(\.day)], sectionBy: \Entry.topic, modelContext: context)
    for (item, entry) in flat.results.enumerated() {
      #expect(flat.indexPath(for: entry) == IndexPath(item: item, section: 0))
      #expect(flat.element(at: IndexPath(item: item, section: 0)) === entry)
      let path = try #require(sectioned.indexPath(for: entry))
      #expect(sectioned.sections?[path.section][path.item] === entry)
      #expect(sectioned.element(at: path) === entry)
    }
    let rain = try #require(flat.results.first { $0.title == "rain" })
    #expect(sectioned.indexPath(for: rain) == [2, 1])
    let other = ModelContext(context.container)
    #expect(sectioned.indexPath(for: try #require(other.model(for: rain.persistentModelID) as? Entry)) == [2, 1])
    for path in [[0, 5], [1, 0], [0, -1], [0], [0, 0, 0], []] as [IndexPath] {
      #expect(flat.element(at: path) == nil)
    }
    for path in [[0, 1], [3, 0], [-1, 0]] as [IndexPath] { #expect(sectioned.element(at: path) == nil) }
    #expect(flat.indexPath(for: Entry("elsewhere")) == nil)
  }

  @Test func `an index path of an item and a section can be changed`() {
    var path = IndexPath(item: 3, section: 2)
    #expect(path == [2, 3])
    path.section = 5
    path.item += 1
    #expect((path.section, path.item, path) == (5, 4, [5, 4]))
  }

  @Test func `limit and offset hold after changes too`() throws {
    var descriptor = FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.day)])
    (descriptor.fetchLimit, descriptor.fetchOffset) = (2, 1)
    let observer = try ResultsObserver<Entry, Never>(fetchDescriptor: descriptor, modelContext: context)
    #expect(titles(observer) == ["snow", "rain"])
    context.insert(Entry("frost", day: 0))
    #expect(titles(observer) == ["bread", "snow"])
    try context.save()
    #expect(titles(observer) == ["bread", "snow"])
  }

  @Test(arguments: 0..<8) func `every form of the initializer finds the same`(form: Int) throws {
    let (descriptor, sort) = (FetchDescriptor(sortBy: [SortDescriptor(\Entry.title)]), [SortDescriptor(\Entry.title)])
    let container = context.container
    let plain = ["bread", "nothing", "rain", "snow", "soup"]
    let byTopic = ["nothing", "bread", "soup", "rain", "snow"]
    switch form {
    case 0:
      #expect(titles(try ResultsObserver<Entry, Never>(fetchDescriptor: descriptor, modelContext: context)) == plain)
    case 1: #expect(titles(try ResultsObserver<Entry, Never>(sortBy: sort, modelContainer: container)) == plain)
    case 2:
      #expect(
        titles(try ResultsObserver<Entry, Never>(fetchDescriptor: descriptor, modelContainer: container)) == plain)
    case 3:
      let observer = try ResultsObserver<Entry, String>(
        fetchDescriptor: descriptor, sectionBy: \Entry.topic, modelContext: context)
      #expect(titles(observer) == byTopic)
    case 4:
      let observer = try ResultsObserver<Entry, String>(
        fetchDescriptor: descriptor, sectionBy: \Entry.topic, modelContainer: container)
      #expect(titles(observer) == byTopic)
    case 5:
      let observer = try ResultsObserver<Entry, String>(
        sortBy: sort, sectionBy: \Entry.topic, modelContainer: container)
      #expect(titles(observer) == byTopic)
    case 6:
      let observer = try ResultsObserver<Entry, String>(
        fetchDescriptor: descriptor, sectionBy: \Entry.title, modelContainer: container)
      #expect(titles(observer) == plain)
    default:
      let observer = try ResultsObserver<Entry, String>(
        fetchDescriptor: descriptor, sectionBy: \Entry.title, modelContext: context)
      #expect(titles(observer) == plain)
    }
  }
}
