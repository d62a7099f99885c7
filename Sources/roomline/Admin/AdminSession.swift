import NIOCore
import RoomAdmin

/// The admin client of one command: what the broker refuses, it says for people, with what to do about it.
struct AdminSession: Sendable {
    let client: AdminClient

    var address: AdminAddress { self.client.address }

    /// Lends a session to `body` and closes its connections then.
    ///
    /// - Parameter trust: a PEM file of what an `https` address has to be certified by; `nil`: the system decides.
    static func with<Value>(
        _ address: AdminAddress,
        token: String?,
        trust: String?,
        _ body: (AdminSession) async throws -> Value
    ) async throws -> Value {
        let client: AdminClient
        do throws(AdminError) {
            client = try AdminClient(address, token: token, trustedCertificates: trust)
        } catch {
            throw CommandFailure(code: .usage, text: "--trust \(error.message)")
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(AdminSession(client: client)))
        } catch {
            result = .failure(error)
        }
        await client.close()
        return try result.get()
    }

    /// - Throws: `CommandFailure` where no broker answers, and for every refusal.
    @discardableResult
    func send<Answer>(_ call: AdminCall<Answer>) async throws(CommandFailure) -> Answer {
        try await self.answer(to: call).read()
    }

    /// - Throws: `CommandFailure` where no broker answers, and for every refusal.
    func answer<Answer>(to call: AdminCall<Answer>) async throws(CommandFailure) -> AdminAnswer<Answer> {
        do throws(AdminError) {
            return try await self.client.answer(to: call)
        } catch {
            throw await self.failure(error, of: call.request)
        }
    }

    /// Fetches a file of a backup, piece by piece.
    func fetch(
        _ file: AdminBackup.File,
        of backup: AdminBackup,
        _ take: (ByteBuffer) async throws -> Void
    ) async throws {
        do {
            try await self.client.fetch(file, of: backup, pieces: take)
        } catch let error as AdminError {
            let request = AdminRequest(.get, ["backups", backup.id, file.name])
            throw await self.failure(error, of: request)
        }
    }

    /// What the broker says of itself to a load balancer.
    func health() async throws(CommandFailure) -> AdminResponse {
        do throws(AdminError) {
            return try await self.client.health()
        } catch {
            throw CommandFailure(error, from: self.address)
        }
    }

    /// The answer, also where it is a refusal.
    func exchange(_ request: AdminRequest) async throws(CommandFailure) -> AdminResponse {
        do throws(AdminError) {
            return try await self.client.exchange(request)
        } catch {
            throw CommandFailure(error, from: self.address)
        }
    }
}

extension AdminAnswer {
    /// The value, for people who can look at the JSON where it is none.
    func read() throws(CommandFailure) -> Value {
        do throws(AdminError) {
            return try self.value()
        } catch {
            throw CommandFailure(error)
        }
    }
}
