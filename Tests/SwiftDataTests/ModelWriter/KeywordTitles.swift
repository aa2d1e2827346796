// SPDX-License-Identifier: MIT

import SwiftData

/// The keywords of a Photos library, whose store is only read.
enum KeywordTitles {
  @Model final class Keyword {
    var title: String?
    init() {}
  }

  static func printAll(_ url: URL) throws {
    let context = ModelContext(
      try ModelContainer(for: Keyword.self, configurations: ModelConfiguration(url: url, allowsSave: false)))
    for keyword in try context.fetch(FetchDescriptor<Keyword>(sortBy: [SortDescriptor(\.title)])) {
      print(keyword.title ?? "-")
    }
  }
}
