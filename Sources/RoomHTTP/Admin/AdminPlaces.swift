import NIOHTTP1
import RoomControl
import RoomCore
import RoomJSON
import RoomModel

/// The channels and rooms that requests name.
struct AdminPlaces: Sendable {
    let channels: ChannelRegistry
    let limits: FrameLimits

    /// The channel of the path.
    func channel(of call: AdmittedCall) async throws(Problem) -> ChannelID {
        try await self.channel(call.channel())
    }

    func channel(_ id: ChannelID) async throws(Problem) -> ChannelID {
        try await Problem.answering { () throws(ControlError) in try await self.channels.channel(id).settings.id }
    }

    /// The room of the path, which need not be there, in a channel that is.
    func room(of call: AdmittedCall) async throws(Problem) -> RoomKey {
        RoomKey(channel: try await self.channel(of: call), room: try call.room(limit: self.limits.roomName))
    }

    func room(_ name: String) throws(Problem) -> RoomName {
        if let fault = RoomNameRule.fault(in: name, limit: self.limits.roomName) { throw Problem(fault) }
        return RoomName(name)
    }

    /// The room of a body.
    ///
    /// - Parameter right: the right name, as it completes "give …".
    func room(_ name: String?, _ right: String) throws(Problem) -> RoomName? {
        guard let name else { return nil }
        guard RoomNameRule.fault(in: name, limit: self.limits.roomName) == nil else {
            throw .invalid("room is \(name.shown): give \(right)")
        }
        return RoomName(name)
    }
}

extension Problem {
    static let noBody = Problem(.badRequest, Code.missingField, "the body is missing: send a JSON object")

    /// Gives what the broker refuses in HTTP's terms.
    static func answering<Value, Refusal: ProblemConvertible>(
        _ call: () async throws(Refusal) -> Value
    ) async throws(Problem) -> Value {
        do throws(Refusal) {
            return try await call()
        } catch {
            throw error.problem
        }
    }
}
