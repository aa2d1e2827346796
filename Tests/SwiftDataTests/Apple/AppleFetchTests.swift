// SPDX-License-Identifier: MIT

import Foundation
import SwiftData
import TestSupport
import Testing

/// Stores that Apple's software made, read by `@Model` classes; without FOLLOWSPOT_DATA these tests are skipped, and say
/// so. What plain SQL finds in the file's own tables is expected.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
  .overlapping, .temporaryDirectory)
struct AppleFetchTests {
  @Test func `notes are fetched with their folders, accounts and data`() throws {
    let (context, path) = try AppleStore.notes.read(AppleNotes.ICNote.self)
    let notes = try context.fetch(
      FetchDescriptor<AppleNotes.ICNote>(sortBy: [SortDescriptor(\.persistentModelID)]))
    let found = notes.map {
      row(
        $0.identifier, $0.markedForDeletion, $0.title, $0.excerpt, $0.modificationDate, $0.isPinned,
        $0.folder?.title, $0.account?.name, $0.noteData.data)
    }
    #expect(found.count == 8)
    #expect(
      try found
        == plainRows(
          path,
          """
          SELECT n.ZIDENTIFIER, n.ZMARKEDFORDELETION, n.ZTITLE1, n.ZSNIPPET, CAST(n.ZMODIFICATIONDATE1 AS REAL),
            n.ZISPINNED, f.ZTITLE2, a.ZNAME, d.ZDATA
          FROM ZICCLOUDSYNCINGOBJECT n LEFT JOIN ZICCLOUDSYNCINGOBJECT f ON f.Z_PK = n.ZFOLDER
          LEFT JOIN ZICCLOUDSYNCINGOBJECT a ON a.Z_PK = n.ZACCOUNT4 LEFT JOIN ZICNOTEDATA d ON d.Z_PK = n.ZNOTEDATA
          WHERE n.Z_ENT = 11 ORDER BY n.Z_PK
          """))
    #expect(notes.allSatisfy { $0.noteData.note === $0 })
  }

  @Test func `an object of an entity without a class is one of the nearest class above`() throws {
    let (context, path) = try AppleStore.notes.read(AppleNotes.ICNote.self)
    let objects = try context.fetch(FetchDescriptor<AppleNotes.ICCloudSyncingObject>())
    #expect(objects.count == 28)
    let names = Dictionary(grouping: objects) { "\(type(of: $0))" }.mapValues(\.count)
    #expect(names == ["ICNote": 8, "ICAccount": 1, "ICFolder": 3, "ICCloudSyncingObject": 16])
    #expect(
      try objects.map(\.identifier).map { row($0) }.sorted()
        == plainRows(path, "SELECT ZIDENTIFIER FROM ZICCLOUDSYNCINGOBJECT").sorted())
    #expect(try context.fetchCount(FetchDescriptor<AppleNotes.ICNoteContainer>()) == 4)
  }

  @Test func `a class may declare the attributes of entities above its own`() throws {
    let (context, path) = try AppleStore.notes.read(FlatNotes.ICNote.self)
    let notes = try context.fetch(FetchDescriptor<FlatNotes.ICNote>(sortBy: [SortDescriptor(\.identifier)]))
    #expect(
      try notes.map { row($0.identifier, $0.title) }
        == plainRows(
          path, "SELECT ZIDENTIFIER, ZTITLE1 FROM ZICCLOUDSYNCINGOBJECT WHERE Z_ENT = 11 ORDER BY ZIDENTIFIER"))
  }

  @Test func `predicates and sort orders use the values of the file's rows`() throws {
    let (context, path) = try AppleStore.notes.read(AppleNotes.ICNote.self)
    let iOS = try context.fetch(
      FetchDescriptor<AppleNotes.ICNote>(
        predicate: #Predicate { $0.title?.contains("iOS") ?? false },
        sortBy: [SortDescriptor(\.title, order: .reverse)]))
    #expect(
      try iOS.map { row($0.title) }
        == plainRows(
          path,
          "SELECT ZTITLE1 FROM ZICCLOUDSYNCINGOBJECT WHERE instr(ZTITLE1, 'iOS') AND Z_ENT = 11 ORDER BY 1 DESC"))
    #expect(iOS.count == 4)
    let inFolder = try context.fetchCount(
      FetchDescriptor<AppleNotes.ICNote>(predicate: #Predicate { $0.folder?.title == "My New Folder" }))
    #expect(inFolder == 1)
    let full = try context.fetch(
      FetchDescriptor<AppleNotes.ICFolder>(predicate: #Predicate { $0.notes.count > 1 }))
    #expect(full.map(\.title) == ["Notes"])
    let since = Date(timeIntervalSinceReferenceDate: 650_000_000)
    let late = try context.fetchCount(
      FetchDescriptor<AppleNotes.ICNote>(predicate: #Predicate { $0.modificationDate ?? since > since }))
    #expect(
      try [row(late)]
        == plainRows(
          path, "SELECT count(*) FROM ZICCLOUDSYNCINGOBJECT WHERE Z_ENT = 11 AND ZMODIFICATIONDATE1 > 650000000"))
  }

  @Test func `a transformable attribute is read by its transformer`() throws {
    let (context, path) = try AppleStore.notes.read(AppleNotes.ICAccount.self)
    let account = try #require(try context.fetch(FetchDescriptor<AppleNotes.ICAccount>()).first)
    let dictionary = try #require(account.replicaIDToBundleIdentifier)
    #expect(dictionary.count > 0)
    // The texts of the archive, looked up in its bytes.
    let stored = try #require(
      try plainRows(
        path, "SELECT ZREPLICAIDTOBUNDLEIDENTIFIER FROM ZICCLOUDSYNCINGOBJECT WHERE Z_ENT = 13"
      ).first.flatMap { Data(base64Encoded: $0) })
    for (key, value) in dictionary {
      #expect(stored.range(of: Data("\(key)".utf8)) != nil)
      let uuid = try #require(value as? UUID)
      #expect(stored.range(of: withUnsafeBytes(of: uuid.uuid) { Data($0) }) != nil)
    }
  }

  @Test func `apps, devices and users of Screen Time are related to each other`() throws {
    let (context, path) = try AppleStore.screenTime.read(
      ScreenTime.InstalledApp.self, ScreenTime.Blueprint.self, ScreenTime.UsageBlock.self)
    let apps = try context.fetch(
      FetchDescriptor<ScreenTime.InstalledApp>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(apps.count == 156)
    #expect(
      try apps.map {
        row(
          $0.bundleIdentifier, $0.displayName, $0.installedLocally, $0.sortKey, $0.uniqueIdentifier,
          $0.userDeviceState?.device.name)
      }
        == plainRows(
          path,
          """
          SELECT a.ZBUNDLEIDENTIFIER, a.ZDISPLAYNAME, a.ZINSTALLEDLOCALLY, a.ZSORTKEY, a.ZUNIQUEIDENTIFIER, d.ZNAME
          FROM ZINSTALLEDAPP a LEFT JOIN ZUSERDEVICESTATE s ON s.Z_PK = a.ZUSERDEVICESTATE
          LEFT JOIN ZCOREDEVICE d ON d.Z_PK = s.ZDEVICE ORDER BY a.Z_PK
          """))
    let blueprint = try #require(try context.fetch(FetchDescriptor<ScreenTime.Blueprint>()).first)
    #expect(blueprint.users.map { keyText($0.persistentModelID) } == ["1"])
    #expect(blueprint.users[0].blueprints.first === blueprint)
    let states = try context.fetch(
      FetchDescriptor<ScreenTime.UserDeviceState>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(
      try states.map { row($0.installedApps.count, $0.deviceInfoPlist) }
        == plainRows(
          path,
          """
          SELECT (SELECT count(*) FROM ZINSTALLEDAPP WHERE ZUSERDEVICESTATE = s.Z_PK), ZDEVICEINFOPLIST
          FROM ZUSERDEVICESTATE s ORDER BY Z_PK
          """))
    // Int64 in the store: Double and Int32 in the classes.
    let busy = try context.fetch(
      FetchDescriptor<ScreenTime.UsageBlock>(
        predicate: #Predicate { $0.categories.contains { $0.totalTimeInSeconds > 3_000 } },
        sortBy: [SortDescriptor(\.startDate)]))
    #expect(!busy.isEmpty)
    #expect(
      try busy.map { row($0.startDate, $0.screenTimeInSeconds, $0.categories.map(\.totalTimeInSeconds).reduce(0, +)) }
        == plainRows(
          path,
          """
          SELECT CAST(ZSTARTDATE AS REAL), CAST(ZSCREENTIMEINSECONDS AS REAL),
            (SELECT sum(ZTOTALTIMEINSECONDS) FROM ZUSAGECATEGORY WHERE ZBLOCK = b.Z_PK) FROM ZUSAGEBLOCK b
          WHERE EXISTS (SELECT 1 FROM ZUSAGECATEGORY WHERE ZBLOCK = b.Z_PK AND ZTOTALTIMEINSECONDS > 3000)
          ORDER BY ZSTARTDATE, Z_PK
          """))
  }

  @Test(arguments: [AppleStore.oldHistory, .withoutHistory])
  func `events are read as subclasses of objects`(_ real: AppleStore) throws {
    let (context, path) = try real.read(Knowledge.Event.self)
    let events = try context.fetch(
      FetchDescriptor<Knowledge.Event>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(!events.isEmpty)
    #expect(
      try events.map {
        row(
          $0.uuid, $0.uuidHash, $0.creationDate, $0.startDate, $0.endDate, $0.streamName, $0.shouldSync,
          $0.valueInteger, $0.source?.bundleID)
      }
        == plainRows(
          path,
          """
          SELECT ZUUID, ZUUIDHASH, CAST(o.ZCREATIONDATE AS REAL), CAST(ZSTARTDATE AS REAL), CAST(ZENDDATE AS REAL),
            ZSTREAMNAME, ZSHOULDSYNC, ZVALUEINTEGER, s.ZBUNDLEID
          FROM ZOBJECT o LEFT JOIN ZSOURCE s ON s.Z_PK = o.ZSOURCE
          WHERE o.Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Event') ORDER BY o.Z_PK
          """))
    #expect(
      try [row(context.fetchCount(FetchDescriptor<Knowledge.Object>()))]
        == plainRows(path, "SELECT count(*) FROM ZOBJECT"))
  }

  @Test(arguments: [AppleStore.photos, .laterPhotos])
  func `assets are fetched with their moments, keywords and albums, and ordered relationships keep their order`(
    _ real: AppleStore
  ) throws {
    let (path, _) = try real.copy()
    let context = ModelContext(try readOnlyContainer(path, Photos.all))
    let assets = try context.fetch(FetchDescriptor<Photos.Asset>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(assets.count > 3)
    #expect(
      try assets.map {
        row(
          $0.uuid, $0.filename, $0.width, $0.height, $0.favorite, $0.kind.rawValue, $0.dateCreated, $0.latitude,
          $0.hdrGain.map { Double($0) }, $0.moment?.startDate, $0.additionalAttributes?.originalFilename)
      }
        == plainRows(
          path,
          """
          SELECT a.ZUUID, ZFILENAME, ZWIDTH, ZHEIGHT, a.ZFAVORITE, a.ZKIND, CAST(ZDATECREATED AS REAL),
            CAST(ZLATITUDE AS REAL), CAST(ZHDRGAIN AS REAL), CAST(m.ZSTARTDATE AS REAL), x.ZORIGINALFILENAME
          FROM ZASSET a LEFT JOIN ZMOMENT m ON m.Z_PK = a.ZMOMENT
          LEFT JOIN ZADDITIONALASSETATTRIBUTES x ON x.Z_PK = a.ZADDITIONALATTRIBUTES ORDER BY a.Z_PK
          """))
    #expect(
      try assets.map { row($0.additionalAttributes?.keywords.compactMap(\.title).sorted().joined(separator: ",")) }
        == plainRows(
          path,
          """
          SELECT (SELECT ifnull(group_concat(t, ','), '') FROM (SELECT k.ZTITLE AS t FROM Z_1KEYWORDS j
            JOIN ZKEYWORD k ON k.Z_PK = j.Z_40KEYWORDS
            WHERE j.Z_1ASSETATTRIBUTES = a.ZADDITIONALATTRIBUTES ORDER BY 1))
          FROM ZASSET a ORDER BY a.Z_PK
          """))
    func names(_ models: [any PersistentModel]) -> String {
      models.map { keyText($0.persistentModelID) }.joined(separator: ",")
    }
    let lists = try context.fetch(FetchDescriptor<Photos.AlbumList>(sortBy: [SortDescriptor(\.persistentModelID)]))
    let ordered = """
      SELECT (SELECT ifnull(group_concat(k, ','), '') FROM (SELECT Z_27ALBUMS AS k FROM Z_27ALBUMLISTS
        WHERE Z_2ALBUMLISTS = l.Z_PK ORDER BY Z_FOK_27ALBUMS)) FROM ZALBUMLIST l ORDER BY Z_PK
      """
    #expect(try lists.map { names($0.albums) } == plainRows(path, ordered))
    #expect(lists.contains { $0.albums.count > 10 })
    // The same in one step for all of them.
    let other = ModelContext(try readOnlyContainer(path, Photos.all))
    var together = FetchDescriptor<Photos.AlbumList>(sortBy: [SortDescriptor(\.persistentModelID)])
    together.relationshipKeyPathsForPrefetching = [\.albums]
    #expect(try other.fetch(together).map { names($0.albums) } == plainRows(path, ordered))
    if real.file == AppleStore.laterPhotos.file {
      let album = try #require(
        try context.fetch(FetchDescriptor<Photos.Album>(predicate: #Predicate { !$0.assets.isEmpty })).first)
      #expect(names(album.assets) == "2,1")
      #expect(album.assets[0].albums.contains { $0 === album })
    }
  }

  @Test func `objects of several entities and one class are ordered by their identifiers`() throws {
    let (context, path) = try AppleStore.laterPhotos.read(Photos.GenericAlbum.self, Photos.Album.self)
    let albums = try context.fetch(FetchDescriptor<Photos.GenericAlbum>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(
      try albums.map { row(type(of: $0), keyText($0.persistentModelID)) }
        == plainRows(
          path,
          """
          WITH RECURSIVE below(n) AS (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Album'
            UNION ALL SELECT Z_ENT FROM Z_PRIMARYKEY JOIN below ON Z_SUPER = n)
          SELECT CASE WHEN Z_ENT IN below THEN 'Album' ELSE 'GenericAlbum' END AS name, Z_PK FROM ZGENERICALBUM
          ORDER BY name, Z_PK
          """))
    #expect(try plainRows(path, "SELECT count(DISTINCT Z_ENT) > 3 FROM ZGENERICALBUM") == ["1"])
  }

  @Test func `predicates can use a renamed attribute and an enumeration`() throws {
    let (context, path) = try AppleStore.laterPhotos.read(Photos.GenericAlbum.self, Photos.Album.self)
    let kind = 3_571
    let albums = try context.fetch(FetchDescriptor<Photos.GenericAlbum>(predicate: #Predicate { $0.albumKind == kind }))
    #expect(
      try albums.map { row($0.title, type(of: $0)) }
        == plainRows(path, "SELECT ZTITLE, 'Album' FROM ZGENERICALBUM WHERE ZKIND = 3571"))
    #expect(albums.map(\.title) == ["progress-sync"])
    let image = Photos.Kind.image
    #expect(
      try [row(context.fetchCount(FetchDescriptor<Photos.Asset>(predicate: #Predicate { $0.kind == image })))]
        == plainRows(path, "SELECT count(*) FROM ZASSET WHERE ZKIND = 0"))
  }
}

private enum FlatNotes {
  @Model final class ICNote {
    var identifier: String?
    var title: String?
    init() {}
  }
}
