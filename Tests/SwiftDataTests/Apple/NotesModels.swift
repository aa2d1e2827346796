// SPDX-License-Identifier: MIT

import Foundation
import SwiftData

/// Some of the entities of Apple's Notes, and some of their attributes.
enum AppleNotes {
  static let all: [any PersistentModel.Type] = [
    ICCloudSyncingObject.self, ICNoteContainer.self, ICAccount.self, ICFolder.self, ICNote.self,
  ]

  @Model class ICCloudSyncingObject {
    var identifier: String?
    var markedForDeletion: Bool
    init() { markedForDeletion = false }
  }

  @Model class ICNoteContainer: ICCloudSyncingObject {
    var sortOrder: Int?
    var owner: ICAccount
    init(owner: ICAccount) {
      self.owner = owner
      super.init()
    }
  }

  @Model final class ICAccount: ICNoteContainer {
    var name: String?
    var accountType: Int16 = 0
    @Relationship(inverse: \ICFolder.account) var folders: [ICFolder] = []
    @Relationship(inverse: \ICNote.account) var notes: [ICNote] = []
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var replicaIDToBundleIdentifier: NSDictionary?
    override init(owner: ICAccount) { super.init(owner: owner) }
  }

  @Model final class ICFolder: ICNoteContainer {
    var title: String?
    var account: ICAccount
    @Relationship(inverse: \ICNote.folder) var notes: [ICNote] = []
    init(account: ICAccount) {
      self.account = account
      super.init(owner: account)
    }
  }

  @Model final class ICNote: ICCloudSyncingObject {
    var title: String?
    @Attribute(originalName: "snippet") var excerpt: String?
    var modificationDate: Date?
    var isPinned: Bool?
    var folder: ICFolder?
    var account: ICAccount?
    @Relationship(inverse: \ICNoteData.note) var noteData: ICNoteData
    init(_ noteData: ICNoteData) {
      self.noteData = noteData
      super.init()
    }
  }

  @Model final class ICNoteData {
    var data: Data?
    var note: ICNote?
    init() {}
  }
}
