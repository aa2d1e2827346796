// SPDX-License-Identifier: MIT

public import SwiftData

/// Models that the tests and their other process have in common.
@Model public final class Entry {
  public var title: String
  public var topic: String?
  public var day: Int
  public var comments: [Comment] = []

  public init(_ title: String, topic: String? = nil, day: Int = 0) {
    self.title = title
    self.topic = topic
    self.day = day
  }
}

@Model public final class Comment {
  public var text: String
  @Relationship(inverse: \Entry.comments) public var entry: Entry?

  public init(_ text: String, on entry: Entry? = nil) {
    self.text = text
    self.entry = entry
  }
}
