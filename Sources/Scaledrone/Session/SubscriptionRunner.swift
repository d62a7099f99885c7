import Foundation
import RoomClient

/// A subscription from its first answer to its end: passes the events of the room to the app.
struct SubscriptionRunner: Sendable {
    let subscription: Subscription
    let client: RoomClient
    let reporter: Reporter

    /// The number of events that may wait on the app's queue. The others stay in the room's feed, which is bounded.
    private static let window = 64

    func run(_ joining: Pending<Room<JSON>>) async {
        do throws(RoomClientError) {
            let room = try await joining.value()
            if let clientID = self.client.clientID { self.reporter.joined(as: clientID) }
            let members = room.members
            self.change { list in
                list.cameEarly(members.reversed())
                return []
            }
            self.tell { $0.delegate?.scaledroneRoomDidConnect(room: $0, error: nil as (any Error)?) }
            await self.follow(room)
            await self.ended(room)
        } catch {
            await self.refused(error)
        }
    }

    private func follow(_ room: Room<JSON>) async {
        var untaken = 0
        for await event in room.events {
            self.happened(event)
            untaken += 1
            guard untaken == Self.window else { continue }
            untaken = 0
            await self.reporter.toldEverything()
        }
    }

    private func refused(_ error: RoomClientError) async {
        // The app has disconnected, or has subscribed anew.
        if error.code == .cancelled || error.code == .closed { return }
        let clientError = ClientError(error, room: self.subscription.name)
        if await self.isClientOpen {
            self.tell { $0.delegate?.scaledroneRoomDidConnect(room: $0, error: clientError.nsError as (any Error)?) }
        } else {
            self.reporter.gaveUp(on: self.subscription, because: ClientError(error))
        }
    }

    private func happened(_ event: RoomEvent<JSON>) {
        switch event {
        case .message(let message), .signal(_, let message): self.received(message)
        // Scaledrone lists the newest member first.
        case .members(let members): self.change { $0.listed(members.reversed()) }
        case .joined(let member): self.change { $0.joined(member) }
        case .left(let member): self.change { $0.left(member) }
        case .updated(let member):
            self.change { list in
                list.updated(member)
                return []
            }
        case .gap(let gap): self.reporter.failed(.gap(gap, in: self.subscription.name))
        // Scaledrone's API has no such events.
        default: break
        }
    }

    private func received(_ message: RoomMessage<JSON>) {
        // An app that was written for Scaledrone may rely on its messages being of one type.
        if message.isRedacted { return }
        let value: FoundationValue
        do {
            // Here, and not on the app's queue, which may be the main one.
            value = try FoundationValue(message.json)
        } catch {
            let text = "a message cannot be read by JSONSerialization: \(message.json)"
            self.reporter.failed(
                ClientError(code: .decodingFailed, text: text, room: self.subscription.name, cause: error)
            )
            return
        }
        let (member, time, id) = (message.member, message.time, message.id.uuidString.lowercased())
        self.tell { [subscription] room in
            let message = ScaledroneMessage(
                value: value,
                memberID: member?.id,
                time: time,
                member: subscription.sender(member),
                messageID: id
            )
            room.delegate?.scaledroneRoomDidReceiveMessage(room: room, message: message)
        }
    }

    private func change(_ change: @escaping @Sendable (inout KnownMembers) -> [KnownMembers.Change]) {
        self.tell { [subscription] room in
            for change in subscription.change(change) {
                let delegate = room.observableDelegate
                switch change {
                case .connected(let members):
                    delegate?.scaledroneObservableRoomDidConnect(room: room, members: members)
                case .joined(let member):
                    delegate?.scaledroneObservableRoomMemberDidJoin(room: room, member: member)
                case .left(let member):
                    delegate?.scaledroneObservableRoomMemberDidLeave(room: room, member: member)
                }
            }
        }
    }

    /// Leaves the room. If the subscription was lost, the app gets an error, unless the whole client is closed.
    private func ended(_ room: Room<JSON>) async {
        await room.leave()
        guard let error = room.endError, await self.isClientOpen else { return }
        self.reporter.failed(ClientError(error, room: self.subscription.name))
    }

    private var isClientOpen: Bool {
        get async {
            for await state in self.client.connectionState {
                if case .closed = state { return false }
                return true
            }
            return false
        }
    }

    private func tell(_ call: @escaping @Sendable (ScaledroneRoom) -> Void) {
        self.reporter.tell(of: self.subscription, call)
    }
}
