import RoomClient

/// Measures the client SDK against a running broker: what one client takes in, and what it publishes.
///
///     roomline serve --tcp 127.0.0.1:7000 --data /tmp/bench --channel bench,history=300000 &
///     swift run -c release ClientBenchmark receive tcp://127.0.0.1:7000
///
/// The figures per CPU second are this process's own, the broker's and the burst publisher's are not in them.
@main
enum ClientBenchmark {
    static let channel = "bench"

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 2, let url = arguments.dropFirst().first else { return Self.printUsage() }
        switch arguments.first {
        case "receive": try await ReceiveBenchmark(url: url).run()
        case "publish": try await PublishBenchmark(url: url).run()
        case "burst": try BurstPublisher(url: url).run()
        default: Self.printUsage()
        }
    }

    private static func printUsage() {
        print("usage: ClientBenchmark receive|publish tcp://127.0.0.1:PORT")
    }
}
