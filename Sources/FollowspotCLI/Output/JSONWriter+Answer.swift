internal import Followspot

/// What the documents of `search` and `count` have in common.
extension JSONWriter {
  mutating func index(_ status: IndexStatus) {
    key("index")
    object { json in
      json.pair("uuid", status.uuid)
      json.pair("generation", status.generation)
      json.pair("token", status.token)
      json.pair("lagTransactions", status.lagTransactions)
      json.pair("lagSeconds", number: status.lagSeconds)
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
