import NIOCore
import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomDocuments
import RoomJSON
import RoomModel
import RoomWire

/// The messages of an export, stored again.
struct ImportRoutes: AdminRoutes {
    let places: AdminPlaces
    let moderation: ModerationRegistry
    let rooms: any RoomAccess
    let nodes: AdminNodes
    let clock: @Sendable () -> Int64
    let imports = ImportActs()

    static let exportTypes = ["application/x-ndjson", "application/jsonl"]

    func add(to router: inout AdminRouter) {
        router.on(
            .POST,
            "channels/:channel/rooms/:room/history",
            scope: .manage,
            query: ["epoch", "after_seq"],
            self.importHistory
        )
    }

    @Sendable private func importHistory(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        try self.nodes.checkNodes(canRead: .orders, for: "import messages")
        let key = try await self.places.room(of: call)
        let after = try self.importPlace(call.query)
        let body = try call.bytes(upTo: self.places.limits.endlessLine)
        try call.checkType(Self.exportTypes)
        let entries = try ExportReader(limits: self.places.limits, now: self.clock()).entries(body)
        let receipt = try await self.store(entries, in: key, after: after, by: call.caller)
        self.imports.stored(by: call.caller.actor, in: key, epoch: receipt.epoch)
        var part = ImportedPart(placeholder: ())
        (part.messages, part.epoch) = (entries.count, "\(receipt.epoch)")
        (part.seq, part.oldestSeq) = (receipt.seq, receipt.oldestSeq)
        return .document(part)
    }

    /// The end of the part before, as its answer said; `nil` for the first.
    private func importPlace(_ query: AdminQuery) throws(Problem) -> Position? {
        let seq = try query.number("after_seq", in: 0...UInt64(Int64.max))
        switch (query["epoch"], seq) {
        case (nil, nil): return nil
        case (let text?, let seq?):
            guard let epoch = Epoch(text) else {
                throw .invalid("epoch is \(text.shown): give the value from the answer to the previous part")
            }
            return Position(epoch: epoch, seq: seq)
        case (_?, nil), (nil, _?):
            throw .invalid("epoch and after_seq go together: give both, or none for the first part")
        }
    }

    private func store(
        _ entries: [LogEntry],
        in key: RoomKey,
        after: Position?,
        by caller: AdminCaller
    ) async throws(Problem) -> ImportReceipt {
        var entry: AuditEntry?
        if !self.imports.isContinued(by: caller.actor, in: key, after: after) {
            let details = "{\"first_seq\":\(entries[0].seq)}"
            entry = caller.entry(.importHistory, "\(key)", details, time: self.clock())
        }
        do throws(HistoryImportError) {
            return try await self.moderation.importHistory(into: key, entry) { () throws(HistoryImportError) in
                try await self.rooms.importHistory(entries, into: key, after: after)
            }
        } catch {
            switch error {
            case .occupied:
                throw Problem(
                    .conflict,
                    .roomNotEmpty,
                    "the room \(key.room.text.shown) has messages, and an import needs a room without any: clear it first"
                )
            case .movedOn:
                throw Problem(
                    .conflict,
                    .historyMoved,
                    "the room's log does not end where the previous part did: somebody has published or cleared it "
                        + "meanwhile; clear the room, lock it, and import from the beginning"
                )
            case .tooLarge(let limit):
                throw Problem(
                    .contentTooLarge,
                    .bodyTooLarge,
                    "all messages of a part go through the cluster's log at once, which takes about \(limit) bytes: send smaller parts"
                )
            case .refused(let error):
                throw Problem(error)
            }
        }
    }
}
