// SPDX-License-Identifier: MIT

internal import Base

/// How clearly the name of a column says that the column refers to a table.
enum RelationName {
  /// The name of a column.
  struct Column {
    /// Without a number at its end.
    let name: NameRoots
    let bare: NameRoots
    /// The last word in lower case, as it is written.
    let lastWord: String

    init(_ name: String) {
      self.name = NameRoots(name).unnumbered
      bare = self.name.bare
      lastWord = RelationName.lastWord(name)
    }

    /// Whether the name says that the column holds a key.
    var namesKey: Bool { bare.words.count < name.words.count }

    /// Whether the name is the initials of a table and `id`: `nid` for notes.
    func hasInitials(of table: Table) -> Bool {
      name.words.joined() == String(table.name.words.compactMap(\.first)) + "id"
    }
  }

  /// The name of a table.
  struct Table {
    let name: NameRoots
    let lastWord: String
    /// Whether the rows are persons.
    let isOfPersons: Bool

    init(_ name: String, columns: [String]) {
      self.name = NameRoots(name)
      lastWord = RelationName.lastWord(name)
      isOfPersons = columns.contains { column in
        let words = NameRoots(column).words
        return !personal.isDisjoint(with: words) || words == ["first", "name"] || words == ["last", "name"]
      }
    }
  }

  /// Words for a row of the same table.
  private static let ownRow: Set<[String]> = [["parent"], ["report", "to"], ["reply", "to"], ["in", "reply", "to"]]
  /// The same in a table of persons.
  private static let superiors: Set<[String]> = [["supervisor"], ["manager"], ["boss"], ["superior"], ["vorgesetzter"]]
  /// Words that only columns of persons have.
  private static let personal: Set<String> = [
    "firstname", "lastname", "surname", "vorname", "nachname", "fname", "lname", "salary", "gehalt", "hire", "birth",
  ]

  /// 0 if the name does not say it. Greater numbers are clearer.
  ///
  /// - Parameters:
  ///   - key: The column of the table that the values would be keys of.
  ///   - isOwn: Whether the column belongs to the same table.
  ///   - isNumber: Whether the column holds numbers. Then a plural is a count, such as `orders`.
  static func strength(_ column: Column, to table: Table, key: Column, isOwn: Bool, isNumber: Bool) -> Int {
    let endsWithKey = key.name.isMeaningful && column.name.ends(with: key.name)
    if isOwn {
      if ownRow.contains(column.bare.words) { return 40 }
      if table.isOfPersons, superiors.contains(column.bare.words) { return 40 }
      return column.bare.ends(with: table.name) && !isCount(column, of: table, isNumber) || endsWithKey ? 30 : 0
    }
    if column.name.words == key.name.words, key.name.isMeaningful { return isKey(key, ofTableNamed: table) ? 50 : 30 }
    if column.name.joinedStems.contains(table.name.joinedRoot) { return 40 }
    let isCount = isCount(column, of: table, isNumber)
    if column.bare == table.name, !isCount { return column.namesKey ? 45 : 40 }
    // The key's name without what says that it is one: `room` for `room_id`.
    let isBareKey = key.namesKey && key.bare.isMeaningful && column.name == key.bare
    if (column.bare.ends(with: table.name) || isBareKey) && !isCount || endsWithKey { return 30 }
    return column.bare.isMeaningful && table.name.ends(with: column.bare) && !isCount ? 20 : 0
  }

  /// Whether a key is named after its table.
  static func isKey(_ key: Column, ofTableNamed table: Table) -> Bool {
    key.bare == table.name || table.name.ends(with: key.bare)
      || key.name.joinedStems.contains(table.name.joinedRoot)
  }

  /// Whether a column is called by the plural of a table's name, and may count its rows.
  private static func isCount(_ column: Column, of table: Table, _ isNumber: Bool) -> Bool {
    guard isNumber, !column.namesKey else { return false }
    if ["order", "position", "rank"].contains(column.lastWord) { return true }
    return NameWords.singular(column.lastWord) != column.lastWord
      || column.lastWord.contains(table.lastWord) && !column.lastWord.hasSuffix(table.lastWord)
  }

  private static func lastWord(_ name: String) -> String {
    String(name.lowercased().reversed().drop { !$0.isLetter }.prefix { $0.isLetter }.reversed())
  }
}
