import ArgumentParser

/// A command that asks the admin API of one broker, shows what it says and ends.
protocol AdminCommand: AsyncParsableCommand {
    var admin: AdminOptions { get }

    /// Does the work of the command.
    ///
    /// - Throws: `CommandFailure`; `StandardOutput.Closed` where nobody reads any more.
    func run(_ client: AdminSession, _ output: AdminOutput) async throws
}

extension AdminCommand {
    func run() async throws {
        try await CommandFailure.reporting {
            let (options, active) = try self.admin.resolved()
            let address = try options.address()
            let token = try options.token(for: address)
            let output = AdminOutput(isJSON: options.json)
            try await ActiveContext.$current.withValue(active) {
                try await AdminSession.with(address, token: token, trust: options.trust) {
                    try await self.run($0, output)
                }
            }
        }
    }
}
