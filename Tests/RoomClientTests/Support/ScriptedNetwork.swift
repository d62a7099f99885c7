import NIOConcurrencyHelpers

@testable import RoomClient

/// A network that changes when a test says so.
final class ScriptedNetwork: NetworkWatch {
    private let onChange = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

    var isWatched: Bool { self.onChange.withLockedValue { $0 != nil } }

    func start(_ onChange: @escaping @Sendable () -> Void) {
        self.onChange.withLockedValue { $0 = onChange }
    }

    func stop() {
        self.onChange.withLockedValue { $0 = nil }
    }

    func change() {
        self.onChange.withLockedValue { $0 }?()
    }
}
