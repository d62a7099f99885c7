import Foundation
import RoomClient

/// Carries everything that can happen to the chat to its session, until that has an end.
struct ChatRunner: Sendable {
    let session: ChatSession
    let events: AsyncStream<ClientEvent>
    /// How lines come in.
    let input: ChatInput
    let signals: ProcessSignals

    func run(history: Int) async -> ChatEnding {
        await self.session.showBeginning(history: history)
        return await ChatEnding.reached(
            by: self.session.ending,
            during: [
                self.followRoom, self.followChannel, self.followConnection, self.sendMessages, self.runErrands,
                self.tick, self.followSignals, self.read,
            ]
        )
    }

    private func followRoom() async {
        for await event in self.session.room.events { await self.session.happened(event) }
        guard let error = self.session.room.endError else { return }
        await self.session.end(.failed(CommandFailure(code: .refused, text: error.advice)))
    }

    private func followChannel() async {
        for await event in self.events { await self.session.happened(event) }
    }

    private func followConnection() async {
        for await state in self.session.client.connectionState { await self.session.connectionChanged(to: state) }
    }

    private func sendMessages() async {
        for await submission in self.session.submissions.stream {
            do throws(RoomClientError) {
                await self.session.settled(submission, .success(try await submission.pending.value()))
            } catch {
                if error.code == .cancelled { continue }
                // What waits for a connection that never comes is lost, and not refused.
                if await self.session.client.isOver { continue }
                await self.session.settled(submission, .failure(error))
            }
        }
    }

    private func runErrands() async {
        for await task in self.session.tasks.stream { await self.session.run(task) }
    }

    /// Signs of typing expire.
    private func tick() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil { await self.session.tick(now: .now) }
    }

    private func followSignals() async {
        for await signal in self.signals.stream { await self.session.signaled(signal) }
    }

    private func read() async {
        let standardInput = StandardInput()
        switch self.input {
        case .keys:
            while let bytes = await standardInput.next() { await self.session.typed(bytes) }
            if !Task.isCancelled { await self.session.end(.left) }
        case .lines:
            await self.session.readLines(standardInput)
        case .messages(let publisher):
            await publisher.publish(standardInput) { await self.session.settled(line: $0, $1) }
            if !Task.isCancelled { await self.session.leave() }
        }
    }
}

/// How the user, or a program, says something.
enum ChatInput: Sendable {
    /// Key by key, with a prompt.
    case keys
    /// Lines of somebody at a terminal, with commands among them.
    case lines
    /// Each line is a message as it is.
    case messages(LinePublisher)
}

/// Why the chat is over.
enum ChatEnding: Sendable {
    /// The user has left, or the terminal has gone.
    case left
    case failed(CommandFailure)

    /// - Parameters:
    ///   - ending: waits for the end.
    ///   - sources: carry everything that can happen to the chat; they are cancelled when it ends.
    static func reached(
        by ending: @escaping @Sendable () async -> ChatEnding,
        during sources: [@Sendable () async -> Void]
    ) async -> ChatEnding {
        await withTaskGroup(of: Void.self) { group in
            for source in sources { group.addTask { await source() } }
            let ending = await ending()
            group.cancelAll()
            return ending
        }
    }
}
