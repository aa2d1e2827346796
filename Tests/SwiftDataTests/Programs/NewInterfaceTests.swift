// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport
import Testing

struct Location: Codable, Equatable {
  var latitude: Double
  var longitude: Double
}

/// A value of another framework, which only its own coding knows.
struct MapItem: Codable, Equatable {
  struct Identifier: Codable, Equatable, RawRepresentable {
    var rawValue: String
  }
}

@Model class Trip {
  var name: String
  var location: Location
  @Attribute(.codable) var mapItemIdentifier: MapItem.Identifier?

  init(name: String, location: Location, mapItemIdentifier: MapItem.Identifier? = nil) {
    self.name = name
    self.location = location
    self.mapItemIdentifier = mapItemIdentifier
  }
}

struct CameraBounds: Equatable {
  var south: Double
  var north: Double
}

@Observable @MainActor final class MapCameraController {
  private let resultsObserver: ResultsObserver<Trip, Never>
  private var token: ObservationTracking.Token?
  private(set) var bounds: CameraBounds?

  init(modelContext: ModelContext) throws {
    resultsObserver = try ResultsObserver<Trip, Never>(modelContext: modelContext)
    token = withContinuousObservation(options: [.didSet]) { [weak self] _ in
      guard let self else { return }
      self.bounds = self.calculateBounds(trips: Array(self.resultsObserver.results))
    }
  }

  private func calculateBounds(trips: [Trip]) -> CameraBounds? {
    let latitudes = trips.map(\.location.latitude)
    guard let south = latitudes.min(), let north = latitudes.max() else { return nil }
    return CameraBounds(south: south, north: north)
  }
}

@globalActor actor SyncActor {
  static let shared = SyncActor()
}

/// Uploads what the app saves, and nothing that it downloaded itself.
@SyncActor final class ServerSync {
  private let modelContainer: ModelContainer
  private let observer: HistoryObserver
  private var observation: ObservationTracking.Token?
  private var lastToken: DefaultHistoryToken?
  nonisolated let uploads = ConcurrentLog<String>()

  init(modelContainer: ModelContainer) throws {
    self.modelContainer = modelContainer
    observer = try HistoryObserver(authors: ["App"], modelContainer: modelContainer)
  }

  func start() {
    observation = withContinuousObservation(options: .didSet) { [weak self] _ in
      guard let self else { return }
      if self.observer.eventCounter > 0 { self.upload() }
    }
  }

  private func upload() {
    let context = ModelContext(modelContainer)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let lastToken {
      descriptor.predicate = #Predicate { ($0.token > lastToken) && ($0.author == "App") }
    } else {
      descriptor.predicate = #Predicate { $0.author == "App" }
    }
    do {
      let transactions = try context.fetchHistory(descriptor)
      for change in transactions.flatMap(\.changes) {
        var name: String { (context.model(for: change.changedPersistentIdentifier) as? Trip)?.name ?? "?" }
        switch change {
        case .insert: uploads.add("new \(name)")
        case .update: uploads.add("changed \(name)")
        case .delete: uploads.add("gone")
        }
      }
      lastToken = transactions.last?.token ?? lastToken
    } catch {
      Issue.record("\(error)")
    }
  }
}

/// Programs that use what came with the releases of 2026.
@Suite(.everyStore, .overlapping) @MainActor struct NewInterfaceTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try newContainer(Trip.self)
    context = ModelContext(container)
  }

  private func trip(_ name: String, _ latitude: Double) -> Trip {
    let trip = Trip(name: name, location: Location(latitude: latitude, longitude: 0))
    context.insert(trip)
    return trip
  }

  @Test func `a value of another framework is stored by its own coding`() throws {
    let trip = trip("Oslo", 59.9)
    trip.mapItemIdentifier = MapItem.Identifier(rawValue: "I4F1")
    _ = self.trip("Rome", 41.9)
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["Oslo", "Rome"])
    #expect(found.map(\.location) == [Location(latitude: 59.9, longitude: 0), Location(latitude: 41.9, longitude: 0)])
    #expect(found.map(\.mapItemIdentifier) == [MapItem.Identifier(rawValue: "I4F1"), nil])
  }

  @Test func `a map's camera follows the trips`() async throws {
    let controller = try MapCameraController(modelContext: context)
    #expect(controller.bounds == nil)
    let oslo = trip("Oslo", 59.9)
    _ = trip("Rome", 41.9)
    #expect(await waitUntil { controller.bounds == CameraBounds(south: 41.9, north: 59.9) })
    oslo.location.latitude = 60
    #expect(await waitUntil { controller.bounds == CameraBounds(south: 41.9, north: 60) })
    try context.save()
    let other = ModelContext(container)
    let found = try #require(other.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Rome" })).first)
    found.location.latitude = 42
    try other.save()
    #expect(await waitUntil { controller.bounds == CameraBounds(south: 42, north: 60) })
    context.delete(oslo)
    #expect(await waitUntil { controller.bounds == CameraBounds(south: 42, north: 42) })
  }

  @Test func `a server gets what the app saves, not what was downloaded`() async throws {
    let sync = try await ServerSync(modelContainer: container)
    await sync.start()
    context.author = "App"
    let oslo = trip("Oslo", 59.9)
    try context.save()
    #expect(await waitUntil { sync.uploads.all == ["new Oslo"] })
    let download = ModelContext(container)
    download.author = "Server"
    download.insert(Trip(name: "Rome", location: Location(latitude: 41.9, longitude: 12.5)))
    try download.save()
    oslo.name = "Bergen"
    try context.save()
    #expect(await waitUntil { sync.uploads.all == ["new Oslo", "changed Bergen"] })
    context.delete(oslo)
    try context.save()
    #expect(await waitUntil { sync.uploads.all == ["new Oslo", "changed Bergen", "gone"] })
  }
}
