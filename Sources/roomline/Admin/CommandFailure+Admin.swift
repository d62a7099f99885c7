import Foundation
import NIOCore
import NIOPosix
import RoomAdmin
import RoomClient

extension CommandFailure {
    /// Tells what the admin API has refused, and what to do about it.
    ///
    /// - Parameters:
    ///   - nearest: what may have been meant.
    ///   - channel: that the request was about.
    init(refusal: AdminError, nearest: String? = nil, channel: String? = nil) {
        let hint = nearest.map { "did you mean \($0)?" } ?? Self.hint(refusal, channel ?? "default")
        self.init(code: .refused, text: hint.map { "\(refusal.message); \($0)" } ?? refusal.message)
    }

    private static func hint(_ refusal: AdminError, _ channel: String) -> String? {
        let option = ChannelOption.option(channel)
        return switch (refusal.code.rawValue, refusal.status) {
        case ("authentication_required", _), ("token_invalid", _), ("token_expired", _):
            "give an admin token with --token-file FILE, or in ROOMLINE_TOKEN\(self.contextHint)"
        case ("permission_denied", _): "use a token that has it, or the admin socket on the broker's machine"
        case ("unknown_channel", _): "\"roomline channel list\" lists the channels"
        case ("unknown_room", _):
            "\"roomline room list\(option)\" lists the rooms that have members, and with --stored those with a history"
        case ("unknown_member", _), ("member_not_found", _): "\"roomline member list ROOM\(option)\" lists the members"
        case ("message_not_found", _): "\"roomline history show ROOM\(option)\" lists the stored messages"
        case ("sanction_not_found", _):
            "\"roomline member bans\(option)\" and \"member mutes\(option)\" list the sanctions"
        case ("unknown_token", _): "\"roomline admin-token list\" lists the tokens"
        case ("room_not_empty", _): "\"roomline room clear ROOM\(option)\" removes its messages"
        case ("version_differs", _):
            "\"roomline channel show \(channel.shellQuoted)\" shows its version, for --if-version"
        case ("not_found", 404), ("unknown_field", _), ("method_not_allowed", _):
            "the broker may be of another version than this roomline"
        default: nil
        }
    }

    /// Where a context has no token, it could keep one.
    private static var contextHint: String {
        guard let active = ActiveContext.current, active.context.adminTokenFile == nil else { return "" }
        return
            "; \"roomline context add \(active.name) --replace\" with --admin-token-file FILE keeps one in the context"
    }

    /// What came in place of an answer of `address`.
    init(_ error: AdminError, from address: AdminAddress) {
        if error.code == .unexpectedAnswer {
            self.init(error)
        } else {
            self.init(asking: address, error.cause ?? error)
        }
    }

    /// An answer that is none, or one that the library did not expect.
    init(_ error: AdminError) {
        guard error.code == .unexpectedAnswer, error.status == nil else {
            self.init(code: .refused, text: error.message)
            return
        }
        self.init(
            code: .refused,
            text:
                "this roomline does not understand the broker's answer; they may be of different versions. --json shows it"
        )
    }

    /// Why nobody has answered at `address`.
    init(asking address: AdminAddress, _ error: any Error) {
        switch address {
        case .socket(let path): self.init(code: .unavailable, text: Self.reason(path, error))
        case .server(let server) where error is TLSFailure:
            let failure = error as? TLSFailure
            let hint = failure == .distrusted ? " \(Self.trustHint)" : ""
            self.init(
                code: .unavailable,
                text: "\(server.url) cannot be reached over TLS: \(failure?.reason ?? "")\(hint)"
            )
        case .server(let server):
            // Somebody took the connection, and gave no answer in HTTP.
            let mayBeTLS = !server.isEncrypted && !(error is NIOConnectionError || error is IOError)
            let hint =
                "check that a broker runs there with --http"
                + (mayBeTLS ? ", or the port speaks TLS: use \(server.url.replacing("http:", with: "https:"))" : "")
            self.init(code: .unavailable, text: "\(server.url) does not answer (\(ErrorReason.text(error))); \(hint)")
        }
    }

    /// Where else a broker may be.
    static func otherPlace(than path: String, isThere: (String) -> Bool) -> String {
        let packaged = "/var/lib/roomline"
        guard !path.hasPrefix(packaged + "/"), isThere(packaged) else {
            return "--data DIRECTORY or --socket PATH names another place"
        }
        return "--data \(packaged) names the place of a package's broker"
    }

    private static func reason(_ path: String, _ error: any Error) -> String {
        switch (error as? IOError)?.errnoCode {
        case ENOENT?:
            "no broker has its admin socket at \(path); \"roomline serve\" starts one, and "
                + Self.otherPlace(than: path, isThere: FileManager.default.fileExists)
        case ECONNREFUSED?:
            "the broker of \(path) does not run any more; \"roomline serve\" starts it again"
        case EACCES?, EPERM?:
            "you may not use \(path): run the command as the broker's user or as root (sudo), or use --server URL with "
                + "an admin token"
        case ENOTSOCK?, ENOTDIR?: "\(path) is not a socket; --data DIRECTORY or --socket PATH names another place"
        default:
            "\(path) does not answer (\(ErrorReason.text(error))); the broker may run as another user, or may be stopping"
        }
    }
}
