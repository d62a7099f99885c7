import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// One process of the built broker, from its start to its end.
final class BrokerRun: Sendable {
    let port: Int
    private let process: Process
    private let exit: EventLoopFuture<Int32>
    private let record: NIOLockedValueBox<BrokerLog.Record>

    private init(port: Int, process: Process, exit: EventLoopFuture<Int32>, record: NIOLockedValueBox<BrokerLog.Record>)
    {
        self.port = port
        self.process = process
        self.exit = exit
        self.record = record
    }

    var log: BrokerLog.Record { self.record.withLockedValue(\.self) }

    /// Starts a broker and waits until it listens.
    ///
    /// - Parameter port: 0 lets the system pick one.
    static func start(data: URL, port: Int, flags: [String]) async throws -> BrokerRun {
        let process = Process()
        process.executableURL = try Self.binary()
        process.arguments =
            ["serve", "--tcp", "127.0.0.1:\(port)", "--http", "off", "--data", data.path, "--log-format", "json"]
            + flags
        // An environment of ours only: a variable of the shell must not decide about a test.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ROOMLINE_") }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let exit = loop.makePromise(of: Int32.self)
        process.terminationHandler = { exit.succeed($0.terminationStatus) }
        let (record, listening) = (NIOLockedValueBox(BrokerLog.Record()), loop.makePromise(of: Int.self))
        do {
            try await Self.launch(process, on: loop) { BrokerLog(record: record, listening: listening) }
        } catch {
            exit.fail(error)
            listening.fail(error)
            throw error
        }
        do {
            let port = try await Patience.wait(for: listening, "the broker to listen") {
                record.withLockedValue(\.tail)
            }
            return BrokerRun(port: port, process: process, exit: exit.futureResult, record: record)
        } catch {
            // Whatever became of the test, no process outlives it.
            Self.signal(process, SIGKILL)
            _ = try await exit.futureResult.get()
            throw error
        }
    }

    /// Starts the process with its stderr read by an event loop.
    private static func launch(
        _ process: Process,
        on loop: any EventLoop,
        log: @escaping @Sendable () -> BrokerLog
    ) async throws {
        let pipe = Pipe()
        process.standardError = pipe
        // The end of a pipe that a channel owns must be closed by nobody else.
        let descriptor = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw BrokerFailure(reason: "no descriptor: error \(errno)", log: []) }
        _ = try await NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(log()) }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .get()
        try process.run()
        // Only the child writes: with its end comes the end of the log.
        try pipe.fileHandleForWriting.close()
        try pipe.fileHandleForReading.close()
    }

    /// Sends the signal and waits for the end of the process.
    ///
    /// - Returns: its exit code, or the signal that ended it.
    @discardableResult
    func end(by signal: Int32) async throws -> Int32 {
        Self.signal(self.process, signal)
        return try await self.exit.get()
    }

    private static func signal(_ process: Process, _ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// The executable that was built with these tests: it lies beside their bundle.
    private static func binary() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["ROOMLINE_BINARY"] { return URL(filePath: path) }
        let bundle = Bundle(for: BrokerRun.self).bundleURL
        // With XCTest bundles the bundle itself is a directory; without, it is the directory that the tests lie in.
        let places = [bundle, bundle.deletingLastPathComponent()].map { $0.appending(path: "roomline") }
        let isProgram = { (url: URL) in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && !isDirectory.boolValue
        }
        guard let binary = places.first(where: isProgram) else {
            throw BrokerFailure(reason: "the roomline executable is not built beside \(bundle.path)", log: [])
        }
        return binary
    }
}
