// SPDX-License-Identifier: MIT

internal import SearchIndex

/// The stores of a group whose indexes have the same fields: one compiled query searches all of them.
struct GroupPart {
  /// The documents of the whole group, with the definition and the rows of the first of the stores.
  let view: SearchView
  /// The indices of the stores in the group.
  let members: [Int]
}

extension SearchGroup {
  /// Divides the stores by the fields of their indexes, in the order of the group.
  ///
  /// - Parameter isPerStore: Whether each store is a part of its own, because a condition is about its history.
  func parts(_ views: GroupViews, _ all: GroupReaders, isPerStore: Bool) throws -> [GroupPart] {
    var order: [String] = []
    var found: [String: [Int]] = [:]
    for (number, member) in members.enumerated() {
      let key = isPerStore ? String(number) : member.searched.layoutKey
      if found[key] == nil { order.append(key) }
      found[key, default: []].append(number)
    }
    let documents = try views.hidden + (all.outdated == .nothing ? [] : [all.outdated])
    let hidden: Query = documents.isEmpty ? .nothing : documents.count == 1 ? documents[0] : .or(documents)
    // Indexes with the same definition are read as one, so that all their keys are known.
    let context = try context(hasKeys: order.count == 1 ? nil : keys(views).contains)
    var readers: [String: IndexReader] = [:]
    return try order.compactMap { found[$0] }.map { numbers in
      let lead = try views.view(numbers[0])
      let language = lead.definition.language
      let reader = try readers[language] ?? IndexReader.group(of: all.readers, stemmer: language)
      readers[language] = reader
      return GroupPart(view: lead.inGroup(reader, hidden: hidden).with(group: context), members: numbers)
    }
  }

  /// What a view with the documents of all stores knows about the group.
  private func context(hasKeys: GroupContext.KeyLookup?) throws -> GroupContext {
    let uuids = try members.map { try $0.searchedUUID }
    let hasOneRemote = members.count(where: \.isRemote) == 1
    let (members, index) = (members, self.joined)
    return GroupContext(storeNames, hasKeys: hasKeys) { number in
      guard number < members.count else { return .nothing }
      if members[number].isRemote { return hasOneRemote ? .databases([], withRemote: true) : nil }
      if let part = members[number].joinedPart, let index { return index.documents(of: part) }
      return .databases([uuids[number]], withRemote: false)
    }
  }

  /// Whether a query has conditions on the history, which every store answers for itself.
  func usesHistory(_ request: SearchRequest) -> Bool {
    members.contains { member in
      let fields = member.searched
      guard let parsed = try? fields.parse(request) else { return false }
      return fields.usesHistory(parsed)
    }
  }
}
