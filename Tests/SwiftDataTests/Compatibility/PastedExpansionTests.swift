// SPDX-License-Identifier: MIT

import Observation
import SwiftData
import TestSupport
import Testing

/// `@Model` expanded as Xcode expands it; the attributes of its properties are left.
final class PastedAlbum {
  @_PersistedProperty
  var title: String
  @_PersistedProperty
  var year: Int = 1
  @_PersistedProperty
  var genre: String?
  @_PersistedProperty
  var songs: [PastedSong] = []

  init(_ title: String) { self.title = title }

  @Transient
  private var _$backingData: any SwiftData.BackingData<PastedAlbum> = PastedAlbum.createBackingData()

  public var persistentBackingData: any SwiftData.BackingData<PastedAlbum> {
    get { _$backingData }
    set { _$backingData = newValue }
  }

  static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
    [
      SwiftData.Schema.PropertyMetadata(
        name: "title", keypath: \PastedAlbum.title, defaultValue: nil, metadata: SwiftData.Schema.Attribute(.unique)),
      SwiftData.Schema.PropertyMetadata(name: "year", keypath: \PastedAlbum.year, defaultValue: 1, metadata: nil),
      SwiftData.Schema.PropertyMetadata(name: "genre", keypath: \PastedAlbum.genre, defaultValue: nil, metadata: nil),
      SwiftData.Schema.PropertyMetadata(name: "songs", keypath: \PastedAlbum.songs, defaultValue: [], metadata: nil),
    ]
  }

  init(backingData: any SwiftData.BackingData<PastedAlbum>) {
    _title = _SwiftDataNoType()
    _year = _SwiftDataNoType()
    _genre = _SwiftDataNoType()
    _songs = _SwiftDataNoType()
    self.persistentBackingData = backingData
  }

  @Transient
  private let _$observationRegistrar = Observation.ObservationRegistrar()

  struct _SwiftDataNoType {}
}

extension PastedAlbum: SwiftData.PersistentModel {}
extension PastedAlbum: Observation.Observable {}

/// `@Model` and the attributes of its properties expanded as Xcode expands them.
final class PastedSong {
  var name: String {
    @storageRestrictions(accesses: _$backingData, initializes: _name)
    init(initialValue) {
      _$backingData.setValue(forKey: \.name, to: initialValue)
      _name = _SwiftDataNoType()
    }
    get {
      _$observationRegistrar.access(self, keyPath: \.name)
      return self.getValue(forKey: \.name)
    }
    set {
      _$observationRegistrar.withMutation(of: self, keyPath: \.name) {
        self.setValue(forKey: \.name, to: newValue)
      }
    }
  }
  @Transient
  private var _name: _SwiftDataNoType = .init()

  var album: PastedAlbum? {
    @storageRestrictions(accesses: _$backingData, initializes: _album)
    init(initialValue) {
      _$backingData.setValue(forKey: \.album, to: initialValue)
      _album = _SwiftDataNoType()
    }
    get {
      _$observationRegistrar.access(self, keyPath: \.album)
      return self.getValue(forKey: \.album)
    }
    set {
      _$observationRegistrar.withMutation(of: self, keyPath: \.album) {
        self.setValue(forKey: \.album, to: newValue)
      }
    }
  }
  @Transient
  private var _album: _SwiftDataNoType?

  init(_ name: String) { self.name = name }

  @Transient
  private var _$backingData: any SwiftData.BackingData<PastedSong> = PastedSong.createBackingData()

  var persistentBackingData: any SwiftData.BackingData<PastedSong> {
    get { _$backingData }
    set { _$backingData = newValue }
  }

  static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
    [
      SwiftData.Schema.PropertyMetadata(name: "name", keypath: \PastedSong.name, defaultValue: nil, metadata: nil),
      SwiftData.Schema.PropertyMetadata(
        name: "album", keypath: \PastedSong.album, defaultValue: nil,
        metadata: SwiftData.Schema.Relationship(inverse: \PastedAlbum.songs)),
    ]
  }

  init(backingData: any SwiftData.BackingData<PastedSong>) {
    _name = _SwiftDataNoType()
    _album = _SwiftDataNoType()
    self.persistentBackingData = backingData
  }

  @Transient
  private let _$observationRegistrar = Observation.ObservationRegistrar()

  struct _SwiftDataNoType {}
}

extension PastedSong: SwiftData.PersistentModel {}
extension PastedSong: Observation.Observable {}

@Suite(.everyStore) struct PastedExpansionTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try newContainer(PastedAlbum.self, PastedSong.self)
    context = ModelContext(container)
  }

  @Test func `objects of expanded classes are saved and fetched`() throws {
    let album = PastedAlbum("Blue")
    context.insert(album)
    (album.year, album.genre) = (1971, "folk")
    album.songs.append(PastedSong("Carey"))
    try context.save()
    let other = ModelContext(container)
    let found = try #require(other.fetch(FetchDescriptor<PastedAlbum>()).first)
    #expect((found.title, found.year, found.genre) == ("Blue", 1971, "folk"))
    #expect(found.songs.map(\.name) == ["Carey"])
    #expect(found.songs.first?.album === found)
    #expect(try other.fetchCount(FetchDescriptor<PastedSong>(predicate: #Predicate { $0.album?.year == 1971 })) == 1)
  }

  @Test func `an object of an expanded class notifies of its changes, also after the object of the same row ended`()
    throws
  {
    context.insert(PastedAlbum("Blue"))
    try context.save()
    let other = ModelContext(container)
    for year in 1971...1972 {
      let found = try #require(other.fetch(FetchDescriptor<PastedAlbum>()).first)
      let changes = ConcurrentLog<Int>()
      withObservationTracking {
        _ = found.year
      } onChange: {
        changes.add(year)
      }
      found.year = year
      #expect(changes.all == [year])
      try other.save()
    }
    #expect(try context.fetch(FetchDescriptor<PastedAlbum>()).map(\.year) == [1972])
  }

  @Test func `an object of an expanded class that replaces another one is the same row`() throws {
    context.insert(PastedAlbum("Blue"))
    try context.save()
    let other = ModelContext(container)
    let known = try #require(other.fetch(FetchDescriptor<PastedAlbum>()).first)
    var replacement: PastedAlbum? = PastedAlbum("Blue")
    replacement?.year = 1971
    replacement.map(other.insert)
    try other.save()
    #expect(replacement?.year == 1971)
    #expect(known.year == 1971)
    replacement = nil
    #expect(try other.fetch(FetchDescriptor<PastedAlbum>()).map(\.year) == [1971])
  }

  @Test func `the backing of an object is passed on as that of another class`() throws {
    let album = PastedAlbum("Blue")
    let same: any BackingData<PastedAlbum> = album.persistentBackingData._generateCurrentClassBackingData()
    #expect(same.getValue(forKey: \.title) == "Blue")
    let above: any BackingData<PastedAlbum> = album.persistentBackingData._superClassBackingData(of: PastedAlbum.self)
    #expect(above.persistentModelID == album.persistentModelID)
  }
}
