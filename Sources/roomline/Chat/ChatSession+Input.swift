import Foundation
import RoomClient

/// Input of the user.
extension ChatSession {
    func typed(_ bytes: [UInt8]) {
        for key in self.console.keys(bytes) { self.press(key) }
        self.refresh()
    }

    private func press(_ key: Key) {
        switch self.console.editor.press(key) {
        case .edited:
            self.noteBeginning()
            self.tellTyping()
        case .none: break
        case .tooLong: self.show([self.note(Self.tooLong)])
        case .entered(let line): self.entered(line)
        case .completionWanted: self.complete()
        case .clearScreen: self.write { (console) throws(StandardOutput.Closed) in try console.clear() }
        case .suspended: self.suspend()
        case .ended: self.leave()
        }
    }

    private func noteBeginning() {
        if self.console.editor.text.isEmpty {
            self.newestAtPrompt = nil
        } else if self.newestAtPrompt == nil {
            self.newestAtPrompt = self.transcript.newest
        }
    }

    func suspend() {
        self.write { (console) throws(StandardOutput.Closed) in try console.suspend() }
    }

    private func tellTyping() {
        let text = self.console.editor.text
        let isMessage = text.contains { $0 != " " } && (!text.hasPrefix("/") || text.hasPrefix("//"))
        if isMessage { self.room.typing() }
    }

    private func complete() {
        let people = self.knownMembers.values.filter { $0.person.id != self.client.clientID }.compactMap(\.person.name)
        guard let completion = Completion(of: self.console.editor.before, people: Set(people).sorted()) else { return }
        self.console.editor.complete(replacing: completion.replaced, with: completion.text)
    }

    /// A line of the user's: a message, or a command.
    func entered(_ line: String) {
        let unconfirmed = self.unconfirmed
        self.unconfirmed = nil
        defer { self.newestAtPrompt = nil }
        switch ChatCommand(line) {
        case .nothing: break
        case .say(let text): self.submit(text)
        case .act(let text): self.submit("/me \(text)")
        case .whisper: self.show([self.note(ChatCommand.noWhispers)])
        case .join, .leave, .search: self.show([self.note(Self.needsFullScreen)])
        case .who: self.show([self.room.showsMembers ? self.whoIsHere : self.note(ChatCommand.noMembers)])
        case .color(let text): self.changeColor(text)
        case .name(let text): self.changeName(text)
        case .history(let count): self.tasks.continuation.yield(.showHistory(count))
        case .moderate(let command): self.moderate(self.request(command))
        case .confirm:
            if let unconfirmed, unconfirmed.isAsked {
                self.tasks.continuation.yield(.moderate(unconfirmed.request))
            } else {
                // The question may be still to come.
                self.unconfirmed = unconfirmed
                self.show([self.note(ChatCommand.nothingToConfirm)])
            }
        case .help: self.show(self.help)
        case .quit: self.leave()
        case .parseError(let text): self.show([self.note(text)])
        }
    }

    private var help: [StyledLine] {
        let keys = self.console.hasPrompt ? HelpPage.lineKeys : []
        return ChatCommand.list.map { self.transcript.note($0.command.padded(to: 14) + $0.meaning) }
            + keys.map { key, meaning in self.transcript.note(key.padded(to: 28) + meaning) }
            + [self.transcript.note("for moderators:")]
            + ModerationCommand.list.map { self.transcript.note($0.command.padded(to: 28) + $0.meaning) }
    }

    private var whoIsHere: StyledLine {
        self.transcript.whoIsHere(myID: self.client.clientID, users: self.knownMembers.compactMapValues(\.user))
    }
    private static let tooLong =
        "not pasted: a message typed here can have \(LineEditor.longestLine / 1_024) KiB; \"roomline publish\" sends larger ones"
    private static let needsFullScreen = "that is for the full screen, without --line-mode"

    private func note(_ text: String) -> StyledLine { self.transcript.note(TerminalText.line(text)) }

    private func submit(_ text: String) {
        guard !self.delivery.isLeaving, let json = try? JSON(encoding: text) else { return }
        self.delivery.submitted()
        self.submissionCount += 1
        let pending = self.client.startPublishing(json, to: self.room.name)
        let submission = Submission(number: self.submissionCount, text: text, pending: pending)
        self.unsettled.append(submission)
        self.submissions.continuation.yield(submission)
    }

    /// A message of the user's has been acknowledged or refused.
    func settled(_ submission: Submission, _ result: Result<PublishReceipt, RoomClientError>) {
        self.unsettled.removeAll { $0.number == submission.number }
        switch result {
        case .success(let receipt): self.delivery.settled(seq: receipt.seq)
        case .failure(let error):
            self.delivery.settled(seq: nil)
            let text = TerminalText.line(submission.text).shortened(toColumns: 30)
            self.show([self.note("not sent: \"\(text)\": \(error.shown)")])
        }
        self.refresh()
        self.endIfSettled()
    }

    // MARK: Name and colour

    private func changeColor(_ text: String?) {
        guard let text else {
            let color = self.profile.color.map { "\($0)" } ?? "made from your name"
            return self.show([self.note("your colour is \(color)")])
        }
        do throws(RoomClientError) {
            let color = try MemberColor(text)
            self.change { $0.color = color }
        } catch {
            self.show([self.note(error.message)])
        }
    }

    private func changeName(_ text: String?) {
        guard let text else { return self.show([self.note("your name is \(self.me.shownName)")]) }
        guard let name = TerminalText.name(text, upTo: TerminalText.longestOwnName) else {
            return self.show([self.note("that is no name")])
        }
        self.change { $0.name = name }
    }

    private func change(_ change: (inout MemberProfile) -> Void) {
        change(&self.profile)
        self.tasks.continuation.yield(.change(self.profile))
    }

    /// Does what takes a while.
    func run(_ task: ChatTask) async {
        switch task {
        case .change(let profile):
            do throws(RoomClientError) {
                try await self.client.update(profile)
                let me = Person(id: self.client.clientID ?? "", profile: profile)
                // That the others are told comes as an event, a little later; of oneself one knows it now.
                _ = self.transcript.updated(me, now: Date())
                self.show([StyledLine(spans: [.init(text: "· you are ", style: .dim), me.span])])
            } catch {
                self.show([self.note("that did not work: \(error.shown)")])
            }
        case .showHistory(let count): await self.showHistory(count)
        case .moderate(let request):
            let notes = await request.outcome(in: self.room)
            self.show(notes.map { self.transcript.note($0) })
        case .checkPermission(let request):
            let refusal = await request.refusal(in: self.room)
            self.checked(request, refusal)
        }
    }
}
