import Foundation
import NIOCore
import RoomCore
import RoomModel
import Synchronization

/// A prototype of a node whose rooms follow a log in NATS JetStream, and what it is measured against. `Benchmarks/cluster/run`
/// starts the servers and these processes, and tells them by lines what to do: `start`, `stop`, `digest`, `quit`.
@main
struct ClusterBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let options = try Options(arguments.dropFirst())
        switch arguments.first {
        case "streams": try Self.makeStreams(options)
        case "drop": try Self.dropStreams(options)
        case "node": try Self.runNode(options)
        case "replay": try Self.replay(options)
        case "embedded": try Self.runEmbedded(options)
        case "slow-mode": Self.slowMode()
        case "probe": try Self.probe(options)
        default: say("usage: ClusterBenchmark streams|drop|node|replay|embedded|probe|slow-mode [--option value …]")
        }
    }

    private static func makeStreams(_ options: Options) throws {
        let connection = try NATSConnection(servers: options.servers, name: "streams")
        let node = options.node
        for index in 0..<node.partitions {
            let name = "\(node.prefix.uppercased())_P\(index)"
            let json = """
                {"name":"\(name)","subjects":["\(node.prefix).p.\(index)"],"storage":"file","num_replicas":3,\
                "retention":"limits","discard":"old","allow_direct":true,"duplicate_window":100000000}
                """
            for attempt in 1...20 {
                let answer = connection.request(json, of: "$JS.API.STREAM.CREATE.\(name)", within: 5_000) ?? "no answer"
                if answer.contains("\"created\"") { break }
                say("stream \(name): \(answer)")
                guard attempt < 20 else { throw NATSFailure(text: "cannot make the streams") }
                sleep(1)
            }
        }
        say("ready")
    }

    private static func dropStreams(_ options: Options) throws {
        let connection = try NATSConnection(servers: options.servers, name: "streams")
        for index in 0..<options.node.partitions {
            let name = "\(options.node.prefix.uppercased())_P\(index)"
            _ = connection.request("", of: "$JS.API.STREAM.DELETE.\(name)", within: 5_000)
        }
    }

    private static func runNode(_ options: Options) throws {
        let connection = try NATSConnection(servers: options.servers, name: "node \(options.node.index)")
        let node = try Node(options.node, connection, incarnation: UInt64.random(in: 1...0xffff_ffff))
        node.run()
        say("ready")
        Self.obey { line in
            switch line {
            case "start": node.start()
            case "restart": node.restart()
            case "report": say("result \(node.report)")
            case "stop": say("result \(node.stop())")
            case "idle": Self.wait(node) { node.isIdle }
            case "caught-up": Self.wait(node) { node.pending == 0 }
            case "digest": say("digest \(node.digest)")
            default: say("unknown \(line)")
            }
        } tick: {
            node.tick()
        }
    }

    private static func wait(_ node: Node, until condition: () -> Bool) {
        while !condition() {
            usleep(2_000)
            node.tick()
        }
        say("done")
    }

    /// Follows from the start, as an empty node does: so many times, one after the other.
    private static func replay(_ options: Options) throws {
        for _ in 0..<options.number("times", 1) {
            let connection = try NATSConnection(servers: options.servers, name: "replay")
            var settings = options.node
            settings.index = 7
            let node = try Node(settings, connection, incarnation: UInt64.random(in: 1...0xffff_ffff))
            node.restart()
            node.run()
            Self.wait(node) { node.pending == 0 && node.hasWritten }
            say("result \(node.report)")
            say("digest \(node.digest)")
        }
    }

    /// More authors than slow mode remembers: it has to forget the same ones of one moment in every process.
    private static func slowMode() {
        let channel = BenchmarkChannel.make()
        let key = RoomKey(channel: channel.id, room: RoomName("slow"))
        let epoch = Epoch(rawValue: 1)
        let settings = channel.roomSettings(of: key.room, BrokerLimits())
        let hosted = HostedRoom(Room(key: key, settings: settings, epoch: epoch, limits: BrokerLimits()), epoch)
        var rules = RoomRules()
        rules.slowMode = 60
        _ = hosted.room.enqueue(.rules(rules))
        var (digest, time, refused) = (Digest(), PartitionTime(), 0)
        for turn in 0..<2 {
            time.advance(to: Int64(turn + 1) * 1_000_000_000)
            for author in 0..<11_000 {
                let id = ClientID(high: UInt64(author), low: 0)
                let publish = PublishCommand(
                    origin: Origin(connection: ConnectionRef(shard: 0, number: UInt64(author)), callback: 1),
                    sender: .member(id, clientData: nil),
                    message: ByteBuffer(string: "1"),
                    author: .client(id)
                )
                _ = hosted.room.enqueue(.publish(publish))
            }
            hosted.takeAll(time, seed: 1) { batch in
                digest.add(batch, frames: EncodedRoomBatch(batch, hosted.writer).frames)
                for answer in batch.answers { if case .refused = answer.content { refused += 1 } }
            }
        }
        say("slow-mode output=\(String(digest.value, radix: 16)) refused=\(refused)")
    }

    private static func runEmbedded(_ options: Options) throws {
        let node = try EmbeddedNode(options.load, directory: options["history"] ?? "/tmp/embedded")
        say("ready")
        Self.obey { line in
            switch line {
            case "start": node.start()
            case "restart": node.restart()
            case "stop": say("result \(node.stop())")
            default: say("unknown \(line)")
            }
        } tick: {
            node.tick()
        }
    }

    /// Appends by itself, one message after the other, and tells how long the stream took none: NATS without any of ours.
    private static func probe(_ options: Options) throws {
        let connection = try NATSConnection(servers: options.servers, name: "probe")
        say("ready")
        var latest = LoadMessage.now
        let subject = "\(options.node.prefix).p.0"
        while true {
            let answer = connection.request("probe", of: subject, within: 100)
            if answer?.contains("\"seq\"") ?? false {
                let now = LoadMessage.now
                if now - latest > 300_000_000 { say("pause at=\(now) ms=\((now - latest) / 1_000_000)") }
                latest = now
            }
            usleep(5_000)
        }
    }

    /// Does what the lines say, and ticks between them.
    private static func obey(_ line: @escaping (String) -> Void, tick: () -> Void) {
        let shared = SharedLines()
        Thread.detachNewThread {
            while let line = readLine() { shared.lines.withLock { $0.append(line) } }
            shared.lines.withLock { $0.append("quit") }
        }
        while true {
            for text in shared.lines.withLock({ lines in
                defer { lines = [] }
                return lines
            }) {
                if text == "quit" { return }
                line(text)
            }
            usleep(1_000)
            tick()
        }
    }
}

/// The lines of standard input that nobody has read.
private final class SharedLines: Sendable {
    let lines = Mutex<[String]>([])
}

/// Prints a line that the other side of a pipe gets at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
