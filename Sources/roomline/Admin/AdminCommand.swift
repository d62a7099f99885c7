import ArgumentParser

/// A command that asks the admin API of one broker, shows what it says and ends.
protocol AdminCommand: AsyncParsableCommand {
    var admin: AdminOptions { get }

    /// What the command does.
    ///
    /// - Throws: `CommandFailure`; `StandardOutput.Closed` where nobody reads any more.
    func run(_ client: AdminClient, _ output: AdminOutput) async throws
}

extension AdminCommand {
    func run() async throws {
        try await CommandFailure.reporting {
            let address = try self.admin.address()
            let token = try self.admin.token(for: address)
            let output = AdminOutput(isJSON: self.admin.json)
            let trust = try self.admin.trusted()
            try await AdminClient.with(address, token: token, trusting: trust) { try await self.run($0, output) }
        }
    }
}
