// SPDX-License-Identifier: MIT

import Foundation
import SwiftData

/// Some of the entities of a Photos library.
enum Photos {
  static let all: [any PersistentModel.Type] = [
    Asset.self, GenericAlbum.self, Album.self, AlbumList.self, AdditionalAssetAttributes.self, Keyword.self,
    Moment.self,
  ]

  enum Kind: Int, Codable { case image, video }

  @Model final class Asset {
    @Attribute(.preserveValueOnDeletion) var uuid: String?
    var filename: String?
    var width: Int
    var height: Int32
    var favorite: Bool
    var kind: Kind
    var dateCreated: Date?
    var latitude: Double
    var hdrGain: Float?
    var moment: Moment?
    var albums: [Album] = []
    @Relationship(inverse: \AdditionalAssetAttributes.asset) var additionalAttributes: AdditionalAssetAttributes?
    init() {
      (width, height, favorite, kind, latitude) = (0, 0, false, .image, 0)
    }
  }

  @Model class GenericAlbum {
    var title: String?
    @Attribute(originalName: "kind") var albumKind: Int
    var albumLists: [AlbumList] = []
    init() { albumKind = 0 }
  }

  @Model class Album: GenericAlbum {
    @Relationship(inverse: \Asset.albums) var assets: [Asset] = []
    override init() { super.init() }
  }

  @Model final class AlbumList {
    var uuid: String?
    @Relationship(inverse: \GenericAlbum.albumLists) var albums: [GenericAlbum] = []
    init() {}
  }

  @Model final class AdditionalAssetAttributes {
    var title: String?
    var originalFilename: String?
    var asset: Asset
    @Relationship(inverse: \Keyword.assetAttributes) var keywords: [Keyword] = []
    init(_ asset: Asset) { self.asset = asset }
  }

  @Model final class Keyword {
    var title: String?
    var assetAttributes: [AdditionalAssetAttributes] = []
    init() {}
  }

  @Model final class Moment {
    var startDate: Date?
    @Relationship(inverse: \Asset.moment) var assets: [Asset] = []
    init() {}
  }
}
