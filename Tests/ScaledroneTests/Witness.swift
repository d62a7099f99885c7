import Dispatch
import Foundation
import NIOConcurrencyHelpers
import Scaledrone
import Testing

/// Writes down what the delegates are told.
final class Witness: Sendable {
    enum Event: Hashable, Sendable {
        /// With the errors' codes.
        case connected(String?)
        case failed(String, room: String?)
        case disconnected(String?)
        case authenticated(String?)
        case roomConnected(String, String?)
        case message(String, from: String?)
        case members([String])
        case joined(String)
        case left(String)
    }

    /// The delegates are called here.
    let queue: DispatchQueue
    private let events: AsyncStream<Event>
    private let told: AsyncStream<Event>.Continuation
    private let text = NIOLockedValueBox("")
    private let onConnect: @Sendable (Scaledrone, Witness) -> Void

    /// - Parameters:
    ///   - queue: that of another witness, for a room of its client's.
    ///   - onConnect: called in `scaledroneDidConnect`, where there is no error.
    init(
        on queue: DispatchQueue = DispatchQueue(label: "witness"),
        onConnect: @escaping @Sendable (Scaledrone, Witness) -> Void = { _, _ in }
    ) {
        self.queue = queue
        (self.events, self.told) = AsyncStream.makeStream()
        self.onConnect = onConnect
        self.queue.setSpecific(key: Self.isOnQueue, value: true)
    }

    private static let isOnQueue = DispatchSpecificKey<Bool>()

    /// Subscribes to these rooms when connected.
    convenience init(rooms: String..., history: Int = 0) {
        self.init { scaledrone, witness in
            for room in rooms { _ = witness.subscribe(to: room, history: history, with: scaledrone) }
        }
    }

    /// On the delegates' queue: however slow the machine is, the room has its delegate before the broker answers.
    @discardableResult
    func subscribe(to name: String, history: Int = 0, with scaledrone: Scaledrone) -> ScaledroneRoom {
        guard DispatchQueue.getSpecific(key: Self.isOnQueue) == true else {
            return self.queue.sync { self.subscribe(to: name, history: history, with: scaledrone) }
        }
        let room = scaledrone.subscribe(roomName: name, messageHistory: history)
        room.delegate = self
        room.observableDelegate = self
        return room
    }

    /// The next event; in a test that is cut off by its time limit none.
    func next() async -> Event? {
        for await event in self.events { return event }
        return nil
    }

    func next(_ count: Int) async -> [Event] {
        var events: [Event] = []
        while events.count < count, let event = await self.next() { events.append(event) }
        return events
    }

    /// Skips what comes before.
    func wait(for event: Event) async {
        while let next = await self.next(), next != event {}
    }

    /// What the newest error of `scaledroneDidReceiveError` says under `"error"`.
    var lastText: String { self.text.withLockedValue(\.self) }

    private func tell(_ event: Event) {
        self.told.yield(event)
    }
}

extension Witness: ScaledroneDelegate {
    func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?) {
        self.tell(.connected(error?.code))
        if error == nil { self.onConnect(scaledrone, self) }
    }

    func scaledroneDidReceiveError(scaledrone: Scaledrone, error: (any Error)?) {
        self.text.withLockedValue { $0 = (error as NSError?)?.userInfo["error"] as? String ?? "" }
        self.tell(.failed(error?.code ?? "", room: (error as NSError?)?.userInfo["room"] as? String))
    }

    func scaledroneDidDisconnect(scaledrone: Scaledrone, error: (any Error)?) {
        self.tell(.disconnected(error?.code))
    }
}

extension Witness: ScaledroneAuthenticateDelegate {
    func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: (any Error)?) {
        self.tell(.authenticated(error?.code))
    }
}

extension Witness: ScaledroneRoomDelegate {
    func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?) {
        self.tell(.roomConnected(room.name, error?.code))
    }

    func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage) {
        self.tell(.message("\(message.data)", from: message.member?.clientData as? String))
    }
}

extension Witness: ScaledroneObservableRoomDelegate {
    func scaledroneObservableRoomDidConnect(room: ScaledroneRoom, members: [ScaledroneMember]) {
        self.tell(.members(members.map(\.name).sorted()))
    }

    func scaledroneObservableRoomMemberDidJoin(room: ScaledroneRoom, member: ScaledroneMember) {
        self.tell(.joined(member.name))
    }

    func scaledroneObservableRoomMemberDidLeave(room: ScaledroneRoom, member: ScaledroneMember) {
        self.tell(.left(member.name))
    }
}

extension ScaledroneMember {
    /// In these tests the member data is a name.
    var name: String { self.clientData as? String ?? "nobody" }
}

extension Error {
    /// The word under `"code"`.
    var code: String? { (self as NSError).userInfo["code"] as? String }
}
