import Foundation
package import Logging

/// The directory with everything that outlives the broker, used by one broker at a time.
package final class DataDirectory: Sendable {
    /// In place of a path: nothing is kept.
    package static let memory = ":memory:"

    /// `nil` in memory.
    package let path: String?
    package let control: StoreLocation
    package let history: StoreLocation
    package let clock: ClockFloor
    package let reserve: DiskReserve
    /// Nothing could be written there at the start.
    package let isReadOnly: Bool
    private let lock: DirectoryLock?

    /// Creates the directory if there is none (0700) and takes it for this process.
    ///
    /// - Parameter now: Unix milliseconds.
    package init(_ path: String, now: Int64, logger: Logger) throws(DataDirectoryError) {
        do {
            guard path != Self.memory else {
                self.path = nil
                self.control = .memory
                self.history = .memory
                self.clock = try ClockFloor(path: nil, now: now, logger: logger)
                self.reserve = .none
                self.isReadOnly = false
                self.lock = nil
                return
            }
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            self.lock = try DirectoryLock(path: path + "/lock")
            guard !RestoreTarget.isUnfinished(path) else { throw DataDirectoryError(unfinished: path) }
            self.path = path
            self.isReadOnly = PrivateFile.isReadOnly(path)
            self.control = .file(path + "/control.sqlite")
            self.history = .file(path + "/history.sqlite")
            self.clock = try ClockFloor(path: path + "/clock", now: now, logger: logger)
            self.reserve =
                self.isReadOnly ? .none : DiskReserve(ReservedDisk(directory: path), now: now, logger: logger)
        } catch let error as DataDirectoryError {
            throw error
        } catch let error as DirectoryLock.Taken {
            throw DataDirectoryError(inUse: path, by: error.processID)
        } catch {
            throw DataDirectoryError(unusable: path, error)
        }
    }

    /// Whether messages were stored here.
    package var hasHistory: Bool { self.history.path.map { FileManager.default.fileExists(atPath: $0) } ?? false }

    /// Tells whether somebody has a directory; takes nothing.
    package static func use(of path: String) -> DirectoryLock.Use { DirectoryLock.use(path: path + "/lock") }

    /// Lets another broker use the directory; to be called after the stores are closed.
    package func close() {
        self.lock?.release()
    }
}

/// The data directory cannot be used. The text says which, why, and what to do.
package struct DataDirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    package var text: String

    package var description: String { self.text }
}

extension DataDirectoryError {
    init(inUse path: String, by processID: Int32?) {
        let process = processID.map { " (process \($0))" } ?? ""
        self.init(
            text: """
                the data directory \(path) is in use by another broker\(process). Stop that one, or name another \
                directory with --data.
                """
        )
    }

    init(unusable path: String, _ error: any Error) {
        self.init(
            text: """
                cannot use the data directory \(path): \(Self.reason(error)). Check its owner and permissions, or name \
                another with --data.
                """
        )
    }

    /// The system's reason, without the frames that Foundation puts around it.
    private static func reason(_ error: any Error) -> String {
        guard let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error,
            let code = (cause as? POSIXError)?.code.rawValue ?? Int32(exactly: (cause as NSError).code)
        else { return "\(error)" }
        // what is there and is no directory
        return String(cString: strerror(code == EEXIST ? ENOTDIR : code))
    }

    fileprivate init(unfinished path: String) {
        self.init(
            text: """
                a restore into the data directory \(path) was cut short, so what is there is not whole. Run "roomline \
                restore" again, with --replace.
                """
        )
    }
}
