// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Model caches that are damaged, missing or hostile.
struct DamagedModelTests {
  /// A property list with the given objects; offsets and trailer are computed.
  static func list(_ objects: [[UInt8]], top: UInt8 = 0) -> [UInt8] {
    var bytes = BinaryPropertyList.header
    var offsets: [UInt8] = []
    for object in objects {
      offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, Int(top), table] {
      bytes += withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
    }
    return bytes
  }

  @Test func `a property list is read with all its objects, including UIDs`() throws {
    let list = try BinaryPropertyList(
      Self.list([[0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x62], [0x80, 7], [0x61, 0x00, 0xE9]]))
    guard case .dictionary(let keys, let values) = list.objects[list.top] else { return #expect(Bool(false)) }
    #expect(keys == [1, 2] && values == [3, 4])
    guard case .uid(7) = list.objects[3], case .string("é") = list.objects[4] else { return #expect(Bool(false)) }
  }

  @Test func `objects that share bytes are refused`() {
    // An array of 250 references, which 200 objects share.
    var bytes = BinaryPropertyList.header + [0xAF, 0x10, 250] + [UInt8](repeating: 0, count: 250)
    let table = bytes.count
    for _ in 0..<200 { bytes += [0, 8] }
    bytes += [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [200, 0, table] { bytes += withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }
    let error = #expect(throws: BinaryPropertyList.Failure.self) { _ = try BinaryPropertyList(bytes) }
    #expect(error?.description == "objects of the property list overlap")
  }

  @Test func `an archive that contains itself is read completely`() throws {
    // The root's only field is the root.
    let cyclic = Self.list([
      [0xD2, 1, 2, 3, 4], [0x54] + Array("$top".utf8), [0x58] + Array("$objects".utf8), [0xD1, 5, 6], [0xA2, 7, 8],
      [0x54] + Array("root".utf8), [0x80, 1], [0x55] + Array("$null".utf8), [0xD2, 9, 10, 6, 11],
      [0x54] + Array("self".utf8), [0x54] + Array("text".utf8), [0x55] + Array("hello".utf8),
    ])
    let json = cyclic.withUnsafeBytes { DecodedValue.json($0) }
    #expect(json.map { String(decoding: $0, as: UTF8.self) } == "[\"hello\"]")
  }

  @Test func `the size of inflated data is limited`() {
    // 64 zero bytes as one uncompressed block.
    let block: [UInt8] = [1, 64, 0, 191, 255] + [UInt8](repeating: 0, count: 64)
    #expect((try? RawDeflate.inflate(block, limit: 64))?.count == 64)
    #expect(throws: RawDeflate.Failure.self) { _ = try RawDeflate.inflate(block, limit: 63) }
    #expect(throws: RawDeflate.Failure.self) { _ = try RawDeflate.inflate(Array(block.dropLast()), limit: 64) }
  }
}

/// Damaged model caches of real stores.
@Suite(
  .temporaryDirectory,
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"))
struct DamagedRealModelTests {
  private static func content(_ path: String) throws -> [UInt8] {
    let statement = try Connection(path: path, access: .readOnly).cursor("SELECT Z_CONTENT FROM Z_MODELCACHE")
    _ = try statement.step()
    return Array(statement.bytes(at: 0))
  }

  /// Entities, attributes and relationships, as far as tables and columns show them.
  private static func shape(_ model: ModelDescription) -> [String: Set<String>] {
    Dictionary(
      uniqueKeysWithValues: model.entities.map { entity in
        let attributes = entity.attributes.map { "\($0.name) \($0.type.columnType)" }
        let relationships = entity.relationships.map { "\($0.name) \($0.isToMany)" }
        return (entity.name, Set(attributes + relationships))
      })
  }

  @Test(arguments: [AppleStore.screenTime, .oldHistory])
  func `a store with a damaged model cache opens with a model, and reports its origin`(
    _ real: AppleStore
  ) throws {
    let (path, _) = try real.copy()
    let whole = try Self.content(path)
    let sound = try ArchivedModel(content: whole).model
    let writer = try Connection(path: path, access: .readWrite)
    let update = try writer.cursor("UPDATE Z_MODELCACHE SET Z_CONTENT = ?1")
    var fromColumns = 0
    for seed in 0..<100 {
      var random = SeededGenerator(seed: seed)
      var damaged = whole
      switch seed % 4 {
      case 0: damaged = Array(whole.prefix(Int.random(in: 0..<whole.count, using: &random)))
      case 1:
        let start = Int.random(in: 0..<whole.count, using: &random)
        for offset in start..<min(start + 64, whole.count) { damaged[offset] = .random(in: 0...255, using: &random) }
      default:
        for _ in 0...(seed % 3) {
          damaged[.random(in: 0..<whole.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
      }
      try update.bind(.blob(damaged), at: 1)
      try update.runAgain()
      let store = try StoreFile.open(path)
      #expect(!store.layout.entities.isEmpty)
      // What neither tables nor columns show, such as a delete rule, cannot be compared.
      #expect(Self.shape(store.model) == Self.shape(sound) || !store.remarks.isEmpty, "seed \(seed)")
      if store.remarks.contains(where: { $0.contains("come from the columns") }) { fromColumns += 1 }
      for entity in store.layout.entities { _ = try store.keyRange(of: entity) }
    }
    #expect(fromColumns > 50)
  }

  /// Damages the archive itself. Decompression would detect only some of the damage.
  @Test func `a damaged archive gives a model or an error`() throws {
    let (path, _) = try AppleStore.screenTime.copy()
    let archive = try RawDeflate.inflate(try Self.content(path), limit: 32 << 20)
    let sound = try ArchivedModel(archive: archive).model
    var (refused, other) = (0, 0)
    for seed in 0..<200 {
      var random = SeededGenerator(seed: seed)
      var damaged = archive
      for _ in 0...(seed % 8) {
        damaged[.random(in: 0..<archive.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      do {
        let model = try ArchivedModel(archive: damaged).model
        if model != sound { other += 1 }
      } catch is BinaryPropertyList.Failure {
        refused += 1
      } catch is ArchivedModel.Failure {
        refused += 1
      }
    }
    #expect(refused > 0 && other > 0)
  }

  @Test(arguments: AppleStore.all)
  func `without a model cache the model is inferred from the columns`(_ real: AppleStore) throws {
    let (path, _) = try real.copy()
    let writer = try Connection(path: path, access: .readWrite)
    let sound = try ArchivedModel(content: try Self.content(path)).model
    try writer.execute("DELETE FROM Z_MODELCACHE")
    let found = try AppleModel.read(writer, versionIdentifiers: [], for: .texts)
    #expect(found.remarks.contains { $0.contains("come from the columns") })
    #expect(Set(found.model.entities.map(\.name)) == Set(sound.entities.map(\.name)))
    // A text with a unique column name in its table is found again.
    for entity in sound.entities where entity.superentity == nil {
      let again = try #require(found.model.entity(named: entity.name))
      for attribute in entity.attributes where attribute.type == .string {
        #expect(again.attributes.contains { $0.name == attribute.name.lowercased() && $0.type == .string })
      }
    }
  }
}
