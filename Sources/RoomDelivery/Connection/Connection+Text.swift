import RoomCore
import RoomJSON
package import RoomModel
package import RoomWire

/// A plain-text client (protocol §4): it is a member of the one text room from its first line on.
extension Connection {
    /// Lets the client into the text room.
    package func beginText(room: RoomName, channel id: ChannelID) {
        self.wireFormat = .textLines
        guard let channel = self.shard.channels[id] else {
            self.goodbye(.unknownChannel, reason: "plain text is not available: its channel does not exist")
            return
        }
        let client = self.shard.newClientID()
        let activeSanctions = self.activeSanctions(of: nil, client, in: channel)
        let ban = activeSanctions.channelBan.map { RequestError.banned($0) }
        if let error = channel.refusalOfText ?? ban ?? self.channelSlot.acquire(in: channel) {
            self.goodbye(error.code, reason: error.text)
            return
        }
        let session = Session(textIn: channel, id: client, address: self.address, activeSanctions: activeSanctions)
        let member = Member(self, session, Resumption(), publishes: nil)
        self.state = .open(member)
        member.begin(heartbeat: nil)
        member.tellMutes(in: nil)
        member.subscribe(SubscribeRequest(rooms: .one(room)), callback: nil)
    }

    package func handle(_ line: TextLine, room: RoomName) -> Handling {
        guard case .open(let member) = self.state else { return .done }
        // answered in order: its own lines come back to it
        guard member.session.isSettled else { return .wait }
        if member.heard() { member.handle(line, room) }
        return .done
    }
}
