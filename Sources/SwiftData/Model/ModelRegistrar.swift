// SPDX-License-Identifier: MIT

/// Observers of one object's properties. Has the members of `ObservationRegistrar` that model classes use.
public struct _ModelRegistrar {
  private let state: _ModelState?

  /// The observers of the object that the backing belongs to.
  public init(_ backing: any BackingData) { state = backing._state }

  /// Notes that a property is read.
  public func access<Subject: Observable, Member>(_ subject: Subject, keyPath: KeyPath<Subject, Member>) {
    state?.observe(subject, keyPath)
  }

  /// Runs a change of a property, and notifies its observers.
  public func withMutation<Subject: Observable, Member, Result>(
    of subject: Subject, keyPath: KeyPath<Subject, Member>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    guard let state else { return try mutation() }
    return try state.mutate(subject, keyPath, mutation)
  }

  /// Notifies observers that a property is about to change.
  public func willSet<Subject: Observable, Member>(_ subject: Subject, keyPath: KeyPath<Subject, Member>) {
    state?.registrar?.willSet(subject, keyPath: keyPath)
  }

  /// Notifies observers that a property has changed.
  public func didSet<Subject: Observable, Member>(_ subject: Subject, keyPath: KeyPath<Subject, Member>) {
    state?.registrar?.didSet(subject, keyPath: keyPath)
  }
}

extension _ModelState {
  /// Registers the reading of a property with the observation that is under way, if there is one.
  @usableFromInline
  func observe<Subject: Observable, Member>(_ subject: Subject, _ keyPath: KeyPath<Subject, Member>) {
    if let registrar { return registrar.access(subject, keyPath: keyPath) }
    let made = ObservationRegistrar()
    registrar = made
    made.access(subject, keyPath: keyPath)
  }

  /// Runs `body` and notifies the observers of a property. An object that was never read has none.
  @usableFromInline
  func mutate<Subject: Observable, Member, Result>(
    _ subject: Subject, _ keyPath: KeyPath<Subject, Member>, _ body: () throws -> Result
  ) rethrows -> Result {
    guard let registrar else { return try body() }
    return try registrar.withMutation(of: subject, keyPath: keyPath, body)
  }
}
