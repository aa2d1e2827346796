// SPDX-License-Identifier: MIT

import Foundation
import SwiftData

/// Some of the entities of Screen Time.
enum ScreenTime {
  @Model final class InstalledApp {
    var bundleIdentifier: String
    var displayName: String?
    var installedLocally: Bool
    var sortKey: UUID?
    var uniqueIdentifier: String?
    var userDeviceState: UserDeviceState?
    init(_ bundleIdentifier: String) {
      self.bundleIdentifier = bundleIdentifier
      installedLocally = false
    }
  }

  @Model final class UserDeviceState {
    var screenTimeEnabled: Bool
    var deviceInfoPlist: Data?
    @Relationship(inverse: \InstalledApp.userDeviceState) var installedApps: [InstalledApp] = []
    var device: CoreDevice
    init(_ device: CoreDevice) {
      screenTimeEnabled = false
      self.device = device
    }
  }

  @Model final class CoreDevice {
    var identifier: String
    var name: String
    var platform: Int
    @Relationship(inverse: \UserDeviceState.device) var userDeviceStates: [UserDeviceState] = []
    init(_ name: String) {
      (identifier, self.name, platform) = ("", name, 0)
    }
  }

  @Model final class Blueprint {
    var identifier: String
    var enabled: Bool
    @Relationship(inverse: \CoreUser.blueprints) var users: [CoreUser] = []
    init(_ identifier: String) { (self.identifier, enabled) = (identifier, false) }
  }

  @Model final class CoreUser {
    var givenName: String?
    var dsid: Int64
    var blueprints: [Blueprint] = []
    init() { dsid = 0 }
  }

  @Model final class UsageBlock {
    var startDate: Date
    var screenTimeInSeconds: Double
    @Relationship(inverse: \UsageCategory.block) var categories: [UsageCategory] = []
    init(_ startDate: Date) { (self.startDate, screenTimeInSeconds) = (startDate, 0) }
  }

  @Model final class UsageCategory {
    var identifier: String
    var totalTimeInSeconds: Int32
    var block: UsageBlock
    init(_ block: UsageBlock) { (identifier, totalTimeInSeconds, self.block) = ("", 0, block) }
  }
}
