@testable import RoomClient

/// What this throws; `nil` where it throws nothing.
nonisolated(nonsending)
    func failure<Value>(of body: () async throws -> Value) async -> RoomClientError?
{
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? RoomClientError
    }
}

extension RoomClient {
    /// How many calls wait for the present attempt to connect.
    func connectCalls() async -> Int {
        await withCheckedContinuation { waiter in
            self.core.post { waiter.resume(returning: $0.connecting.count) }
        }
    }

    /// The present state in short.
    func state() async -> String {
        var states = self.connectionState.makeAsyncIterator()
        return await states.next()?.name ?? "none"
    }
}

extension ConnectionState {
    /// The state in short: `waiting connection_lost`.
    var name: String {
        switch self {
        case .idle: "idle"
        case .connecting: "connecting"
        case .connected(let clientID): "connected \(clientID)"
        case .waiting(_, let error): "waiting \(error.code)"
        case .closed(.none): "closed"
        case .closed(.some(let error)): "closed \(error.code)"
        }
    }

    var pause: Duration? {
        if case .waiting(let pause, _) = self { pause } else { nil }
    }
}

extension Room where Body == JSON {
    /// The next events in short; see ``IncomingEvent/summary``.
    func readEvents(_ count: Int = .max) async -> [String] {
        var read: [String] = []
        var events = self.events.makeAsyncIterator()
        while read.count < count, let event = await events.next() { read.append(event.summary) }
        return read
    }

    /// The next messages, `*` before those of the history.
    func readMessages(_ count: Int = .max) async -> [String] {
        var read: [String] = []
        var messages = self.messages.makeAsyncIterator()
        while read.count < count, let message = await messages.next() {
            read.append((message.isHistory ? "*" : "") + (message.isRedacted ? "x" : "") + message.json.description)
        }
        return read
    }
}

extension RoomEvent {
    fileprivate var summary: String {
        switch self {
        case .message(let message): (message.isRedacted ? "x" : "") + message.json.description
        case .signal(.typing(let isTyping), let message): "\(message.member?.id ?? "?") typing \(isTyping)"
        case .signal(.read(let position), let message): "\(message.member?.id ?? "?") read \(position.seq)"
        case .members(let members): "members \(members.map(\.id).joined(separator: " "))"
        case .joined(let member): "+\(member.id)"
        case .left(let member): "-\(member.id)"
        case .updated(let member): "=\(member.id)"
        case .gap(let gap): "gap \(gap.seqs.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "?") \(gap.reason)"
        case .redacted(let redaction): "\(redaction.position.seq) takes \(redaction.messageSeq)"
        case .cleared(let position, _): "cleared \(UInt64(position.epoch, radix: 16) ?? 0) \(position.seq)"
        case .notice(let notice): "* \(notice.text) \(notice.code?.rawValue ?? "")"
        case .muteChanged(let mute?): "muted \(mute.reason ?? "")"
        case .muteChanged(nil): "unmuted"
        }
    }
}
