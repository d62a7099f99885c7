import NIOConcurrencyHelpers
import RoomModel

/// The state of a room that every thread can read at any time.
final class SharedRoomState: Sendable {
    private struct State {
        /// The broker shows who is in the room.
        var showsMembers = false
        var members: [Member] = []
        var count = 0
        /// False in a very large room: only the count is known.
        var isListed = true
        var position: Position?
        var endError: RoomClientError?
    }

    private let state = NIOLockedValueBox(State())

    var showsMembers: Bool { self.state.withLockedValue(\.showsMembers) }
    var members: [Member] { self.state.withLockedValue(\.members) }
    var memberCount: Int { self.state.withLockedValue(\.count) }
    var position: Position? { self.state.withLockedValue(\.position) }
    var endError: RoomClientError? { self.state.withLockedValue(\.endError) }

    func shows(members: Bool) {
        self.state.withLockedValue { state in
            state.showsMembers = members
            guard !members else { return }
            (state.members, state.count, state.isListed) = ([], 0, true)
        }
    }

    func moved(to position: Position?) {
        self.state.withLockedValue { $0.position = position }
    }

    func ended(_ error: RoomClientError?) {
        self.state.withLockedValue { $0.endError = error }
    }

    /// - Parameter count: more than are listed, in a very large room.
    func listed(_ members: [Member], count: Int) {
        self.state.withLockedValue {
            $0.showsMembers = true
            $0.members = members
            // A nonsensical number must not overflow when the next member joins.
            $0.count = min(count, .max / 2)
            $0.isListed = members.count == count
        }
    }

    func joined(_ member: Member) {
        self.state.withLockedValue { state in
            guard state.isListed else {
                state.count += 1
                return
            }
            state.members.removeAll { $0.id == member.id }
            state.members.append(member)
            state.count = state.members.count
        }
    }

    func left(_ member: Member) {
        self.state.withLockedValue { state in
            guard state.isListed else {
                state.count = max(0, state.count - 1)
                return
            }
            state.members.removeAll { $0.id == member.id }
            state.count = state.members.count
        }
    }

    func updated(_ member: Member) {
        self.state.withLockedValue { state in
            guard let index = state.members.firstIndex(where: { $0.id == member.id }) else { return }
            state.members[index] = member
        }
    }
}
