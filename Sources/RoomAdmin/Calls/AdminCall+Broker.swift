public import Foundation
package import NIOCore
import RoomJSON

extension AdminCall where Answer == AdminStatistics {
    /// Connections, rooms, members and messages, in all and by channel.
    public static var statistics: Self { Self(document: AdminRequest(.get, ["statistics"])) }
}

extension AdminCall where Answer == AdminCluster {
    /// The nodes of the broker's cluster, and the streams that they follow. A broker that runs alone refuses it with `no_cluster`.
    public static var cluster: Self { Self(document: AdminRequest(.get, ["cluster"])) }
}

extension AdminCall where Answer == AdminFigureList {
    /// What the broker did in the last hour, in samples of every five seconds.
    ///
    /// - Parameter time: only those after this time, such as that of the last sample; `nil`: all.
    public static func figures(after time: Date? = nil) -> Self {
        let milliseconds = time.map { "\(Int64(($0.timeIntervalSince1970 * 1_000).rounded()))" }
        return Self(document: AdminRequest(.get, ["figures"], query: .given(("after", milliseconds))))
    }
}

extension AdminList where Element == AdminAuditEntry {
    /// The audit log, the newest entry first.
    ///
    /// - Parameters:
    ///   - action: only entries with this action, such as `channel.create`.
    ///   - actor: only changes by this author, such as `uid:0` or `token:ops`.
    public static func audit(action: String? = nil, actor: String? = nil) -> Self {
        let query: [(name: String, value: String)] = .given(("action", action), ("actor", actor))
        return Self(documents: "entries", AdminRequest(.get, ["audit"], query: query), cursor: "before")
    }
}

extension AdminCall where Answer == AdminTokenList {
    /// All admin tokens, without the tokens themselves.
    public static var tokens: Self { Self(document: AdminRequest(.get, ["tokens"])) }
}

extension AdminCall where Answer == AdminToken {
    /// Makes an admin token. Only this answer has the token itself.
    ///
    /// - Parameters:
    ///   - name: the name of the token.
    ///   - scopes: what its bearer may do; each includes those before it.
    ///   - duration: how long it is valid, in whole seconds; `nil`: until it is deleted.
    public static func createToken(
        _ name: String,
        scopes: [AdminToken.Scope],
        expiresIn duration: Duration? = nil
    ) -> Self {
        let new = NewAdminToken(name, scopes: scopes, for: duration)
        return Self(document: AdminRequest(.post, ["tokens"], body: new))
    }
}

extension AdminCall where Answer == Void {
    /// Deletes an admin token. It is refused from then on.
    public static func deleteToken(_ name: String) -> Self { Self(AdminRequest(.delete, ["tokens", name])) }

    /// Has the broker remove a backup. It does so by itself after a while.
    public static func deleteBackup(_ backup: AdminBackup) -> Self {
        Self(AdminRequest(.delete, ["backups", backup.id]))
    }
}

extension AdminCall where Answer == AdminConsoleLink {
    /// Makes a link that signs a browser in to the console. It works once, within a minute.
    public static var createConsoleLink: Self { Self(document: AdminRequest(.post, ["console-links"])) }
}

extension AdminCall where Answer == AdminBackup {
    /// Has the broker copy all its files, as of one moment, which may take long. ``AdminClient/fetch(_:of:_:)`` fetches them.
    public static var createBackup: Self {
        var request = AdminRequest(.post, ["backups"])
        request.timeout = .seconds(2 * 3_600)
        return Self(document: request)
    }
}

extension AdminClient {
    /// Fetches a file of a backup, piece by piece. Its length and its checksum are for the caller to compare.
    ///
    /// - Parameters:
    ///   - file: one of the files of the backup.
    ///   - backup: the backup.
    ///   - take: is given each piece once it has taken the one before.
    /// - Throws: ``AdminError``, and what `take` throws.
    public func fetch(
        _ file: AdminBackup.File,
        of backup: AdminBackup,
        _ take: (Data) async throws -> Void
    ) async throws {
        try await self.fetch(file, of: backup, pieces: { try await take(Data($0.readableBytesView)) })
    }

    package func fetch(
        _ file: AdminBackup.File,
        of backup: AdminBackup,
        pieces take: (ByteBuffer) async throws -> Void
    ) async throws {
        var request = AdminRequest(.get, ["backups", backup.id, file.name])
        request.timeout = .seconds(12 * 3_600)
        try await self.download(request, take)
    }

    /// Whether the broker listens, can store messages and is not draining. No token is needed.
    ///
    /// - Throws: ``AdminError`` when nobody answers.
    public func isReady() async throws(AdminError) -> Bool { try await self.health().status == 200 }

    /// What the broker says of itself to a load balancer.
    package func health() async throws(AdminError) -> AdminResponse {
        var request = AdminRequest(.get, ["health"])
        request.root = ""
        // who asks for a health check does not wait for a broker that hangs
        request.timeout = .seconds(5)
        return try await self.exchange(request)
    }
}
