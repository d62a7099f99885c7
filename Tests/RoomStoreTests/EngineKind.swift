import RoomTestKit

@testable import RoomStore

/// Every engine that there is.
enum EngineKind: String, CaseIterable, Sendable {
    case memory
    case file
    /// The one that tests of the layers above run on.
    case testKit

    func make() throws -> EngineUnderTest {
        switch self {
        case .memory, .file:
            let test = try StoreUnderTest.make(self == .memory ? .memory : .file)
            return EngineUnderTest(engine: test.store, directory: test.directory)
        case .testKit:
            return EngineUnderTest(engine: MemoryEngine(clock: RoomTestKit.ManualClock()))
        }
    }
}
