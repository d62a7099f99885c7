import NIOConcurrencyHelpers
package import RoomCore
import RoomCrypto
import RoomModel

/// The tokens that let somebody into the admin API over TCP. The administrator who makes one is shown it; here and on
/// the disk is only its hash.
package final class AdminTokens: Sendable {
    /// The prefix of every token, so that one that turns up where it should not is recognised.
    package static let prefix = "rla_"

    private let directory: any AdminDirectory
    private let clock: @Sendable () -> Int64
    private let random: @Sendable () -> String
    private let disk = Blocking(label: "roomline.admin-tokens")
    /// Not in the queue of those who wait until all nodes of a cluster have made a change.
    private let reading = Blocking(label: "roomline.admin-tokens.reading")
    private let known: NIOLockedValueBox<[StoredAdminToken]>

    /// - Parameters:
    ///   - clock: Unix milliseconds.
    ///   - random: 256 random bits in base64url.
    package init(
        directory: any AdminDirectory,
        clock: @escaping @Sendable () -> Int64,
        random: @escaping @Sendable () -> String
    ) throws(ChannelDirectoryError) {
        self.directory = directory
        self.clock = clock
        self.random = random
        self.known = NIOLockedValueBox(try directory.adminTokens())
    }

    /// By name, also those that have expired.
    package var all: [StoredAdminToken] { self.known.withLockedValue(\.self) }

    /// The token that this text is, also where it has expired. How long the search takes tells nothing about the texts.
    package func token(_ text: String) -> StoredAdminToken? {
        let digest = SHA256.hash(Array(text.utf8))
        return self.all.reduce(nil) { found, token in digest == SHA256Digest(bytes: token.hash) ? token : found }
    }

    package func hasExpired(_ token: StoredAdminToken) -> Bool { token.expires.map { $0 <= self.clock() } ?? false }

    /// - Returns: the token as it is stored, and its text, which nobody can ask for again.
    package func create(
        name: String,
        scopes: Set<AdminScope>,
        lasting: Duration?,
        by caller: AdminCaller
    ) async throws(ControlError) -> (StoredAdminToken, String) {
        let text = Self.prefix + self.random()
        let now = self.clock()
        let token = StoredAdminToken(
            name: name,
            hash: SHA256.hash(Array(text.utf8)).bytes,
            scopes: scopes,
            created: now,
            expires: lasting.map { now + $0.components.seconds * 1_000 }
        )
        let words = AdminScope.allCases.filter(scopes.contains).map { "\"\($0.rawValue)\"" }.joined(separator: ",")
        let entry = caller.entry(.createToken, name, "{\"scopes\":[\(words)]}", time: now)
        try await self.store { directory throws(ChannelDirectoryError) in try directory.add(token, entry) }
        return (token, text)
    }

    package func remove(name: String, by caller: AdminCaller) async throws(ControlError) {
        let entry = caller.entry(.deleteToken, name, time: self.clock())
        try await self.store { directory throws(ChannelDirectoryError) in
            try directory.removeAdminToken(name: name, entry)
        }
    }

    /// Another node has changed them.
    package func reload() async {
        // those until now hold on where the file cannot be read
        guard let tokens = try? await self.reading.run(self.directory.adminTokens) else { return }
        self.known.withLockedValue { $0 = tokens }
    }

    private func store(
        _ call: @escaping @Sendable (any AdminDirectory) throws(ChannelDirectoryError) -> Void
    ) async throws(ControlError) {
        do throws(ChannelDirectoryError) {
            try await self.disk.run { () throws(ChannelDirectoryError) in
                try call(self.directory)
                let tokens = try self.directory.adminTokens()
                self.known.withLockedValue { $0 = tokens }
            }
        } catch {
            throw ControlError(error, exists: .tokenExists, notFound: .unknownToken)
        }
    }
}

extension AdminScope {
    /// `manage` includes `moderate`, which includes `read`.
    private var rank: Int {
        switch self {
        case .read: 0
        case .moderate: 1
        case .manage: 2
        }
    }

    package func includes(_ other: AdminScope) -> Bool { self.rank >= other.rank }
}
