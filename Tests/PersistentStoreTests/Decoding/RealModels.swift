// SPDX-License-Identifier: MIT

/// Models of stores that Apple's software wrote, derived from the files.
enum RealModels {
  /// `RMAdminStore-Local.sqlite`.
  static let screenTime = """
    AskForTimeRequestResponse
     i: amountGranted answer timeRequested usageType
     f: expirationDate requestTimeStamp responseTimeStamp
     b: identifier
     s: requestedApplicationBundleIdentifier requestedCategoryIdentifier requestedWebDomain
     r: familyOrganization>FamilyOrganization/askForTimeRequestResponses requestingUser>CoreUser/askForTimeRequests
     r: respondingUser>CoreUser/askForTimeResponses
    Blueprint
     f: creationDate expiration minimumInstallationDate
     i: enabled invertUsageLimit isDirty isTombstoned limitEnabled
     s: identifier type uniqueIdentifier!
     b: sortKey! versionVector
     r: configurations>>BlueprintConfiguration/blueprint organization>CoreOrganization/blueprints
     r: schedule>BlueprintSchedule/blueprint usageLimit>BlueprintUsageLimit/blueprint users>>CoreUser/blueprints
    BlueprintConfiguration
     s: identifier type
     b: payloadPlist
     r: blueprint>Blueprint/configurations
    BlueprintSchedule
     s: calendarIdentifier
     f: day0End day0Start day1End day1Start day2End day2Start day3End day3Start day4End day4Start day5End day5Start
     f: day6End day6Start notificationTimeInterval
     r: blueprint>Blueprint/schedule
    BlueprintUsageLimit
     b: applicationIdentifiers categoryIdentifiers categoryIdentifiersVersion2 itemIdentifiers websiteIdentifiers
     f: day0Limit day1Limit day2Limit day3Limit day4Limit day5Limit day6Limit notificationTimeInterval
     s: usageItemType
     r: blueprint>Blueprint/usageLimit
    CloudOrganization < CoreOrganization
     r: settings>CloudOrganizationSettings/organization
    CloudOrganizationSettings < CoreOrganizationSettings
     s: passcode recoveryAltDSID
     r: organization>CloudOrganization/settings user>CoreUser/cloudSettings
    CoreDevice
     s: identifier name
     i: platform
     r: localUserDeviceState>UserDeviceState/localDevice usages>>Usage/device
     r: userDeviceAddresses>>UserDeviceAddress/device userDeviceStates>>UserDeviceState/device
    CoreOrganization
     s: identifier
     r: blueprints>>Blueprint/organization enqueuedPayloads>>CoreTransportPayload/sourceOrganizationEnqueued
     r: pendingPayloads>>CoreTransportPayload/sourceOrganizationPending
     r: recentPayloads>>CoreTransportPayload/sourceOrganizationRecent
    CoreOrganizationSettings
     i: allLimitsEnabled communicationPolicy communicationWhileLimitedPolicy contactManagementState needsToSetPasscode
     b: sortKey!
     s: uniqueIdentifier!
    CoreTransportPayload
     b: destinations payloadData
     s: identifier type
     r: sourceOrganizationEnqueued>CoreOrganization/enqueuedPayloads
     r: sourceOrganizationPending>CoreOrganization/pendingPayloads
     r: sourceOrganizationRecent>CoreOrganization/recentPayloads
    CoreUser
     s: altDSID appleID familyMemberType familyName givenName phoneticFamilyName phoneticGivenName
     i: dsid isFamilyOrganizer isParent passcodeEntryAttemptCount passcodeRecoveryAttemptCount supportsEncryption
     f: passcodeEntryTimeoutEndDate
     r: askForTimeRequests>>AskForTimeRequestResponse/requestingUser
     r: askForTimeResponses>>AskForTimeRequestResponse/respondingUser blueprints>>Blueprint/users
     r: cloudSettings>CloudOrganizationSettings/user familySettings>FamilyOrganizationSettings/user
     r: localSettings>LocalOrganizationSettings/user localUserDeviceState>UserDeviceState/localUser usages>>Usage/user
     r: userDeviceAddresses>>UserDeviceAddress/user userDeviceStates>>UserDeviceState/user
    DailySchedule
     i: endHour endMinute startHour startMinute weekday
     r: downtime>Downtime/schedule
    Downtime
     s: calendarIdentifier
     i: canAskForMoreTime enabled
     r: schedule>>DailySchedule/downtime
    FamilyOrganization < CoreOrganization
     r: askForTimeRequestResponses>>AskForTimeRequestResponse/familyOrganization
     r: settings>>FamilyOrganizationSettings/organization
    FamilyOrganizationSettings < CoreOrganizationSettings
     i: isDirty isManaged shareWebUsage
     s: passcode
     b: versionVector
     r: organization>FamilyOrganization/settings user>CoreUser/familySettings
    InstalledApp
     s: bundleIdentifier! displayName uniqueIdentifier!
     b: iconData sortKey!
     i: installedLocally!
     r: userDeviceState>UserDeviceState/installedApps
    LocalOrganization < CoreOrganization
     r: settings>LocalOrganizationSettings/organization
    LocalOrganizationSettings < CoreOrganizationSettings
     s: passcode recoveryAltDSID
     r: organization>LocalOrganization/settings user>CoreUser/localSettings
    RMCloudActivation
     b: activationPlist ckRecordSystemFields! sortKey!
     i: activationType
     s: ckRecordID! identifier uniqueIdentifier!
    ScreenTimeSettings
     i: cloudSyncEnabled screenTimeEnabled
    TestSyncableObject
     i: enabled
     s: identifier uniqueIdentifier!
     b: sortKey!
     r: subobjects>>TestSyncableSubObject/root
    TestSyncableSubObject
     i: active
     s: identifier
     r: root>TestSyncableObject/subobjects
    Usage
     f: lastEventDate lastUpdatedDate
     r: blocks>>UsageBlock/usage device>CoreDevice/usages user>CoreUser/usages
    UsageBlock
     i: durationInMinutes numberOfPickupsWithoutApplicationUsage screenTimeInSeconds
     f: firstPickupDate lastEventDate longestSessionEndDate longestSessionStartDate startDate
     r: categories>>UsageCategory/block countedItems>>UsageCountedItem/block usage>Usage/blocks
    UsageCategory
     s: identifier
     i: totalTimeInSeconds
     r: block>UsageBlock/categories timedItems>>UsageTimedItem/category
    UsageCountedItem
     s: bundleIdentifier
     i: numberOfNotifications numberOfPickups usageTrusted
     r: block>UsageBlock/countedItems
    UsageRequest
     f: acknowledgedDate requestedDate
     i: forUserDSID isBackgroundTask
    UsageTimedItem
     s: bundleIdentifier domain
     i: totalTimeInSeconds usageTrusted
     r: category>UsageCategory/timedItems
    UserDeviceAddress
     s: idsURI
     r: device>CoreDevice/userDeviceAddresses user>CoreUser/userDeviceAddresses
    UserDeviceState
     b: capabilitiesPlist deviceInfoPlist sortKey!
     i: cloudSyncEnabled managementEnabled screenTimeEnabled
     s: coreDuetIdentifier passcodeOwner uniqueIdentifier!
     f: lastFamilyCheckinDate
     r: device>CoreDevice/userDeviceStates installedApps>>InstalledApp/userDeviceState
     r: localDevice>CoreDevice/localUserDeviceState localUser>CoreUser/localUserDeviceState
     r: user>CoreUser/userDeviceStates
    """

