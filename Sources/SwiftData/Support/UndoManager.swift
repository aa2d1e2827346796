// SPDX-License-Identifier: MIT

/// Undoes and redoes changes, in groups.
///
/// Foundation on Linux has no such class; this one has its common members. Without `beginUndoGrouping()` every change
/// is a group of its own.
public final class UndoManager {
  private struct Action {
    let target: AnyObject
    let run: () -> Void
  }

  private enum Direction { case none, undoing, redoing }

  private var undoStack: [[Action]] = []
  private var redoStack: [[Action]] = []
  private var open: [[Action]] = []
  private var direction = Direction.none
  private var disabled = 0

  /// The maximum number of groups that can be undone (0 = no limit).
  public var levelsOfUndo = 0
  /// The name of the action, for menus.
  public private(set) var undoActionName = ""

  /// Creates a manager without actions.
  public init() {}

  /// Whether there is something to undo.
  public var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.isEmpty } }
  /// Whether there is something to redo.
  public var canRedo: Bool { !redoStack.isEmpty }
  /// Whether an undo is running.
  public var isUndoing: Bool { direction == .undoing }
  /// Whether a redo is running.
  public var isRedoing: Bool { direction == .redoing }
  /// Whether new actions are registered.
  public var isUndoRegistrationEnabled: Bool { disabled == 0 }
  /// The number of open groups.
  public var groupingLevel: Int { open.count }

  /// Ignores new actions until `enableUndoRegistration()` is called as often.
  public func disableUndoRegistration() { disabled += 1 }
  /// Takes back one call of `disableUndoRegistration()`.
  public func enableUndoRegistration() {
    precondition(disabled > 0, "undo registration is enabled already")
    disabled -= 1
  }

  /// Names the action, for menus.
  public func setActionName(_ name: String) { undoActionName = name }

  /// Opens a group; its actions are undone together.
  public func beginUndoGrouping() { open.append([]) }

  /// Closes the innermost group.
  public func endUndoGrouping() {
    guard let group = open.popLast() else { preconditionFailure("no undo group is open") }
    guard !group.isEmpty else { return }
    if open.isEmpty { push(group) } else { open[open.count - 1] += group }
  }

  /// Registers the action that undoes a change. While an undo runs, the action redoes it, and the other way round.
  public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
    guard disabled == 0 else { return }
    let action = Action(target: target) { handler(target) }
    if open.isEmpty { push([action]) } else { open[open.count - 1].append(action) }
    if direction == .none { redoStack = [] }
  }

  private func push(_ group: [Action]) {
    if direction == .undoing {
      redoStack.append(group)
    } else {
      undoStack.append(group)
      if levelsOfUndo > 0, undoStack.count > levelsOfUndo { undoStack.removeFirst() }
    }
  }

  /// Closes all groups and undoes the last one.
  public func undo() {
    while !open.isEmpty { endUndoGrouping() }
    guard let group = undoStack.popLast() else { return }
    run(group, .undoing)
  }

  /// Redoes what was undone last.
  public func redo() {
    guard let group = redoStack.popLast() else { return }
    run(group, .redoing)
  }

  private func run(_ group: [Action], _ direction: Direction) {
    self.direction = direction
    beginUndoGrouping()
    for action in group.reversed() { action.run() }
    endUndoGrouping()
    self.direction = .none
  }

  /// Forgets all actions.
  public func removeAllActions() { (undoStack, redoStack, open) = ([], [], []) }

  /// Forgets the actions of one target.
  public func removeAllActions(withTarget target: Any) {
    let target = target as AnyObject
    func others(_ groups: [[Action]]) -> [[Action]] {
      groups.map { $0.filter { $0.target !== target } }.filter { !$0.isEmpty }
    }
    (undoStack, redoStack, open) = (others(undoStack), others(redoStack), others(open))
  }
}
