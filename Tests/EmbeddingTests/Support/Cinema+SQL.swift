// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SwiftData
import TestSupport

extension Cinema {
  /// The rows of a statement on the store's file, as texts: what a search has to agree with.
  func rows(_ sql: String) throws -> [[String]] {
    let connection = try Connection(path: directory.file("films.store"), access: .readOnly)
    return try connection.mapRows(sql) { row in (0..<Int32(row.columnCount)).map { row.text(at: $0) } }
  }

  /// Saves films with different years, tags and prices.
  func saveMany(_ count: Int) throws {
    for number in 0..<count {
      let film = Film(
        "Film \(number)", year: 1990 + number % 7, tags: ["robot", number % 3 == 0 ? "toys" : "cars"],
        remark: "remark \(number)")
      film.isSeen = number % 4 == 0
      film.price = Decimal(number % 5) / 2
      film.released = Date(timeIntervalSinceReferenceDate: Double(number % 3) * 86_400)
      context.insert(film)
    }
    try context.save()
  }
}