  /// `knowledgec-10.13.db`, without the attributes of StructuredMetadata.
  static let knowledge = """
    AdditionChangeSet
     b: changeSet ckRecordSystemFields!
     s: ckForeignKey! ckRecordID! deviceIdentifier
     f: endDate startDate
     i: sequenceNumber version
    Category < Object
     i: categoryType integerValue
    ContextualChangeRegistration
     f: creationDate
     s: identifier
     b: properties
    ContextualKeyPath
     f: creationDate lastModifiedDate
     i: deviceID isEphemeral isUserCentric
     s: key
     b: value
    CustomMetadata
     b: binaryValue
     f: dateValue doubleValue
     i: integerValue
     s: name stringValue valueHash
     r: event>>Event/customMetadata object>Object/objectAttributeValue
    DeletionChangeSet
     b: changeSet ckRecordSystemFields!
     s: ckForeignKey! ckRecordID! deviceIdentifier
     f: endDate startDate
     i: sequenceNumber version
    Event < Object
     f: confidence endDate startDate valueDouble
     i: endDayOfWeek endSecondOfDay hasCustomMetadata hasStructuredMetadata secondsFromGMT shouldSync! startDayOfWeek
     i: startSecondOfDay valueClass valueInteger valueTypeCode
     s: streamName valueString
     r: customMetadata>>CustomMetadata/event structuredMetadata>StructuredMetadata/event value>Object/event
    Histogram
     s: deviceIdentifier identifier streamName
     f: endDate startDate
     i: streamTypeCode
     r: value>>HistogramValue/histogram
    HistogramValue
     i: count integerValue
     s: stringValue
     r: histogram>Histogram/value
    Identifier < Object
     i: identifierType
     s: string
    Object
     f: creationDate
     b: metadata
     s: uuid!
     i: uuidHash
     r: event>Event/value objectAttributeValue>>CustomMetadata/object relationObject>>Relation/object
     r: relationSubject>>Relation/subject source>Source/product
    Quantity < Object
     f: doubleValue
     i: quantityType
    Relation < Object
     s: verbPhrase
     r: object>Object/relationObject subject>Object/relationSubject
    Source
     s: bundleID deviceID groupID itemID sourceID
     i: userID
     r: product>>Object/source
    StructuredMetadata
     r: event>>Event/structuredMetadata
    """
}
