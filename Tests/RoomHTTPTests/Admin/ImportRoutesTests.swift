import NIOConcurrencyHelpers
import NIOHTTP1
import RoomCore
import RoomDelivery
import RoomModel
import RoomTestKit
import Testing

@testable import RoomHTTP

@Suite struct ImportRoutesTests {
    private static let path = "channels/talk/rooms/a%2Fb/history"
    private static let type: HTTPHeaders = ["Content-Type": "application/x-ndjson"]

    private static func line(_ seq: UInt64, at time: Int64 = AdminBench.now) -> String {
        let id = UniqueID(milliseconds: time, sequence: UInt16(seq), random: seq)
        return #"{"type":"publish","room":"r","id":"\#(id)","timestamp":\#(time / 1_000),"seq":\#(seq),"#
            + #""sender":{"id":"rest","kind":"rest"},"message":\#(seq)}"#
    }

    private func bench(_ answer: Result<ImportReceipt, HistoryImportError>) throws -> AdminBench {
        let bench = try AdminBench()
        bench.rooms.state.withLockedValue { $0.importAnswer = answer }
        return bench
    }

    @Test func `parts are handed on, and noted once`() async throws {
        let bench = try self.bench(.success(ImportReceipt(epoch: Epoch(rawValue: 9), seq: 8, oldestSeq: 7)))
        let first = try await bench.call(.POST, Self.path, Self.line(7) + "\n" + Self.line(8), headers: Self.type)
        #expect(first.text == #"{"messages":2,"epoch":"0000000000000009","seq":8,"oldest_seq":7}"#)
        let more = Self.path + "?epoch=0000000000000009&after_seq=8"
        #expect(try await bench.call(.POST, more, Self.line(9) + "\n", headers: Self.type).status == .ok)
        bench.rooms.state.withLockedValue { state in
            #expect(state.imported.map { $0.entries.map(\.seq) } == [[7, 8], [9]])
            #expect(state.imported.map(\.after) == [nil, Position(epoch: Epoch(rawValue: 9), seq: 8)])
            #expect(state.imported.allSatisfy { $0.room == .make("a/b", channel: "talk") })
        }
        #expect(bench.audit.map(\.action) == ["history.import"])
        #expect(bench.audit.first?.details == #"{"first_seq":7}"#)
        let forged = Self.path + "?epoch=00000000000000aa&after_seq=8"
        #expect(try await bench.call(.POST, forged, Self.line(9), headers: Self.type).status == .ok)
        #expect(bench.audit.count == 2)
    }

    @Test func `what cannot be noted is not imported`() async throws {
        let bench = try self.bench(.success(ImportReceipt(epoch: Epoch(rawValue: 9), seq: 7, oldestSeq: 7)))
        bench.directory.state.withLockedValue { $0.isBroken = true }
        let answer = try await bench.call(.POST, Self.path, Self.line(7), headers: Self.type)
        #expect(answer.status == .serviceUnavailable && answer.text.hasPrefix("storage_unavailable"))
        #expect(bench.rooms.state.withLockedValue { $0.imported.isEmpty })
    }

    @Test func `what may have been imported stays noted`() async throws {
        let bench = try self.bench(.failure(.refused(RequestError(.storageUnavailable, "try again"))))
        let answer = try await bench.call(.POST, Self.path, Self.line(7), headers: Self.type)
        #expect(answer.status == .serviceUnavailable)
        #expect(bench.audit.map(\.action) == ["history.import"])
    }

    @Test(arguments: [
        ("", "missing_field", ""),
        (Self.line(1) + "\nx\n", "malformed_json", "line 2"),
        (Self.line(1) + "\n" + Self.line(3), "invalid_field", "line 2"),
        (Self.line(2) + "\n" + Self.line(3, at: AdminBench.now - 1), "invalid_field", "line 2"),
        (Self.line(1, at: AdminBench.now + 60_001), "invalid_field", "line 1: the message is from the future"),
    ])
    func `what is not an export is refused by its line`(_ body: String, _ code: String, _ part: String) async throws {
        let bench = try self.bench(.failure(.occupied))
        let answer = try await bench.call(.POST, Self.path, body, headers: Self.type)
        #expect(answer.status == .badRequest)
        #expect(answer.text.hasPrefix(code) && answer.text.contains(part), "\(answer.text)")
        #expect(bench.rooms.state.withLockedValue { $0.imported.isEmpty })
    }

    @Test func `refusals say what to do`() async throws {
        let occupied = try self.bench(.failure(.occupied))
        let first = try await occupied.call(.POST, Self.path, Self.line(1), headers: Self.type)
        #expect(
            first.status == .conflict && first.text.hasPrefix("room_not_empty") && first.text.contains("clear it first")
        )
        let moved = try self.bench(.failure(.movedOn))
        let second = try await moved.call(.POST, Self.path, Self.line(1), headers: Self.type)
        #expect(second.status == .conflict && second.text.hasPrefix("history_moved") && second.text.contains("lock it"))
        let off = try self.bench(.failure(.refused(RequestError(.historyOff, "off"))))
        #expect(try await off.call(.POST, Self.path, Self.line(1), headers: Self.type).text == "history_off: off")
        #expect(occupied.audit.isEmpty && moved.audit.isEmpty && off.audit.isEmpty)
        let half = try await occupied.call(.POST, Self.path + "?after_seq=1", Self.line(1), headers: Self.type)
        #expect(half.status == .badRequest)
        #expect(try await occupied.call(.POST, Self.path, Self.line(1)).status == .unsupportedMediaType)
    }

    @Test func `a broker that keeps nothing makes no backup`() async throws {
        let bench = try AdminBench()
        let answer = try await bench.call(.POST, "backups")
        #expect(answer.status == .conflict && answer.text.hasPrefix("nothing_kept"))
        #expect(bench.audit.isEmpty)
    }
}
