import Foundation
import RoomClient

/// Owns the terminal and the rooms of a ``FullScreenChat``: brings it what happens, and does what it orders.
actor FullScreenSession {
    /// Work that takes a while.
    enum Work: Sendable {
        case join(String)
        case leave(Room<JSON>)
        case loadOlder(Room<JSON>, upTo: RoomPosition, count: Int)
        case settle(Pending<PublishReceipt>, room: String, ticket: Int)
        case change(MemberProfile)
        case moderate(ModeratorInput, Room<JSON>)
        /// To know whether ESC was a key: it was if nothing has been read since.
        case awaitKey(reads: Int)
    }

    typealias Tasks = (stream: AsyncStream<Work>, continuation: AsyncStream<Work>.Continuation)

    nonisolated let client: RoomClient
    /// Done at the same time.
    nonisolated let tasks: Tasks = AsyncStream.makeStream()
    /// Done one after the other.
    nonisolated let turns: Tasks = AsyncStream.makeStream()
    nonisolated let joined: (stream: AsyncStream<Room<JSON>>, continuation: AsyncStream<Room<JSON>>.Continuation) =
        AsyncStream.makeStream()
    /// Several changes are drawn at once.
    nonisolated let drawings: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation) =
        AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    private nonisolated let endings:
        (stream: AsyncStream<ChatEnding>, continuation: AsyncStream<ChatEnding>.Continuation) =
            AsyncStream.makeStream()

    private let output = StandardOutput.output
    private var chat: FullScreenChat
    private var painter: ScreenPainter
    private var decoder = KeyDecoder()
    private var reads = 0
    private var rings = false
    private var rooms: [String: Room<JSON>] = [:]
    private var isClosed = false

    init(client: RoomClient, chat: FullScreenChat, palette: Palette) {
        self.client = client
        self.chat = chat
        self.painter = ScreenPainter(palette: palette)
    }

    /// Changes the state, does what it orders, and has it drawn.
    private func apply(_ change: (inout FullScreenChat, ChatTime) -> [ChatAction]) {
        for action in change(&self.chat, .now) { self.perform(action) }
        self.drawings.continuation.yield()
    }

    /// The same, where nothing is ordered.
    private func update(_ change: (inout FullScreenChat, ChatTime) -> Void) {
        change(&self.chat, .now)
        self.drawings.continuation.yield()
    }

    private func perform(_ action: ChatAction) {
        switch action {
        case .publish(let text, let room, let ticket): self.publish(text, room, ticket)
        case .tellTyping(let room): self.rooms[room]?.typing()
        case .join(let room): self.tasks.continuation.yield(.join(room))
        case .leave(let room):
            if let room = self.rooms.removeValue(forKey: room) { self.tasks.continuation.yield(.leave(room)) }
        case .loadOlder(let room, let position, let count):
            guard let room = self.rooms[room] else { return }
            self.tasks.continuation.yield(.loadOlder(room, upTo: position, count: count))
        case .change(let profile): self.turns.continuation.yield(.change(profile))
        case .moderate(let input):
            if let room = self.rooms[input.room] {
                self.turns.continuation.yield(.moderate(input, room))
            } else {
                self.update { $0.done(input, ["you are not in this room"], $1) }
            }
        case .reconnect: self.client.reconnect()
        case .ring: self.rings = true
        case .repaint: self.painter.forget()
        case .suspend: self.suspend()
        case .end: self.end(.left)
        }
    }

    private func publish(_ text: String, _ room: String, _ ticket: Int) {
        // A text is always JSON.
        guard let json = try? JSON(encoding: text) else { return }
        let pending = self.client.startPublishing(json, to: room)
        self.tasks.continuation.yield(.settle(pending, room: room, ticket: ticket))
    }

    /// With the room that is joined, and the others that are to be.
    func begin(in room: Room<JSON>) {
        self.joined(room)
        for other in self.chat.rooms where other.name != room.name { self.tasks.continuation.yield(.join(other.name)) }
    }

    // MARK: Work that takes a while

    nonisolated func run(_ task: Work) async {
        switch task {
        case .join(let name): await self.join(name)
        case .leave(let room): await room.leave()
        case .loadOlder(let room, let position, let count): await self.loadOlder(room, position, count)
        case .settle(let pending, let room, let ticket):
            do throws(RoomClientError) {
                let id = try await pending.value().id
                await self.apply { chat, _ in chat.acknowledged(room, ticket: ticket, id: id) }
            } catch {
                guard error.code != .cancelled else { return }
                // What waits for a connection that never comes is lost, and not refused.
                if await self.client.isOver { return }
                let reason = error.shown
                await self.apply { chat, now in chat.refused(room, ticket: ticket, reason, now) }
            }
        case .change(let profile):
            do throws(RoomClientError) {
                try await self.client.update(profile)
                await self.update { $0.changed(profile, $1) }
            } catch {
                let reason = error.shown
                await self.update { $0.refused(profile, reason, $1) }
            }
        case .moderate(let input, let room):
            let outcome = await input.outcome(in: room)
            await self.update { chat, now in
                switch outcome {
                case .done(let notes): chat.done(input, notes, now)
                case .asks(let question): chat.asked(question, of: input, now)
                }
            }
        case .awaitKey(let reads):
            try? await Task.sleep(for: .milliseconds(50))
            await self.keyAwaited(reads)
        }
    }

    private nonisolated func join(_ name: String) async {
        do throws(RoomClientError) {
            await self.joined(try await self.client.join(name))
        } catch {
            guard error.code != .cancelled else { return }
            let reason = error.shown
            await self.update { chat, now in chat.ended(name, reason, now) }
        }
    }

    func joined(_ room: Room<JSON>) {
        self.rooms[room.name] = room
        self.joined.continuation.yield(room)
        self.apply { chat, _ in chat.joined(room.name, at: room.position, showsMembers: room.showsMembers) }
    }

    private nonisolated func loadOlder(_ room: Room<JSON>, _ position: RoomPosition, _ count: Int) async {
        let name = room.name
        do throws(RoomClientError) {
            let messages = try await room.newest(count, upTo: position)
            let items = messages.map { (message: ChatEntry.Message($0), date: $0.time) }
            await self.update { chat, _ in chat.loaded(name, items, asked: count) }
        } catch {
            guard error.code != .cancelled else { return }
            let (isOff, reason) = (error.code == .historyOff, error.shown)
            await self.update { chat, now in chat.notLoaded(name, upTo: position, isOff: isOff, reason, now) }
        }
    }

    // MARK: Events

    nonisolated func follow(_ room: Room<JSON>) async {
        for await event in room.events { await self.happened(event, room) }
        guard let error = room.endError else { return }
        await self.ended(room, error)
    }

    private func happened(_ event: RoomEvent<JSON>, _ room: Room<JSON>) {
        guard let news = RoomNews(event, memberCount: room.memberCount, timeZone: self.chat.timeZone) else { return }
        self.apply { $0.happened(news, in: room.name, $1) }
    }

    private func ended(_ room: Room<JSON>, _ error: RoomClientError) {
        self.rooms[room.name] = nil
        let isRemoval = [.kicked, .permissionDenied].contains(error.code)
        let reason = isRemoval ? "you were \(error.message)" : error.shown
        self.update { chat, now in chat.ended(room.name, reason, now) }
    }

    func happened(_ event: ClientEvent) {
        self.update { chat, now in chat.happened(event, now) }
    }

    func connectionChanged(to state: ConnectionState) {
        self.update { chat, now in chat.connectionChanged(to: state, now) }
        if case .closed(let error?) = state {
            self.end(.failed(CommandFailure(over: error)))
        }
    }

    func tick() {
        self.apply { $0.ticked($1) }
    }

    func typed(_ bytes: [UInt8]) {
        self.reads += 1
        self.press(self.decoder.decode(bytes))
        if self.decoder.isAfterEscape { self.tasks.continuation.yield(.awaitKey(reads: self.reads)) }
    }

    private func keyAwaited(_ reads: Int) {
        if reads == self.reads { self.press(self.decoder.pauseElapsed()) }
    }

    private func press(_ keys: [Key]) {
        for key in keys { self.apply { $0.pressed(key, $1) } }
    }

    func signaled(_ number: Int32) {
        switch number {
        case SIGWINCH: self.resize()
        case SIGCONT: self.resume()
        case SIGTSTP: self.suspend()
        case SIGINT: self.apply { chat, _ in chat.leave() }
        default: self.end(.left)
        }
    }

    // MARK: The terminal

    func draw() {
        guard !self.isClosed else { return }
        var text = self.painter.paint(FullScreenView(self.chat).frame())
        if self.rings { text += "\u{07}" }
        self.rings = false
        guard !text.isEmpty else { return }
        do throws(StandardOutput.Closed) {
            try self.output.write(text)
        } catch {
            self.end(
                error.isGone ? .left : .failed(CommandFailure(code: .refused, text: "the output cannot be written to"))
            )
        }
    }

    func resize() {
        let size = TerminalSize.current
        self.painter.forget()
        self.update { chat, _ in chat.resized(FullScreenChat.Size(columns: size.columns, rows: size.rows)) }
    }

    /// Gives the terminal back to the shell, until it says go on.
    private func suspend() {
        RawMode.leave()
        raise(SIGSTOP)
        self.resume()
    }

    /// Whoever had the terminal meanwhile may have changed it.
    private func resume() {
        guard !self.isClosed else { return }
        RawMode.enter()
        self.resize()
    }

    // MARK: The end

    func end(_ ending: ChatEnding) {
        self.endings.continuation.yield(ending)
    }

    /// Waits for the end.
    nonisolated func ending() async -> ChatEnding {
        for await ending in self.endings.stream { return ending }
        return .left
    }

    /// Gives the terminal back.
    ///
    /// - Returns: the messages that are not acknowledged, and what stands on the prompt.
    func close() -> (unsent: UnsentMessages, draft: String) {
        self.isClosed = true
        RawMode.leave()
        return (self.chat.unsent, self.chat.editor.text)
    }
}
