import NIOCore
import RoomModel
import Testing

@testable import RoomClient
@testable import RoomWire

struct SequenceTrackerTests {
    /// A log that has been subscribed to when the room was at `seq`.
    private static func joined(at seq: UInt64, history: Int = 0, since: UInt64? = nil) -> SequenceTracker {
        var log = SequenceTracker(historyCount: history, since: since.map { .make($0) })
        log.subscribed(.make(seq))
        return log
    }

    private static func receive(_ seqs: ClosedRange<UInt64>, in log: inout SequenceTracker) -> [SequenceTracker.Verdict]
    {
        seqs.map { log.received(seq: $0) }
    }

    // MARK: What is asked for

    @Test func `the first subscribe asks for the history, all further ones for what was missed`() {
        var log = SequenceTracker(historyCount: 5)
        #expect(log.request == (5, nil))
        log.subscribed(.make(40))
        #expect(log.request == (0, .make(35)))
        _ = Self.receive(36...42, in: &log)
        #expect(log.request == (0, .make(42)))
    }

    @Test func `a position of an earlier run is asked for in place of history`() {
        let log = SequenceTracker(historyCount: 5, since: .make(12))
        #expect(log.request == (0, .make(12)))
        #expect(log.position == .make(12))
    }

    @Test(arguments: [(40 as UInt64, 5, 35 as UInt64), (3, 5, 0), (0, 5, 0), (40, 0, 40)])
    func `a loss before the history has come costs none of it`(seq: UInt64, history: Int, since: UInt64) {
        #expect(Self.joined(at: seq, history: history).position == .make(since))
    }

    // MARK: Messages

    @Test func `nothing is new before the subscribe is answered`() {
        var log = SequenceTracker(historyCount: 0)
        #expect(log.received(seq: 1) == .repeated)
        #expect(log.position == nil)
    }

    @Test func `messages in a row are new, those received before are repeats`() {
        var log = Self.joined(at: 10)
        #expect(Self.receive(11...13, in: &log) == [.new, .new, .new])
        #expect(Self.receive(9...13, in: &log) == Array(repeating: .repeated, count: 5))
        #expect(log.position == .make(13))
    }

    @Test func `history is new from where it begins, also before as many entries as were asked for`() {
        // redactions stand between the messages, and do not count
        var log = Self.joined(at: 40, history: 5)
        #expect([28, 29, 31, 35, 39].map { log.received(seq: $0) } == Array(repeating: .new, count: 5))
        #expect([28, 39].map { log.received(seq: $0) } == [.repeated, .repeated])
        #expect(log.received(seq: 41) == .new)
        #expect(log.position == .make(41))
    }

    @Test func `a history that a loss cuts short goes on where it stopped`() {
        var log = Self.joined(at: 40, history: 5)
        #expect(log.received(seq: 28) == .new)
        #expect(log.request == (0, .make(28)))
        log.subscribed(.make(41))
        #expect(log.received(seq: 28) == .repeated)
        #expect(Self.receive(29...41, in: &log) == Array(repeating: .new, count: 13))
    }

    @Test func `history is new, though it may begin later than asked for`() {
        var log = Self.joined(at: 40, history: 30)
        #expect(log.received(seq: 38) == .new)
        #expect(log.isHistory(38) && log.isHistory(40) && !log.isHistory(41) && !log.isHistory(nil))
        #expect(log.received(seq: 41) == .new)
    }

    @Test func `a hole is told with the message behind it`() {
        var log = Self.joined(at: 10)
        #expect(log.received(seq: 14) == .newAfterGap(.make(11...13, .slow)))
        #expect(log.received(seq: 15) == .new)
    }

    @Test func `a hole that begins in the history is told from joining on`() {
        var log = Self.joined(at: 40, history: 5)
        #expect(log.received(seq: 43) == .newAfterGap(.make(41...42, .slow)))
    }

    // MARK: Coming back

    @Test func `who comes back goes on where it stopped`() {
        var log = Self.joined(at: 10)
        _ = Self.receive(11...12, in: &log)
        log.subscribed(.make(20))
        #expect(log.position == .make(12))
        #expect(Self.receive(12...14, in: &log) == [.repeated, .new, .new])
        #expect(!log.isHistory(13))
    }

    @Test func `another epoch starts at its newest message`() {
        var log = Self.joined(at: 10)
        log.subscribed(.make(3, epoch: 8))
        #expect(log.position == .make(3, epoch: 8))
        #expect(log.lost(.make(4, 3, epoch: 8, "epoch")) == .make(nil, epoch: 8, .epoch))
        #expect(log.lost(.make(1, 3, epoch: 8, "epoch")) == .make(nil, epoch: 8, .epoch))
        #expect(log.received(seq: 4) == .new)
    }

