import Testing

@testable import RoomServer

@Suite struct ProcessSetupTests {
    @Test func `as many files may be open as the system lets us ask for`() throws {
        let limit = ProcessSetup.raiseOpenFileLimit()
        let soft = try #require(limit.soft)
        #expect(soft > 0)
        #expect(limit.soft == limit.hard)
    }
}
