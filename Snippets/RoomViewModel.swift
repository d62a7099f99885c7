import Observation
import RoomClient

/// The model of a view of a room. Call its `run()` in a task of the view, such as SwiftUI's `.task`.
@MainActor
@Observable
final class RoomViewModel {
    private(set) var lines: [Line] = []
    private(set) var people: [String] = []
    private(set) var isConnected = false
    /// Why this client is not in the room any more, such as `kicked`: the view shows its `message`.
    private(set) var endError: RoomClientError?
    private let client: RoomClient
    private let room: Room<String>

    struct Line: Identifiable {
        let id: String
        let name: String
        let text: String
    }

    init(client: RoomClient, room: Room<String>) {
        self.client = client
        self.room = room
    }

    /// Follows the room. Returns when this client is not in the room any more, and when the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await self.followConnection() }
            await self.followRoom()
            group.cancelAll()
        }
    }

    /// Returns when the broker has acknowledged the message.
    func send(_ text: String) async throws {
        try await self.room.publish(text)
    }

    private func followRoom() async {
        for await event in self.room.events {
            if case .message(let message) = event, let text = message.text {
                let name = message.member?.profile?.name ?? "somebody"
                self.lines.append(Line(id: message.id.uuidString, name: name, text: text))
            }
            self.people = self.room.members.map { $0.profile?.name ?? $0.id }
        }
        self.endError = self.room.endError
    }

    private func followConnection() async {
        for await state in self.client.connectionState {
            self.isConnected = state.isConnected
        }
    }
}