    @Test func `another epoch may begin in the middle of a connection`() {
        var log = Self.joined(at: 10)
        #expect(log.lost(.make(1, 3, epoch: 8, "epoch")) == .make(nil, epoch: 8, .epoch))
        #expect(log.position == .make(3, epoch: 8))
        #expect(Self.receive(3...5, in: &log) == [.repeated, .new, .new])
        #expect(log.request == (0, .make(5, epoch: 8)))
    }

    @Test func `a log that is shorter than it was is another one`() {
        var log = Self.joined(at: 10)
        log.subscribed(.make(3))
        #expect(log.position == .make(3))
        #expect(log.lost(.make(4, 3, "epoch")) == .make(nil, .epoch))
        #expect(log.received(seq: 4) == .new)
    }

    @Test func `a position of an earlier run that matches no log is told as a gap`() {
        var log = SequenceTracker(historyCount: 5, since: Position(epoch: nil, seq: 12))
        log.subscribed(.make(40))
        #expect(log.position == .make(40))
        #expect(log.isHistory(40))
    }

    @Test func `a redaction has a place like a message`() {
        var log = Self.joined(at: 10)
        #expect(Self.receive(11...12, in: &log) == [.new, .new])
        log.subscribed(.make(12))
        #expect(log.received(seq: 12) == .repeated)
    }

    @Test func `a cleared room begins anew`() {
        var log = Self.joined(at: 10)
        _ = Self.receive(11...12, in: &log)
        let clearing = ClearingEvent(
            room: RoomName("lobby"),
            epoch: Epoch.make(8).description,
            seq: 0,
            sender: ByteBuffer(string: "{}")
        )
        #expect(log.cleared(clearing) == .make(0, epoch: 8))
        #expect(log.request == (0, .make(0, epoch: 8)))
        #expect(Self.receive(1...2, in: &log) == [.new, .new])
        #expect(!log.isHistory(1))
    }

    @Test func `who was away when the room was cleared goes on at its newest message`() {
        var log = Self.joined(at: 10)
        log.subscribed(.make(3, epoch: 8))
        #expect(log.lost(.make(1, 3, epoch: 8, "cleared")) == .make(nil, epoch: 8, .cleared))
        #expect(Self.receive(3...4, in: &log) == [.repeated, .new])
    }

    // MARK: Gaps

    @Test(arguments: [
        (11 as UInt64, 15 as UInt64, 11...15 as ClosedRange<UInt64>?, 15 as UInt64), (5, 15, 11...15, 15),
        (11, 11, 11...11, 11), (13, 15, 13...15, 15), (1, 10, nil, 10), (10, 10, nil, 10),
    ])
    func `a gap is clipped to what was not received`(
        from: UInt64,
        through: UInt64,
        told: ClosedRange<UInt64>?,
        position: UInt64
    ) {
        var log = Self.joined(at: 10)
        #expect(log.lost(.make(from, through)) == told.map { .make($0) })
        #expect(log.position == .make(position))
    }

    @Test func `what was gone before joining is no gap`() {
        var log = Self.joined(at: 40, history: 10)
        #expect(log.lost(.make(31, 35)) == nil)
        #expect(log.lost(.make(36, 42)) == .make(41...42))
        #expect(log.received(seq: 43) == .new)
    }

    @Test func `what is damaged in the history that was asked for is a gap`() {
        var log = Self.joined(at: 40, history: 10)
        #expect(log.received(seq: 31) == .new)
        #expect(log.lost(.make(32, 33, "lost")) == .make(32...33, .lost))
        #expect(log.received(seq: 34) == .new)
        #expect(log.lost(.make(20, 34, "lost")) == nil)
    }

    @Test func `a gap of another epoch cannot be counted`() {
        var log = Self.joined(at: 10)
        #expect(log.lost(.make(11, 15, epoch: 9)) == .make(nil, epoch: 9))
        #expect(log.position == .make(10))
    }

    @Test func `a gap before the first subscribe is answered is none of ours`() {
        var log = SequenceTracker(historyCount: 0)
        #expect(log.lost(.make(1, 5)) == nil)
    }

    @Test func `a seq at the end of the numbers does not trap`() {
        var log = Self.joined(at: .max, history: 1)
        #expect(log.received(seq: .max) == .new)
        #expect(log.received(seq: .max) == .repeated)
        #expect(log.lost(.make(1, .max)) == nil)
    }
}
