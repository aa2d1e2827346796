// SPDX-License-Identifier: MIT

import SwiftData

/// Leads to two kinds of members, and deletes them.
@Model final class Harbour {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Ferry.harbour) var ferries: [Ferry] = []
  @Relationship(deleteRule: .cascade, inverse: \Barge.harbour) var barges: [Barge] = []
  /// One to one. Either deletes the other.
  @Relationship(deleteRule: .cascade, inverse: \Beacon.harbour) var beacon: Beacon?

  init(_ number: Int) { self.number = number }
}

@Model final class Line {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Ferry.line) var ferries: [Ferry] = []
  @Relationship(deleteRule: .nullify, inverse: \Barge.line) var barges: [Barge] = []
  /// A tree that is deleted as a whole.
  @Relationship(deleteRule: .cascade, inverse: \Line.trunk) var branches: [Line] = []
  var trunk: Line?
  /// Many to many.
  @Relationship(inverse: \Beacon.lines) var beacons: [Beacon] = []

  init(_ number: Int, trunk: Line? = nil) {
    self.number = number
    self.trunk = trunk
  }
}

@Model final class Beacon {
  var number: Int
  @Relationship(deleteRule: .nullify, inverse: \Ferry.beacon) var ferries: [Ferry] = []
  @Relationship(deleteRule: .cascade) var harbour: Harbour?
  var lines: [Line] = []
  /// Leads one way.
  @Relationship(inverse: nil) var seen: [Barge] = []

  init(_ number: Int) { self.number = number }
}

/// Cannot be deleted while a barge is moored at it.
@Model final class Mooring {
  var number: Int
  @Relationship(deleteRule: .deny, inverse: \Barge.mooring) var barges: [Barge] = []
  @Relationship(deleteRule: .noAction, inverse: \Pontoon.mooring) var pontoons: [Pontoon] = []
  /// Leads one way.
  @Relationship(inverse: nil) var marker: Beacon?

  init(_ number: Int) { self.number = number }
}

/// Three to-one properties.
@Model final class Ferry {
  var number: Int
  var harbour: Harbour?
  var line: Line?
  var beacon: Beacon?

  init(_ number: Int, harbour: Harbour? = nil, line: Line? = nil, beacon: Beacon? = nil) {
    self.number = number
    self.harbour = harbour
    self.line = line
    self.beacon = beacon
  }
}

/// Three to-one properties, set before the other property.
@Model final class Barge {
  var harbour: Harbour?
  var line: Line?
  var mooring: Mooring?
  var number: Int

  init(_ number: Int, harbour: Harbour? = nil, line: Line? = nil, mooring: Mooring? = nil) {
    self.harbour = harbour
    self.line = line
    self.mooring = mooring
    self.number = number
  }
}

/// Two to-one properties without initial values.
@Model final class Pontoon {
  var number: Int
  @Relationship(deleteRule: .noAction) var mooring: Mooring?
  @Relationship(deleteRule: .nullify, inverse: \Dock.pontoons) var dock: Dock

  init(_ number: Int, mooring: Mooring?, dock: Dock) {
    self.dock = dock
    self.mooring = mooring
    self.number = number
  }
}

@Model final class Dock {
  var number: Int
  @Relationship(deleteRule: .cascade) var pontoons: [Pontoon] = []

  init(_ number: Int) { self.number = number }
}

protocol Numbered: PersistentModel {
  var number: Int { get }
}

extension Harbour: Numbered {}
extension Line: Numbered {}
extension Beacon: Numbered {}
extension Mooring: Numbered {}
extension Ferry: Numbered {}
extension Barge: Numbered {}
extension Pontoon: Numbered {}
extension Dock: Numbered {}
