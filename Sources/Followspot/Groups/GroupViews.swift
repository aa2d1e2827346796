// SPDX-License-Identifier: MIT

internal import SearchIndex

/// The views of the stores of a group in one search. The rows of a store at rest are opened when they are needed.
struct GroupViews {
  enum State {
    case opened(SearchView)
    case resting(IndexFreshness)
  }

  let members: [GroupMember]
  let states: [State]

  var freshness: [IndexFreshness] {
    states.map { state in
      switch state {
      case .opened(let view): view.freshness
      case .resting(let freshness): freshness
      }
    }
  }

  /// Whether all records are searched; nil if that is not known.
  var isNewest: Bool? { freshness.contains { $0.status.isNewest == nil } ? nil : true }

  /// Remarks about what the indexes lack.
  var notes: [String] {
    zip(members, freshness).compactMap { member, freshness in freshness.note.map { "\(member.name): \($0)" } }
  }

  /// nil for a store at rest.
  func opened(_ number: Int) -> SearchView? { if case .opened(let view) = states[number] { view } else { nil } }

  /// A store at rest has the documents of the joined index, if they are searched there.
  func view(_ number: Int) throws -> SearchView { try opened(number) ?? members[number].viewAtRest() }

  /// As `view`, but always with the index of the store alone.
  func viewAlone(_ number: Int) throws -> SearchView { try opened(number) ?? members[number].viewAtRestAlone() }

  /// The documents that the views hide, in their own databases only. Nothing is hidden in the index of a store at rest.
  var hidden: [Query] {
    get throws {
      try members.indices.flatMap { number -> [Query] in
        guard let view = opened(number), view.hidden != .nothing else { return [] }
        return [.filter(view.hidden, by: .databases([try members[number].uuid], withRemote: false))]
      }
    }
  }
}
