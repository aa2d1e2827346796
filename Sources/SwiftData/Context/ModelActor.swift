// SPDX-License-Identifier: MIT

/// Gives an actor a context of its own, and `init(modelContainer:)`.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

/// An actor with its own context. The macro `@ModelActor` writes the conformance.
///
/// Its code runs on its executor, never on the main thread.
public protocol ModelActor: Actor {
  /// The container of the actor's context.
  nonisolated var modelContainer: ModelContainer { get }
  /// Runs the actor's code, and owns its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor, in the form that the language requires.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure("the executor of a model actor is a SerialModelExecutor")
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The actor's context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The object of that identifier in the actor's context; nil where it is of another class.
  public subscript<Model: PersistentModel>(id: PersistentIdentifier, as type: Model.Type) -> Model? {
    modelContext.object(id) as? Model
  }
}

/// An executor that owns a context.
public protocol ModelExecutor: Executor {
  /// The context that the executor owns.
  var modelContext: ModelContext { get }
}

/// An executor that owns a context and runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs an actor's jobs one after the other on a queue of its own.
public final class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  // Unchecked: the context is used by the jobs alone, which run one at a time.

  /// The context that the executor owns.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "SwiftData.ModelActor")

  /// An executor that owns the context.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a job after those that were enqueued before.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// The executor, in the form that the language requires.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
