// SPDX-License-Identifier: MIT

import Foundation
import SwiftData

/// Some of the entities of the database of Apple's knowledge framework.
enum Knowledge {
  @Model class Object {
    var creationDate: Date?
    var uuid: String?
    var uuidHash: Int?
    var source: Source?
    init() {}
  }

  @Model final class Event: Object {
    var startDate: Date
    var endDate: Date
    var streamName: String?
    var shouldSync: Bool?
    var valueInteger: Int?
    init(from startDate: Date, to endDate: Date) {
      (self.startDate, self.endDate) = (startDate, endDate)
      super.init()
    }
  }

  @Model final class Source {
    var bundleID: String?
    @Relationship(inverse: \Object.source) var product: [Object] = []
    init() {}
  }
}
