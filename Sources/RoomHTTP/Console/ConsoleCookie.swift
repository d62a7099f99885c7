import NIOHTTP1
import RoomModel

/// The cookie of the console's session. Cookies are for all ports of a host, so its name has the port: the consoles of two
/// brokers on one machine do not end each other's sessions.
struct ConsoleCookie {
    private let name: String

    /// - Parameter host: the `Host` header.
    init(host: String?) {
        let port = host.flatMap { HTTPAuthority($0)?.port }
        self.name = port.map { "roomline_console_\($0)" } ?? "roomline_console"
    }

    /// The cookie's value that the browser has kept; `nil`: none.
    func value(in headers: HTTPHeaders) -> String? {
        let start = "\(self.name)="
        for field in headers["Cookie"] {
            for part in field.split(separator: ";") {
                let cookie = part.drop { $0 == " " }
                if cookie.hasPrefix(start) { return String(cookie.dropFirst(start.count)) }
            }
        }
        return nil
    }

    /// For `Set-Cookie`. It lives as long as the browser, or shorter.
    func setting(_ value: String, isSecure: Bool) -> String {
        "\(self.name)=\(value); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    var removal: String { "\(self.name)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0" }
}
