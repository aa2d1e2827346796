// SPDX-License-Identifier: MIT

import Testing

struct ModelActorExpansionTests {
  @Test(arguments: ["public ", "package ", "", "private "])
  func `an actor gets an executor, a container and an initializer`(_ access: String) {
    let visible = access == "private " ? "" : access
    let expansion = Expansion("@ModelActor \(access)actor Worker {\n}", missing: ["ModelActor"])
    #expect(expansion.findings == [])
    #expect(
      expansion.text == """
        \(access)actor Worker {

          \(visible)nonisolated let modelExecutor: any SwiftData.ModelExecutor

          \(visible)nonisolated let modelContainer: SwiftData.ModelContainer

          \(visible)init(modelContainer: SwiftData.ModelContainer) {
            let modelContext = SwiftData.ModelContext(modelContainer)
            self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
            self.modelContainer = modelContainer
          }
        }

        extension Worker: SwiftData.ModelActor {
        }
        """)
  }

  @Test func `other initializers stay beside the one with the container`() {
    let expansion = Expansion(
      """
      @ModelActor actor Worker {
        init(container: ModelContainer) {
          modelContainer = container
          modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
        }
      }
      """, missing: ["ModelActor"])
    #expect(expansion.findings == [])
    #expect(expansion.text.contains("  init(modelContainer: SwiftData.ModelContainer) {"))
  }

  @Test func `what the actor declares itself is not declared again`() {
    let source = """
      @ModelActor actor Worker {
        nonisolated let modelExecutor: any ModelExecutor
        nonisolated let modelContainer: ModelContainer
        init(modelContainer: ModelContainer) {
          self.modelContainer = modelContainer
          modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
        }
      }
      """
    let expansion = Expansion(source, missing: [])
    #expect(expansion.findings == [])
    #expect(expansion.text == source.dropFirst("@ModelActor ".count))
  }

  @Test(arguments: ["class", "struct"])
  func `anything but an actor is refused`(_ keyword: String) {
    let expansion = Expansion("@ModelActor final \(keyword) Worker {}", missing: ["ModelActor"])
    #expect(
      expansion.findings == [
        .init(
          line: 1, column: 19, message: "'@ModelActor' belongs on an actor",
          repairs: [
            .init(message: "replace '\(keyword)' with 'actor'", source: "@ModelActor final actor Worker {}")
          ])
      ])
    #expect(expansion.text == "final \(keyword) Worker {}")
  }
}
