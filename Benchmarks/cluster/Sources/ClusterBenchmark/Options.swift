/// `--name value` pairs behind the command.
struct Options {
    private var values: [String: String] = [:]

    init(_ arguments: some Sequence<String>) throws {
        var name: String?
        for argument in arguments {
            if let known = name {
                self.values[known] = argument
                name = nil
            } else if argument.hasPrefix("--") {
                name = String(argument.dropFirst(2))
            } else {
                throw NATSFailure(text: "unexpected \(argument)")
            }
        }
    }

    subscript(name: String) -> String? { self.values[name] }

    func number(_ name: String, _ fallback: Int) -> Int { self.values[name].flatMap { Int($0) } ?? fallback }

    var servers: [String] { (self["servers"] ?? "nats://127.0.0.1:4222").split(separator: ",").map(String.init) }

    var load: Load.Settings {
        Load.Settings(
            node: self.number("node", 0),
            rooms: self.number("rooms", 8),
            outstanding: self.number("outstanding", 4_096),
            rate: self.number("rate", 0),
            bytes: self.number("bytes", 200),
            isKeyed: self["keyed"] == "yes",
            hasPresence: self["presence"] == "yes"
        )
    }

    var node: Node.Settings {
        Node.Settings(
            index: self.number("node", 0),
            partitions: self.number("partitions", 1),
            prefix: self["prefix"] ?? "rl",
            window: self.number("window", 8),
            heartbeat: .milliseconds(self.number("heartbeat", 1_000)),
            hasDigest: self["digest"] == "yes",
            history: self["history"],
            load: self.load
        )
    }
}
