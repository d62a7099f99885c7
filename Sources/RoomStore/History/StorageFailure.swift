import Foundation
import GRDB
import RoomCore

/// The meaning of an error of SQLite for the store.
enum StorageFailure: Equatable {
    /// The file is no sound database any more: it is moved aside and a new one begun.
    case corrupt
    /// This change was refused, others may be accepted: a constraint, a value that is too big.
    case refused
    /// What was written may not be on the disk, and no later sync can tell: the file is opened anew.
    case unsynced
    /// The disk is full, the file read-only or locked, the device broken: it may work again later.
    case unavailable

    private static let syncs: [ResultCode] = [.SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC]

    init(_ error: any Error) {
        if let code = (error as? DatabaseError)?.extendedResultCode, Self.syncs.contains(code) {
            self = .unsynced
            return
        }
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_CORRUPT?, .SQLITE_NOTADB?: self = .corrupt
        case .SQLITE_CONSTRAINT?, .SQLITE_TOOBIG?, .SQLITE_MISMATCH?, .SQLITE_RANGE?: self = .refused
        default: self = .unavailable
        }
    }

    /// An error while a file is opened: our own statements are sound, so it is the file that makes no sense.
    init(opening error: any Error) {
        self = (error as? DatabaseError)?.resultCode == .SQLITE_ERROR ? .corrupt : StorageFailure(error)
    }

    /// The error that the caller of the engine is told.
    var engineError: EngineError {
        switch self {
        case .corrupt: .reset
        case .refused, .unsynced, .unavailable: .unavailable
        }
    }

    static func isDiskFull(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError:
            error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        case let error as PrivateFile.Failure: error.code == ENOSPC
        case let error as CocoaError: error.code == .fileWriteOutOfSpace
        default: false
        }
    }

    /// Whether a start without the file is better than none: what hinders it goes by, or is mended, while we run.
    static func mayPass(_ error: any Error) -> Bool {
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_FULL?, .SQLITE_IOERR?, .SQLITE_BUSY?, .SQLITE_LOCKED?: true
        default: false
        }
    }
}
