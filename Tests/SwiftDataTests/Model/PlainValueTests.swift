// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

@Model private final class Parcel {
  var label: String?
  var weight: Double?
  @Attribute(.codable) var codedLabel = ""
  @Attribute(.codable) var codedCount: Int?
  @Attribute(.codable) var codedData = Data()
  @Attribute(.externalStorage) var picture: Data?
  @Attribute(.ephemeral) var draft: String? = nil

  init() {}
}

/// Values that are stored as they stand, beside values of the same types that are stored in another way.
@Suite(.everyStore) struct PlainValueTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try newContainer(Parcel.self)
    context = ModelContext(container)
  }

  private struct Content: Equatable {
    var label: String?
    var weight: Double?
    var codedLabel = ""
    var codedCount: Int?
    var codedData = Data()
    var picture: Data?
    var draft: String?

    init(_ parcel: Parcel) {
      (label, weight, draft) = (parcel.label, parcel.weight, parcel.draft)
      (codedLabel, codedCount, codedData) = (parcel.codedLabel, parcel.codedCount, parcel.codedData)
      picture = parcel.picture
    }

    init() {}
  }

  @Test func `values of one type are read back however they are stored`() throws {
    let parcel = Parcel()
    #expect(Content(parcel) == Content())
    context.insert(parcel)
    var wanted = Content()
    for round in 0..<3 {
      wanted.label = round == 1 ? nil : "L\(round)"
      wanted.weight = round == 2 ? nil : Double(round)
      wanted.codedLabel = "C\(round)"
      wanted.codedCount = round == 1 ? nil : round
      wanted.codedData = Data(repeating: 7, count: round)
      wanted.picture = round == 2 ? nil : Data(repeating: 9, count: 300_000 + round)
      (parcel.label, parcel.weight, parcel.picture) = (wanted.label, wanted.weight, wanted.picture)
      (parcel.codedLabel, parcel.codedCount) = (wanted.codedLabel, wanted.codedCount)
      parcel.codedData = wanted.codedData
      #expect(Content(parcel) == wanted)
      try context.save()
      #expect(Content(parcel) == wanted)
      let other = ModelContext(container)
      #expect(try other.fetch(FetchDescriptor<Parcel>()).map(Content.init) == [wanted])
    }
  }

  @Test func `an ephemeral value lives as long as its object`() throws {
    let parcel = Parcel()
    context.insert(parcel)
    parcel.draft = "new"
    try context.save()
    #expect(parcel.draft == "new")
    parcel.draft = nil
    #expect(parcel.draft == nil)
  }
}
