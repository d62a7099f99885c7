import RoomCore
import RoomModel

/// A subscribe that waits for the answers of its rooms' owners, to be answered in one frame.
struct JoinTicket {
    let plan: JoinPlan
    /// By index in the plan.
    var answers: [Answer?]

    enum Answer {
        case joined(epoch: Epoch, seq: UInt64)
        case refused(RequestError)
    }

    init(_ plan: JoinPlan) {
        self.plan = plan
        self.answers = plan.rooms.map { room in
            if case .failure(let error) = room { .refused(error) } else { nil }
        }
    }

    var isComplete: Bool { !self.answers.contains { $0 == nil } }

    func index(of room: RoomName) -> Int? {
        self.plan.rooms.indices.first { index in
            guard self.answers[index] == nil, case .success(let name) = self.plan.rooms[index] else { return false }
            return name == room
        }
    }
}
