import Hummingbird
import NIOCore
import RoomDelivery
import RoomModel

/// One reader of the broker's events: writes them as they come, and something when none does.
///
/// What waits for the reader waits in the hub's stream, which is bounded; here there is one event at a time.
struct EventFeed: Sendable {
    private enum Turn {
        case event(AdminEvent)
        case idle
    }

    let events: AsyncStream<AdminEvent>
    let epoch: Epoch
    /// Something is missing before the first event.
    let isIncomplete: Bool
    let heartbeat: Duration
    /// Ends the stream.
    let drain: DrainSignal

    @concurrent func write(to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(EventDocument.opening)
        if self.isIncomplete { try await writer.write(EventDocument.gap) }
        let (turns, turn) = AsyncStream.makeStream(of: Turn.self)
        let (eventsWritten, eventWritten) = AsyncStream.makeStream(of: Void.self)
        let (beatsWritten, beatWritten) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await self.pass(turn, after: eventsWritten) }
            group.addTask { await self.beat(turn, after: beatsWritten) }
            group.addTask {
                await self.drain.wait()
                turn.finish()
            }
            for await next in turns {
                switch next {
                case .event(let event):
                    try await writer.write(EventDocument.text(event, of: self.epoch))
                    eventWritten.yield()
                case .idle:
                    try await writer.write(EventDocument.heartbeat)
                    beatWritten.yield()
                }
            }
            if !self.drain.isOn, !Task.isCancelled { try await writer.write(EventDocument.overflow) }
            group.cancelAll()
        }
        try await writer.finish(nil)
    }

    /// Hands on one event after the other, each once the one before is written. The end of the events is that of the
    /// turns: the hub ends the stream of a reader that is too slow.
    private func pass(_ turn: AsyncStream<Turn>.Continuation, after written: AsyncStream<Void>) async {
        var permits = written.makeAsyncIterator()
        for await event in self.events {
            turn.yield(.event(event))
            if await permits.next() == nil { break }
        }
        turn.finish()
    }

    /// A beat waits for the one before it, so that none pile up before a reader that is stuck.
    private func beat(_ turn: AsyncStream<Turn>.Continuation, after written: AsyncStream<Void>) async {
        var permits = written.makeAsyncIterator()
        // a sleep that throws was cancelled: the stream is over
        while (try? await Task.sleep(for: self.heartbeat)) != nil {
            turn.yield(.idle)
            if await permits.next() == nil { return }
        }
    }
}
