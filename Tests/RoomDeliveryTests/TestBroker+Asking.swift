import RoomTestKit

@testable import RoomDelivery

extension TestBroker {
    /// Lets the loops run while something is asked.
    @OneThread
    func ask<Value>(_ question: (RoomGateway) async throws -> Value) async rethrows -> Value {
        let running = Task { @OneThread in
            while !Task.isCancelled {
                self.run()
                await Task.yield()
            }
        }
        defer { running.cancel() }
        return try await question(self.gateway)
    }
}
