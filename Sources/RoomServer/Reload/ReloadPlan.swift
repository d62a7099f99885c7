/// The changes that a new configuration makes while the broker runs, and those that wait for a restart.
struct ReloadPlan: Equatable {
    /// The configuration that the broker runs with from now on.
    let configuration: ServerConfiguration
    /// The keys of the options that differ, but have no effect before a restart.
    let waiting: [String]

    init(from running: ServerConfiguration, to new: ServerConfiguration) {
        var next = running
        next.channels = new.channels
        next.process.logLevel = new.process.logLevel
        // TLS is turned on and off with the listeners; from one file to another it can go at any time.
        if running.listen.tls != nil, new.listen.tls != nil {
            next.listen.tlsCertificate = new.listen.tlsCertificate
            next.listen.tlsKey = new.listen.tlsKey
        }
        self.configuration = next
        self.waiting = Self.differences(next, new)
    }

    /// The keys of the options whose values differ.
    static func differences(_ one: ServerConfiguration, _ other: ServerConfiguration) -> [String] {
        OptionTable.options.filter { $0.text(in: one) != $0.text(in: other) }.map(\.key)
    }
}
