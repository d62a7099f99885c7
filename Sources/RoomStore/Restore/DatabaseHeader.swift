import Foundation

/// The first bytes of a database file (https://www.sqlite.org/fileformat.html#the_database_header).
enum DatabaseHeader {
    private static let magic = Data("SQLite format 3\0".utf8)
    private static let length = 100
    /// How the file is written, and how it is read: 1 without a `-wal`, 2 with one.
    private static let modes = 18...19

    /// Whether this is a database that is read without making a file beside it.
    static func isOfOneFile(_ path: String) throws -> Bool {
        let header = try RegularFile.read(path, atMost: self.length)
        return header.count == self.length && header.starts(with: self.magic)
            && header[self.modes].allSatisfy { $0 == 1 }
    }
}
