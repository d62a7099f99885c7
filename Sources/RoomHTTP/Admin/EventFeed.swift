import NIOCore

/// One reader of events: writes them as they come, and something when none does.
///
/// Events that wait for the reader wait at their source, which is bounded; here there is one event at a time.
struct EventFeed<Events: AsyncSequence & Sendable>: Sendable
where Events.Element == ByteBuffer, Events.Failure == Never {
    private enum Turn {
        case event(ByteBuffer)
        case idle
    }

    /// The text before the events.
    let opening: ByteBuffer
    let events: Events
    /// The text that tells the reader that the events have ended by themselves.
    let ending: ByteBuffer
    let heartbeat: Duration
    /// The reader may still read. Asked before each write, so that a stream lasts no longer than what opened it.
    let isAllowed: @Sendable () -> Bool
    /// Ends the stream.
    let drain: DrainSignal

    @concurrent func write(by write: HTTPResponse.Write) async throws {
        try await write(self.opening)
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
                guard self.isAllowed() else { break }
                switch next {
                case .event(let event):
                    try await write(event)
                    eventWritten.yield()
                case .idle:
                    try await write(EventDocument.heartbeat)
                    beatWritten.yield()
                }
            }
            if !self.drain.isOn, !Task.isCancelled, self.isAllowed() { try await write(self.ending) }
            group.cancelAll()
        }
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
