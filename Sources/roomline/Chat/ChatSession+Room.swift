import Foundation
import RoomClient

/// Events in the room.
extension ChatSession {
    /// The last messages, and then who is here.
    func showBeginning(history count: Int) async {
        guard count > 0, let start = self.start else { return }
        do throws(RoomClientError) {
            self.showOlder(try await self.room.newest(count, upTo: start))
            self.shownHistory = start
        } catch {
            // Without history, the chat begins with what is said from now on.
            guard error.code != .historyOff, error.code != .cancelled else { return }
            self.show([self.transcript.note("the history cannot be had: \(error.shown)")])
        }
    }

    func happened(_ event: RoomEvent<JSON>) {
        let myID = self.client.clientID
        switch event {
        case .message(let message): self.said(message)
        case .signal(let signal, let message): self.signaled(signal, message)
        case .members(let members):
            for member in members { self.met(member) }
            self.show(self.transcript.listed(members.map { Person($0) }, myID: myID))
        case .joined(let member):
            self.met(member)
            self.show(self.transcript.joined(Person(member), now: Date()))
        case .left(let member):
            self.met(member)
            self.typing.ended(member.id)
            self.show(self.transcript.left(Person(member), now: Date()))
        case .updated(let member):
            self.met(member)
            // A change of the user's own is shown when it is acknowledged: the event may be that of an earlier one.
            if member.id != myID { self.show(self.transcript.updated(Person(member), now: Date())) }
        case .gap(let gap):
            if let last = gap.seqs?.upperBound { self.delivery.saw(last) }
            self.show([self.transcript.note(gap.text)])
        case .redacted(let redaction): self.redacted(redaction)
        case .cleared(let position, let sender): self.cleared(position, by: sender)
        case .notice(let notice): self.noticed(notice)
        case .muted(let mute): self.muted(mute, everywhere: false)
        case .unmuted: self.unmuted(everywhere: false)
        }
        self.endIfSettled()
    }

    private func said(_ message: RoomMessage<JSON>) {
        let person = Person(message.sender)
        if let member = message.member { self.met(member) }
        // Of an ephemeral message of another app the chat knows nothing.
        guard let seq = message.seq else { return }
        self.delivery.saw(seq)
        guard !message.isBefore(self.shownHistory) else { return }
        self.typing.ended(person.id)
        self.show(self.transcript.message(Transcript.Entry(message)))
    }

    private func signaled(_ signal: MemberSignal, _ message: RoomMessage<JSON>) {
        guard case .typing(let isTyping) = signal, !message.isOwn else { return }
        let person = Person(message.sender)
        if isTyping { self.typing.began(person, now: .now) } else { self.typing.ended(person.id) }
        self.refresh()
    }

    /// `/history`
    func showHistory(_ count: Int) async {
        guard let start = self.start, let oldest = self.oldestShown else { return }
        do throws(RoomClientError) {
            let position = RoomPosition(epoch: start.epoch, seq: oldest - 1)
            let messages = try await self.room.newest(count, upTo: position)
            guard let first = messages.first, !messages.isEmpty else {
                return self.show([self.transcript.note("there is nothing older")])
            }
            let day = ClockTime(first.time, in: .current).day
            self.show([self.transcript.note("\(messages.count) older, from \(day) on:")])
            self.showOlder(messages)
            self.show([self.transcript.note("so far the older ones")])
        } catch {
            let reason = error.code == .historyOff ? "this channel keeps no history" : error.shown
            self.show([self.transcript.note(reason)])
        }
    }

    private func showOlder(_ messages: [RoomMessage<JSON>]) {
        self.oldestShown = messages.first?.seq ?? self.oldestShown
        self.show(messages.flatMap { self.transcript.message(Transcript.Entry($0)) })
    }
}

extension Transcript.Entry {
    init(_ message: RoomMessage<JSON>) {
        self.init(
            id: message.id,
            seq: message.seq,
            time: message.time,
            sender: Person(message.sender),
            text: message.chatText,
            isRedacted: message.isRedacted
        )
    }
}
