internal import Followspot

/// What the documents of `search` and `count` have in common.
extension JSONWriter {
  mutating func index(_ standing: IndexStanding) {
    key("index")
    object { json in
      json.pair("uuid", standing.uuid)
      json.pair("generation", standing.generation)
      json.pair("token", standing.token)
      json.pair("lagTransactions", standing.lagTransactions)
      json.pair("lagSeconds", number: standing.lagSeconds)
    }
  }

  mutating func suggestion(_ nearest: NearestQuery?) {
    guard let nearest else { return }
    key("suggestion")
    object { json in
      json.pair("query", nearest.query)
      json.key("kinds")
      json.array { json in for kind in nearest.kinds { json.string(kind) } }
      json.pair("records", nearest.count)
    }
  }

  mutating func facets(_ facets: [Facet]) {
    key("facets")
    object { json in
      for facet in facets {
        json.key(facet.field)
        json.object { json in for value in facet.values { json.pair(value.text, value.count) } }
      }
    }
  }
}
