import Foundation
import NIOCore
import NIOPosix

/// The reason of an error, in words for people: the texts of SwiftNIO, BoringSSL and `Codable` errors are dumps for
/// programmers.
package enum ErrorReason {
    package static func text(_ error: any Error) -> String {
        switch error {
        case let error as RoomClientError: error.message
        case let error as NIOConnectionError: Self.text(error)
        case let error as SocketAddressError.UnknownHost: error.errorDescription
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as ChannelError: Self.text(error)
        case let error as any ReasonedError: error.reason
        case let error as DecodingError: Self.text(error)
        case EncodingError.invalidValue(_, let context) as EncodingError:
            Self.text(context.debugDescription, context.codingPath)
        case is CancellationError: "the task was cancelled"
        default: Self.system(error) ?? (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
        }
    }

    /// Foundation wraps the errors of files in its own, whose texts are for its own developers.
    private static func system(_ error: any Error) -> String? {
        guard let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error else { return nil }
        if let cause = cause as? POSIXError { return String(cString: strerror(cause.code.rawValue)) }
        let system = cause as NSError
        return system.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(system.code))) : nil
    }

    /// Whether the name of a host is why there is no connection.
    static func isUnknownName(_ error: any Error) -> Bool {
        if let error = error as? any ReasonedError { return error.isUnknownName }
        guard let error = error as? NIOConnectionError else { return false }
        return error.connectionErrors.isEmpty && (error.dnsAError ?? error.dnsAAAAError) != nil
    }

    /// A name has several addresses, which mostly fail for the same reason.
    private static func text(_ error: NIOConnectionError) -> String {
        var reasons: [String] = []
        for reason in error.connectionErrors.map({ Self.text($0.error) }) where !reasons.contains(reason) {
            reasons.append(reason)
        }
        if !reasons.isEmpty { return reasons.joined(separator: ", ") }
        return (error.dnsAError ?? error.dnsAAAAError).map { Self.text($0) } ?? "the name has no address"
    }

    private static func text(_ error: ChannelError) -> String {
        switch error {
        case .connectTimeout(let time): "no answer within \(Duration.nanoseconds(time.nanoseconds))"
        case .eof, .inputClosed, .outputClosed, .alreadyClosed, .ioOnClosedChannel: "the connection ended"
        default: String(describing: error)
        }
    }

    /// The reason within a dump such as `[Error: … error:1000042e:SSL routines:OPENSSL_internal:BAD_SIGNATURE at …]`.
    static func words(in text: String) -> String {
        guard let start = text.range(of: "OPENSSL_internal:")?.upperBound else { return "TLS ended the connection" }
        return text[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }.lowercased()
            .replacingOccurrences(of: "_", with: " ")
    }

    private static func text(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            Self.text("the key \"\(key.stringValue)\" is missing", context.codingPath)
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            Self.text(context.debugDescription, context.codingPath)
        @unknown default: String(describing: error)
        }
    }

    private static func text(_ description: String, _ path: [any CodingKey]) -> String {
        let text = description.last == "." ? String(description.dropLast()) : description
        guard !path.isEmpty else { return text }
        return text + " (at " + path.map(\.stringValue).joined(separator: ".") + ")"
    }
}
