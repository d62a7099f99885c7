package import NIOCore
import RoomCore
import RoomJSON
package import RoomModel
package import RoomWire

/// A plain-text client (protocol §4): it is a member of the one text room from its first line on, or from when it has been
/// silent for a moment.
extension Connection {
    /// Lets the client into the text room.
    ///
    /// - Parameter time: it hears what was said there since.
    package func beginText(room: RoomName, channel id: ChannelID, since time: NIODeadline) {
        self.wireFormat = .textLines
        self.hearsSince = time
        self.awaitsGreeting = true
        if let error = self.enterTextRoom(room, id) { self.goodbye(error.code, reason: error.text) }
    }

    /// Lets a client that says nothing listen in the text room.
    ///
    /// - Parameter time: it hears what was said there since.
    /// - Returns: whether it may. Otherwise it is told nothing: it may yet turn out to want something else.
    package func listen(room: RoomName, channel id: ChannelID, since time: NIODeadline) -> Bool {
        self.hearsSince = time
        guard !self.shard.holds(self) else {
            self.setSilenceDeadline(in: .seconds(1))
            return false
        }
        guard self.awaitsHandshake, self.enterTextRoom(room, id) == nil else { return false }
        self.greet(room)
        return true
    }

    /// A listener turns out to be no plain-text client: its session ends, and another connection takes its socket.
    ///
    /// - Returns: whether all that was written is on its way, so that the other one may write past the pipeline.
    package func endListening() -> Bool {
        let isWritten = self.writer.flush()
        self.ends(by: .clientClosed)
        self.closed()
        return isWritten
    }

    /// - Returns: why it cannot be in the text room; nothing is changed then.
    private func enterTextRoom(_ room: RoomName, _ id: ChannelID) -> RequestError? {
        guard let channel = self.shard.channels[id] else {
            return RequestError(
                .unknownChannel,
                "plain text is not available: there is no channel \"\(id)\"; the broker's operator can create it, or name "
                    + "another one with --text-channel"
            )
        }
        let client = self.shard.newClientID()
        let activeSanctions = self.activeSanctions(of: nil, client, in: channel)
        let ban = activeSanctions.channelBan.map { RequestError.banned($0) }
        if let error = channel.refusalOfText ?? ban ?? self.channelSlot.acquire(in: channel) { return error }
        self.wireFormat = .textLines
        let session = Session(textIn: channel, id: client, address: self.address, activeSanctions: activeSanctions)
        let member = Member(self, session, Resumption(), publishes: nil)
        self.state = .open(member)
        member.begin(heartbeat: nil)
        member.tellMutes(in: nil)
        member.subscribe(SubscribeRequest(rooms: .one(room)), callback: nil)
        return nil
    }

    package func handle(_ line: TextLine, room: RoomName) -> Handling {
        if self.shard.holds(self) { return .wait }
        guard case .open(let member) = self.state, !self.lifecycle.isEnding else { return .done }
        // answered in order: its own lines come back to it
        guard member.session.isSettled else { return .wait }
        if self.awaitsGreeting, line != .blank {
            self.awaitsGreeting = false
            // programs begin with `iam:` or `msg:`
            if case .other = line { self.greet(room) }
        }
        if member.heard() { member.handle(line, room) }
        return .done
    }

    /// Without a colon: the clients of the tutorials cut lines there. Who was not let in has been told why.
    private func greet(_ room: RoomName) {
        guard case .open(let member) = self.state, member.session.rooms[room] != nil else { return }
        self.say("you are in the room \(room), without a name; type help")
    }
}
