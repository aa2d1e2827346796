// SPDX-License-Identifier: MIT

import Foundation
import SwiftData
import TestSupport
import Testing

/// Classes that do not fit the entities of a store; without FOLLOWSPOT_DATA these tests are skipped, and say so.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
  .overlapping, .temporaryDirectory)
struct AppleMismatchTests {
  @Test func `every difference is named in one line`() throws {
    let (path, _) = try AppleStore.notes.copy()
    let words = explanation(of: .loadIssueModelContainer) {
      _ = try readOnlyContainer(path, [WrongNotes.ICNote.self, WrongNotes.ICNoteData.self])
    }
    #expect(
      words.split(separator: "\n").map(String.init) == [
        "\(path) cannot be read by the classes of this schema:",
        "- ICNote: the class is a subclass of ICNoteData, and the store's entity is not below ICNoteData",
        "- ICNote.title: the class declares Int, and the store holds String",
        "- ICNote.heading: the store's entity has no attribute of this name",
        "- ICNote.account: the class declares an attribute, and the store has a relationship of this name",
        "- ICNote.folder: the class declares a to-many relationship, and the store's is to-one",
        "- ICNote.attachments: the class declares a relationship to ICFolder, and the store's leads to ICAttachment",
        "- ICNote.snippet: the class declares a relationship, and the store has an attribute of this name",
        "- ICNote.owner: the store's entity has no relationship of this name",
        "- ICNote.tag: the store's entity has no relationship of this name",
        "- Tag: the store has no entity of this name",
        "- the entities of the store are ICAccount, ICAccountData, ICAttachment, ICAttachmentLocation, "
          + "ICAttachmentPreviewImage, ICCloudState, ICCloudSyncingObject, ICDeviceMigrationState, ICFolder, ICHashtag, "
          + "ICInlineAttachment, ICLegacyTombstone, ICLocation, ICMedia, ICNote, ICNoteContainer, ICNoteData, "
          + "ICServerChangeToken",
      ])
  }

  @Test func `rows without a required value and numbers that do not fit are counted`() throws {
    let (path, _) = try AppleStore.notes.copy()
    let words = explanation(of: .loadIssueModelContainer) { _ = try readOnlyContainer(path, [StrictNotes.ICNote.self]) }
    #expect(
      words.split(separator: "\n").map(String.init) == [
        "\(path) cannot be read by the classes of this schema:",
        "- ICNote.title: 1 of 8 rows holds no value, and the property is not optional",
        "- ICNote.snippet: 5 of 8 rows hold no value, and the property is not optional",
        "- ICFolder.parent: 3 of 3 rows hold no value, and the property is not optional",
        "- ICFolder.sortOrder: 2 of 3 rows hold a number that is not Bool",
      ])
  }

  @Test func `a subentity's class must be a subclass of its superentity's class`() throws {
    let (path, _) = try AppleStore.notes.copy()
    let words = explanation(of: .loadIssueModelContainer) {
      _ = try readOnlyContainer(path, [StrictNotes.ICNoteContainer.self, StrictNotes.ICFolder.self])
    }
    #expect(
      words.hasSuffix(
        "\n- ICFolder: the store's entity is below ICNoteContainer, and the class is not a subclass of ICNoteContainer"
      )
    )
  }
}

/// Classes with the names of entities of Notes, and little else of them.
private enum WrongNotes {
  @Model class ICNoteData {
    var data: Data?
    init() {}
  }

  @Model final class ICNote: ICNoteData {
    var title: Int?
    var heading: String?
    var account: String?
    var folder: [ICFolder] = []
    var attachments: [ICFolder] = []
    var snippet: ICFolder?
    var owner: ICFolder?
    var tag: Tag?
    override init() { super.init() }
  }

  @Model final class ICFolder {
    var title: String?
    init() {}
  }

  @Model final class Tag {
    var title: String?
    init() {}
  }
}

/// Classes that ask for more than the rows of Notes hold.
private enum StrictNotes {
  @Model final class ICNote {
    var title: String
    var snippet: String
    var folder: ICFolder?
    init(_ title: String) { (self.title, snippet) = (title, "") }
  }

  @Model final class ICFolder {
    var parent: ICFolder
    var sortOrder: Bool?
    init(_ parent: ICFolder) { self.parent = parent }
  }

  @Model final class ICNoteContainer {
    var sortOrder: Int?
    init() {}
  }
}
