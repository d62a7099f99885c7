import Foundation
import RoomClient

/// Acts of moderators, and acts of this user as one.
extension ChatSession {
    // MARK: Acts of moderators

    func redacted(_ redaction: RoomRedaction) {
        self.delivery.saw(redaction.position.seq)
        let lines = self.transcript.redacted(
            redaction.messageID,
            by: Person(redaction.sender),
            reason: redaction.reason
        )
        var isReplaced = false
        if let replacement = lines.replacement {
            self.write { (console) throws(StandardOutput.Closed) in isReplaced = try console.replace(with: replacement)
            }
        }
        if !isReplaced { self.show([lines.note]) }
    }

    func cleared(_ position: RoomPosition, by sender: MessageSender) {
        self.start = position
        self.shownHistory = nil
        self.oldestShown = position.seq + 1
        self.delivery.cleared()
        self.transcript.forgetMessages()
        self.write { (console) throws(StandardOutput.Closed) in try console.clear() }
        self.show([self.transcript.event("×", Person(sender), " deleted all messages", Date())])
    }

    func noticed(_ notice: ModeratorNotice) {
        self.rules.noticed(notice)
        self.show([self.transcript.notice(notice.text, by: Person(notice.sender), Date())])
    }

    func muted(_ mute: Mute, everywhere: Bool) {
        self.rules.muted(everywhere: everywhere)
        let place = everywhere ? " in all rooms" : ""
        self.show([self.transcript.note(mute.text(in: .current) + place)])
    }

    func unmuted(everywhere: Bool) {
        self.rules.unmuted(everywhere: everywhere)
        self.show([self.transcript.note(Mute.endText)])
    }

    /// Events that concern all rooms.
    func happened(_ event: ClientEvent) {
        switch event {
        case .notice(let notice): self.show([self.transcript.notice(notice.text, by: Person(notice.sender), Date())])
        case .muted(let mute): self.muted(mute, everywhere: true)
        case .unmuted: self.unmuted(everywhere: true)
        }
    }

    // MARK: Acts of the user

    func request(_ command: ModerationCommand) -> ModerationRequest {
        var redacted: ModerationRequest.Redacted?
        if case .redact(let back, _) = command, let newest = self.newestAtPrompt ?? self.transcript.newest {
            redacted = self.transcript.redactable(back: back, from: newest)
        }
        return ModerationRequest(
            command: command,
            room: self.room.name,
            known: self.targets,
            redacted: redacted,
            users: self.presentUsers
        )
    }

    /// Asks before it does what cannot be undone, and before that whether the user may do it.
    func moderate(_ request: ModerationRequest) {
        guard request.question != nil else {
            self.tasks.continuation.yield(.moderate(request))
            return
        }
        self.unconfirmed = UnconfirmedAct(request: request)
        self.tasks.continuation.yield(.checkPermission(request))
    }

    /// - Parameter refusal: why the broker would not let the user do it.
    func checked(_ request: ModerationRequest, _ refusal: String?) {
        let isWaiting = self.unconfirmed == UnconfirmedAct(request: request)
        if isWaiting { self.unconfirmed = refusal == nil ? UnconfirmedAct(request: request, isAsked: true) : nil }
        if let refusal { return self.show([self.transcript.note(refusal)]) }
        guard isWaiting, let question = request.question else { return }
        self.show([self.transcript.note(TerminalText.line(question))])
    }

    /// The users of all who are here; `nil` where they are not all listed.
    private var presentUsers: Set<String>? {
        let people = self.transcript.people
        guard self.room.showsMembers, !people.isEmpty, people.count == self.room.memberCount else { return nil }
        return Set(people.compactMap { self.knownMembers[$0.id]?.user })
    }

    private var targets: [ModerationTarget.KnownMember] {
        let present = Set(self.transcript.people.map(\.id))
        let others = self.knownMembers.values.filter { $0.person.id != self.client.clientID }
        return others.sorted { $0.seen > $1.seen }.map {
            ModerationTarget.KnownMember(
                person: $0.person,
                user: $0.user,
                isPresent: self.room.showsMembers ? present.contains($0.person.id) : nil
            )
        }
    }

    func met(_ member: Member) {
        if self.knownMembers.count >= Self.mostAcquaintances { self.knownMembers.removeAll() }
        self.sightings += 1
        // a message need not name its author's user, which the list of members does
        let user = member.user ?? self.knownMembers[member.id]?.user
        self.knownMembers[member.id] = (person: Person(member), user: user, seen: self.sightings)
    }

    private static let mostAcquaintances = 10_000
}
