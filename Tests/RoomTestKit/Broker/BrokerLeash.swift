import Foundation

/// Ends a broker whose test ends without having done so, because it crashed or was killed itself.
final class BrokerLeash: Sendable {
    private let process = Process()
    /// Ends with this process, and so with it the `read` of the shell.
    private let leash = Pipe()

    init(over pid: Int32) throws {
        self.process.executableURL = URL(filePath: "/bin/sh")
        self.process.arguments = ["-c", #"read -r line; kill -9 "$1""#, "leash", "\(pid)"]
        self.process.standardInput = self.leash
        self.process.standardOutput = FileHandle.nullDevice
        self.process.standardError = FileHandle.nullDevice
        try self.process.run()
    }

    /// The broker has ended: its number may soon be another process's.
    func dismiss() {
        // Not SIGTERM: the thread that started it may have that blocked, and so has its child.
        if self.process.isRunning { kill(self.process.processIdentifier, SIGKILL) }
    }
}
