import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// One process of the built broker, from its start to its end.
final class BrokerRun: Sendable {
    let ports: BrokerPorts
    private let process: Process
    private let leash: BrokerLeash
    private let ended: EventLoopFuture<Int32>
    private let record: NIOLockedValueBox<BrokerLog.Record>

    private init(
        ports: BrokerPorts,
        process: Process,
        leash: BrokerLeash,
        ended: EventLoopFuture<Int32>,
        record: NIOLockedValueBox<BrokerLog.Record>
    ) {
        self.ports = ports
        self.process = process
        self.leash = leash
        self.ended = ended
        self.record = record
    }

    var log: BrokerLog.Record { self.record.withLockedValue(\.self) }

    /// Starts a broker and waits until it listens.
    ///
    /// - Parameter ports: 0 lets the system pick one.
    static func start(data: URL, ports: BrokerPorts, flags: [String]) async throws -> BrokerRun {
        let http = ports.http.map { "127.0.0.1:\($0)" } ?? "off"
        let process = try Self.process(
            ["serve", "--tcp", "127.0.0.1:\(ports.tcp)", "--http", http, "--data", data.path, "--log-format", "json"]
                + flags
        )
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (record, listening) = (NIOLockedValueBox(BrokerLog.Record()), loop.makePromise(of: BrokerPorts.self))
        let ended: EventLoopFuture<Int32>
        do {
            ended = try await Self.launch(process, on: loop) { BrokerLog(record: record, listening: listening) }
        } catch {
            listening.fail(error)
            throw error
        }
        do {
            let leash = try BrokerLeash(over: process.processIdentifier)
            ended.whenComplete { _ in leash.dismiss() }
            let ports = try await Patience.wait(for: listening, "the broker to listen") {
                record.withLockedValue(\.tail)
            }
            return BrokerRun(ports: ports, process: process, leash: leash, ended: ended, record: record)
        } catch {
            // Whatever becomes of a test, no process outlives it.
            Self.signal(process, SIGKILL)
            _ = try await ended.get()
            throw error
        }
    }

    private static func process(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = try BrokerBinary.locate()
        process.arguments = arguments
        // An environment of ours only: a variable of the shell must not decide about a test.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ROOMLINE_") }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        return process
    }

    /// Starts the process with its stderr read by an event loop.
    ///
    /// - Returns: its exit code, or the signal that ended it, once its log is read to the end.
    private static func launch(
        _ process: Process,
        on loop: any EventLoop,
        log: @escaping @Sendable () -> BrokerLog
    ) async throws -> EventLoopFuture<Int32> {
        let pipe = Pipe()
        process.standardError = pipe
        // The end of a pipe that a channel owns must be closed by nobody else.
        let descriptor = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw BrokerFailure(reason: "no descriptor: error \(errno)", log: []) }
        let channel = try await NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(log()) }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .get()
        let exit = loop.makePromise(of: Int32.self)
        process.terminationHandler = { exit.succeed($0.terminationStatus) }
        do {
            try process.run()
        } catch {
            exit.fail(error)
            throw error
        }
        // Only the child writes: with its end comes the end of the log.
        try pipe.fileHandleForWriting.close()
        try pipe.fileHandleForReading.close()
        return exit.futureResult.flatMap { code in channel.closeFuture.map { code } }
    }

    /// Sends the signal and waits for the end of the process.
    ///
    /// - Returns: its exit code, or the signal that ended it.
    @discardableResult
    func end(by signal: Int32) async throws -> Int32 {
        Self.signal(self.process, signal)
        return try await self.ended.get()
    }

    private static func signal(_ process: Process, _ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }
}
