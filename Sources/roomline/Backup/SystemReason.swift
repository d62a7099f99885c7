import Foundation

/// What the system says of a file, without the frames that Foundation puts around it.
enum SystemReason {
    static func text(_ error: any Error) -> String {
        guard let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error,
            let code = (cause as? POSIXError)?.code.rawValue ?? Int32(exactly: (cause as NSError).code)
        else { return "\(error)" }
        return String(cString: strerror(code))
    }
}
