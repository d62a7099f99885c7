import Foundation
import RoomClient

/// Carries everything that can happen to the full screen to its session, until that has an end.
struct FullScreenRunner: Sendable {
    private static let tick = Duration.milliseconds(500)

    let session: FullScreenSession
    let events: AsyncStream<ClientEvent>
    let signals: ProcessSignals

    func run() async -> ChatEnding {
        let sources = [
            self.followRooms, self.followChannel, self.followConnection, self.runTasks, self.runTurns, self.tick,
            self.followSignals, self.read, self.draw,
        ]
        return await withTaskGroup(of: Void.self) { group in
            for source in sources { group.addTask { await source() } }
            let ending = await self.session.ending()
            group.cancelAll()
            return ending
        }
    }

    private func followRooms() async {
        await withDiscardingTaskGroup { group in
            for await room in self.session.joined.stream { group.addTask { await self.session.follow(room) } }
        }
    }

    private func followChannel() async {
        for await event in self.events { await self.session.happened(event) }
    }

    private func followConnection() async {
        for await state in self.session.client.connectionState { await self.session.connectionChanged(to: state) }
    }

    private func runTasks() async {
        await withDiscardingTaskGroup { group in
            for await task in self.session.tasks.stream { group.addTask { await self.session.run(task) } }
        }
    }

    private func runTurns() async {
        for await task in self.session.turns.stream { await self.session.run(task) }
    }

    /// Signs of typing expire, and the seconds until the next attempt pass.
    private func tick() async {
        while (try? await Task.sleep(for: Self.tick)) != nil { await self.session.tick() }
    }

    private func followSignals() async {
        for await signal in self.signals.stream { await self.session.signaled(signal) }
    }

    private func read() async {
        let standardInput = StandardInput()
        while let bytes = await standardInput.next() { await self.session.typed(bytes) }
        if !Task.isCancelled { await self.session.end(.left) }
    }

    private func draw() async {
        await self.session.draw()
        for await _ in self.session.drawings.stream { await self.session.draw() }
    }
}
