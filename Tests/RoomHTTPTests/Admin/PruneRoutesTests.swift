import NIOConcurrencyHelpers
import NIOHTTP1
import RoomCore
import RoomJSON
import RoomModel
import RoomTestKit
import Testing

@testable import RoomHTTP

/// Pruning over the admin API.
@Suite struct PruneRoutesTests {
    private func bench(_ store: FakePruner) throws -> AdminBench { try AdminBench(storedRooms: store, pruner: store) }

    @Test func `a room is pruned in requests that are one entry of the audit log`() async throws {
        let store = FakePruner(["r": 40_000])
        let bench = try self.bench(store)
        let body = #"{"room":"r","keep":1000,"older_than_seconds":60.5}"#
        let first = try await bench.call(.POST, "channels/talk/prune", body)
        #expect(
            first.text == #"{"rooms":0,"messages":16384,"bytes":163840,"bytes_are_estimated":false,"next":"d3I"}"#
        )
        let second = try await bench.call(.POST, "channels/talk/prune?after=d3I", body)
        #expect(try second.json["next"] == .string("d3I"))
        let third = try await bench.call(.POST, "channels/talk/prune?after=d3I", body)
        #expect(third.text == #"{"rooms":1,"messages":7232,"bytes":72320,"bytes_are_estimated":false,"next":null}"#)
        #expect(bench.audit.map(\.action) == ["history.prune"] && bench.audit.map(\.target) == ["talk/r"])
        #expect(bench.audit.map(\.details) == [#"{"keep":1000,"older_than_seconds":60.5}"#])
        #expect(store.bounds == [PruneBound(count: 1_000, ageMilliseconds: 60_500)])
        let key = RoomKey(channel: .make("talk"), room: RoomName("r"))
        #expect(bench.rooms.state.withLockedValue(\.pruned) == [key: Position(epoch: Epoch(rawValue: 1), seq: 40_000)])
        // a new one is another entry
        store.rooms.withLockedValue { $0["r"] = 1 }
        _ = try await bench.call(.POST, "channels/talk/prune?after=d3I", body)
        #expect(bench.audit.count == 2)
    }

    @Test func `all rooms of a channel are pruned, page by page`() async throws {
        let names = (100..<350).map { "room \($0)" }
        let store = FakePruner(Dictionary(uniqueKeysWithValues: names.map { ($0, $0 == "room 120" ? 20_000 : 10) }))
        let bench = try self.bench(store)
        var (next, requests, rooms, messages): (String?, Int, UInt64, UInt64) = (nil, 0, 0, 0)
        repeat {
            let query = next.map { "?after=\($0)" } ?? ""
            let json = try await bench.call(.POST, "channels/talk/prune\(query)", #"{"keep":0}"#).json
            guard case .number(let more)? = json["messages"], case .number(let done)? = json["rooms"] else { break }
            (messages, rooms) = (messages + (UInt64(more) ?? 0), rooms + (UInt64(done) ?? 0))
            if case .string(let place)? = json["next"] { next = place } else { next = nil }
            requests += 1
        } while next != nil && requests < 20
        #expect(messages == 249 * 10 + 20_000 && rooms == 250 && requests == 4)
        #expect(store.rooms.withLockedValue { $0.values.allSatisfy { $0 == 0 } })
        #expect(bench.audit.map(\.target) == ["talk"])
    }

    @Test func `nothing to prune is not an entry, and a trial prunes nothing`() async throws {
        let store = FakePruner(["r": 30, "s": 0])
        let bench = try self.bench(store)
        let trial = try await bench.call(.POST, "channels/talk/prune", #"{"keep":0,"dry_run":true}"#)
        #expect(trial.text == #"{"rooms":1,"messages":30,"bytes":300,"bytes_are_estimated":true,"next":null}"#)
        #expect(store.rooms.withLockedValue { $0["r"] } == 30)
        _ = try await bench.call(.POST, "channels/talk/prune", #"{"room":"s","keep":0}"#)
        #expect(bench.audit.isEmpty)
    }

    @Test(
        arguments: [
            ("", "{}", "invalid_field: neither keep nor older_than_seconds is given"),
            ("", #"{"keep":-1}"#, "invalid_field: keep is -1"),
            ("", #"{"older_than_seconds":"x"}"#, "invalid_field: older_than_seconds is"),
            ("", #"{"keep":1,"room":""}"#, "invalid_field: room is"),
            ("", #"{"kep":1}"#, "unknown_field: there is no field"),
            ("?after=eHI", #"{"keep":1}"#, "invalid_field: after is not a value"),
        ]
    )
    func `what cannot be meant is refused`(_ query: String, _ body: String, _ error: String) async throws {
        let answer = try await self.bench(FakePruner([:])).call(.POST, "channels/talk/prune\(query)", body)
        #expect(answer.status == .badRequest && answer.text.hasPrefix(error), "\(answer.text)")
    }

    @Test func `a store that does not answer leaves the entry, since some may be gone`() async throws {
        let store = FakePruner(["r": 1])
        store.isBroken.withLockedValue { $0 = true }
        let bench = try self.bench(store)
        let answer = try await bench.call(.POST, "channels/talk/prune", #"{"room":"r","keep":0}"#)
        #expect(answer.status == .serviceUnavailable && bench.audit.count == 1)
    }

    @Test func `a room hears of what is gone where the rest failed`() async throws {
        let store = FakePruner(["r": 30])
        store.failsInPart.withLockedValue { $0 = true }
        let bench = try self.bench(store)
        let answer = try await bench.call(.POST, "channels/talk/prune", #"{"room":"r","keep":0}"#)
        #expect(answer.status == .serviceUnavailable && bench.audit.count == 1)
        let key = RoomKey(channel: .make("talk"), room: RoomName("r"))
        #expect(bench.rooms.state.withLockedValue(\.pruned) == [key: Position(epoch: Epoch(rawValue: 1), seq: 30)])
    }
}

/// Rooms with so many messages that can be pruned, ten bytes each.
private final class FakePruner: HistoryPruner, StoredRoomList {
    let rooms: NIOLockedValueBox<[String: UInt64]>
    let isBroken = NIOLockedValueBox(false)
    let failsInPart = NIOLockedValueBox(false)
    private let asked = NIOLockedValueBox<Set<PruneBound>>([])
    private let gone = NIOLockedValueBox<[RoomKey: UInt64]>([:])

    init(_ rooms: [String: UInt64]) {
        self.rooms = NIOLockedValueBox(rooms)
    }

    var bounds: [PruneBound] { Array(self.asked.withLockedValue(\.self)) }

    func prune(
        _ room: RoomKey,
        keeping bound: PruneBound,
        atMost limit: UInt64
    ) async throws(EngineError) -> PruneReceipt {
        if self.isBroken.withLockedValue(\.self) { throw .unavailable }
        _ = self.asked.withLockedValue { $0.insert(bound) }
        let (messages, left) = self.rooms.withLockedValue { rooms in
            let all = rooms[room.room.text] ?? 0
            rooms[room.room.text] = all - min(all, limit)
            return (min(all, limit), all - min(all, limit))
        }
        let last = self.gone.withLockedValue { gone in
            gone[room, default: 0] += messages
            return gone[room, default: 0]
        }
        var receipt = PruneReceipt()
        (receipt.messages, receipt.bytes, receipt.hasMore) = (messages, messages * 10, left > 0)
        receipt.place = messages > 0 ? Position(epoch: Epoch(rawValue: 1), seq: last) : nil
        receipt.failure = self.failsInPart.withLockedValue(\.self) ? .unavailable : nil
        return receipt
    }

    func prunable(_ room: RoomKey, keeping bound: PruneBound) async throws(EngineError) -> PruneReceipt {
        var receipt = PruneReceipt()
        receipt.messages = self.rooms.withLockedValue { $0[room.room.text] ?? 0 }
        (receipt.bytes, receipt.isEstimate) = (receipt.messages * 10, receipt.messages > 0)
        return receipt
    }

    func storedRooms(
        in channel: ChannelID,
        _ query: StoredRoomQuery
    ) async throws(EngineError) -> StoredRoomPage {
        let names = self.rooms.withLockedValue { $0.keys.sorted() }.filter { $0 > query.after?.text ?? "" }
        let page = names.prefix(query.limit).map { name in
            StoredRoomSummary(
                name: RoomName(name),
                epoch: Epoch(rawValue: 1),
                lastSeq: 0,
                messages: 0,
                bytes: 0,
                isEstimate: false,
                times: nil
            )
        }
        return StoredRoomPage(rooms: page, hasMore: names.count > query.limit, total: names.count)
    }
}
