import RoomClient
import RoomModel
import RoomWire

/// Why a workload has no figures.
package struct BenchFailure: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Nobody answers, or nobody answers any more.
        case unavailable
        /// The broker does not let the generator do it, or this machine does not.
        case refused
    }

    package let kind: Kind
    package let text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    static let lost = BenchFailure(.unavailable, "the broker closed a connection without a word")
    static let surplus = BenchFailure(.refused, "more messages arrived than were published")
    static let noFrame = BenchFailure(.refused, "what answers there does not speak the protocol of Roomline")

    static func silent(_ seconds: Int) -> BenchFailure {
        BenchFailure(.unavailable, "the broker has not answered for \(seconds) seconds")
    }

    /// The step in which the generator failed.
    enum Step: Equatable {
        case connecting, measuring
    }
}

/// The broker's refusals, and advice for each: the defaults of a broker protect it from one client that takes all,
/// which is just what a generator is.
extension BenchFailure {
    /// - Parameter code: of the protocol's table.
    init(code: String, text: String, in step: Step) {
        let advice = RoomModel.Code(rawValue: code).flatMap { Self.advice($0, step) }.map { "; \($0)" } ?? ""
        self.init(.refused, "the broker refused: \(text) (\(code))\(advice)")
    }

    init(_ error: ReplyError, in step: Step) {
        self.init(code: error.code, text: error.text, in: step)
    }

    init(_ goodbye: Goodbye, in step: Step) {
        let isEnd = goodbye.code == RoomModel.Code.shuttingDown.rawValue
        if isEnd {
            self.init(.unavailable, "the broker is shutting down")
        } else {
            self.init(code: goodbye.code, text: goodbye.reason, in: step)
        }
    }

    /// A server that gave no WebSocket.
    init(_ refusal: UpgradeRefusal) {
        let advice = RoomModel.Code(rawValue: refusal.code.rawValue).flatMap { Self.advice($0, .connecting) }
        self.init(.refused, refusal.text + (advice.map { "; \($0)" } ?? ""))
    }

    private static func advice(_ code: RoomModel.Code, _ step: Step) -> String? {
        switch (code, step) {
        case (.rateLimited, .connecting):
            "start it with --connection-rate unlimited and --new-room-rate unlimited"
        case (.rateLimited, .measuring):
            "start it with --publish-rate unlimited, or lift the limits of the channel: --limit publish_rate=none"
        case (.tooManyConnections, _):
            "start it with --max-connections-per-ip unlimited and --max-connections unlimited, or give fewer --members"
        case (.tooManyMembers, _): "lift the limit of the channel: --limit members_per_room=none; or give more --rooms"
        case (.tooManyRooms, _): "start it with a larger --memory-total, or give fewer --rooms"
        case (.tooManyStoredRooms, _): "start it with --max-stored-rooms unlimited"
        case (.messageTooLarge, _), (.lineTooLong, _): "start it with a larger --max-message and --max-line"
        case (.unknownChannel, _): "start it with --channel bench,history=off and give --channel bench"
        case (.authenticationRequired, _): "give --token-file, or --channel with one that needs no token"
        case (.slowConsumer, _): "the generator read too slowly: give fewer --members or a smaller --burst"
        default: nil
        }
    }
}
