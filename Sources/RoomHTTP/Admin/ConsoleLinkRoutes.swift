import NIOHTTP1
import RoomControl
import RoomCore
import RoomDocuments
import RoomModel

/// The parts that make links to the console.
package struct ConsoleLinks: Sendable {
    let sessions: ConsoleSessions
    /// The URL of the console; `nil` while nothing listens.
    let address: @Sendable () -> String?

    package init(sessions: ConsoleSessions, address: @escaping @Sendable () -> String?) {
        self.sessions = sessions
        self.address = address
    }
}

/// Links to the console.
struct ConsoleLinkRoutes: AdminRoutes {
    let console: ConsoleLinks?
    let clock: @Sendable () -> Int64

    func add(to router: inout AdminRouter) {
        router.on(.POST, "console-links", scope: .manage, self.makeConsoleLink)
    }

    @Sendable private func makeConsoleLink(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        guard let links = self.console, let address = links.address() else {
            throw Problem(
                .conflict,
                .consoleOff,
                "this broker serves no pages: start it with --http and --pages on"
            )
        }
        guard let uid = call.caller.uid, call.caller.origin == "unix" else {
            throw Problem(
                .forbidden,
                Code.permissionDenied,
                "a link is made on the Unix socket only; with a token, sign in at \(address)"
            )
        }
        // behind the #, where no server, proxy or log of them sees it
        let link = "\(address)#code=\(links.sessions.makeLink(for: .user(uid: uid)))"
        var document = AdminConsoleLink(placeholder: ())
        document.url = link
        document.expiresAt = AdminTime(milliseconds: self.clock() + links.sessions.linkSeconds * 1_000)
        return .document(document, status: .created)
    }
}

extension AdminCaller {
    /// The uid of a user of the Unix socket.
    fileprivate var uid: UInt32? {
        self.actor.hasPrefix("uid:") ? UInt32(self.actor.dropFirst(4)) : nil
    }
}
