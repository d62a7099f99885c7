import ArgumentParser
import NIOCore
import RoomAdmin

/// `roomline room list`
struct RoomList: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the rooms of a channel that have members, or those that have stored messages.",
        discussion: AdminHelp.text(
            """
            RULES shows what moderators have set: locked, slow mode, a limit of members. With --stored, the list has the rooms \
            that have a history, with or without members, and what it takes: BYTES are those of the messages, without the \
            overhead of the file; ~ is before an estimate, for rooms with very many messages. --json has the exact number.
            """,
            ("room list", "The rooms of the channel \"default\", by name."),
            (
                "room list --channel shop --prefix support- --sort members",
                "Some rooms of another channel, the largest first."
            ),
            ("room list --stored --sort bytes --limit 10", "The rooms that fill the disk."),
            ("room list --stored --empty --sort newest --json | jq -r .name", "Rooms without members, for a script.")
        )
    )

    enum Order: String, ExpressibleByArgument, CaseIterable {
        case name, members, messages, bytes, oldest, newest

        /// It compares what only stored rooms have.
        var isOfStored: Bool { self != .name && self != .members }
    }

    @OptionGroup
    var channel: ChannelOption

    @Option(help: ArgumentHelp("Only rooms whose names begin with this text.", valueName: "TEXT"))
    var prefix: String?

    @Flag(help: "List the rooms with stored messages, whether they have members or not.")
    var stored = false

    @Flag(help: "With --stored: only rooms without members.")
    var empty = false

    @Option(
        help: ArgumentHelp(
            "By name; or by members, messages, bytes or newest message, the most first; or by the oldest message, the oldest first.",
            valueName: "ORDER"
        )
    )
    var sort = Order.name

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("List at most this many rooms.", valueName: "N"))
    var limit: Int?

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard (self.limit ?? 1) > 0 else { throw ValidationError("--limit has to be 1 or more.") }
        let ofStored = (self.empty ? ["--empty"] : []) + (self.sort.isOfStored ? ["--sort \(self.sort.rawValue)"] : [])
        guard self.stored || ofStored.isEmpty else {
            throw ValidationError(
                "\(ofStored.joined(separator: " and ")) \(ofStored.count == 1 ? "goes" : "go") with --stored."
            )
        }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let channel = self.channel.channel
        if self.stored {
            try await self.show(.storedRooms(of: channel, prefix: self.prefix), client, output) {
                StoredRoomTable.table($0, in: output.timeZone)
            } isShown: {
                !self.empty || $0.members == 0
            } isBefore: {
                self.sort.isBefore($0, $1)
            }
        } else {
            let list = AdminList.rooms(of: channel, prefix: self.prefix)
            try await self.show(list, client, output, as: RoomTables.list) { _ in
                true
            } isBefore: {
                $0.members > $1.members
            }
        }
    }

    /// By name, a list is written while it arrives; in another order, when all of it is there.
    private func show<Document: AdminDocument>(
        _ list: AdminList<Document>,
        _ client: AdminSession,
        _ output: AdminOutput,
        as table: ([Document]) -> Table,
        isShown: (Document) -> Bool,
        isBefore: (Document, Document) -> Bool
    ) async throws {
        var rooms: [(document: Document, json: ByteBuffer)] = []
        let isWritten = output.isJSON && self.sort == .name && self.limit == nil
        try await client.forEach(list, limit: self.sort == .name && !self.empty ? self.limit : nil) {
            let room = try Document(json: $0)
            guard isShown(room) else { return }
            if isWritten { return try output.write($0) }
            rooms.append((room, $0))
        }
        if self.sort != .name { rooms.sort { isBefore($0.document, $1.document) } }
        rooms = Array(rooms.prefix(self.limit ?? .max))
        guard output.isJSON else { return try output.write(table(rooms.map(\.document))) }
        for room in rooms { try output.write(room.json) }
    }
}

extension RoomList.Order {
    /// Moments of the API are compared as the texts that they are.
    func isBefore(_ left: AdminStoredRoom, _ right: AdminStoredRoom) -> Bool {
        switch self {
        case .name: left.name < right.name
        case .members: left.members > right.members
        case .messages: left.messages > right.messages
        case .bytes: left.bytes > right.bytes
        // One without messages is last.
        case .oldest: (left.oldest?.rawValue ?? "~") < (right.oldest?.rawValue ?? "~")
        case .newest: (left.newest?.rawValue ?? "") > (right.newest?.rawValue ?? "")
        }
    }
}
