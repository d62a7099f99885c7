import Foundation
import GRDBSQLite
import NIOCore
import RoomJSON
import RoomModel

/// The scanner takes what two other parsers take, Foundation's and SQLite's, apart from the differences that are listed
/// here; and what it takes comes out of a tree as it went in.
enum JSONFuzz: FuzzTarget {
    static let name = "json"
    private static let nestingLimit = 500

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let fault = self.fault(in: bytes)
        if let fault {
            try demand(0...bytes.count ~= fault.offset, "a fault at \(fault.offset)")
            let text = fault.text(in: bytes, nestingLimit: self.nestingLimit)
            try demand(text.isOneSafeLine && text.utf8.count < 200, "the text of a fault: \(text)")
        }
        try self.compareWithFoundation(bytes, fault)
        try self.compareWithSQLite(bytes, fault)
        try self.checkTree(bytes, fault)
    }

    private static func fault(in bytes: UnsafeRawBufferPointer) -> JSONFault? {
        do throws(JSONFault) {
            _ = try JSONScanner.check(bytes, nestingLimit: self.nestingLimit)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Foundation

    private static func compareWithFoundation(_ bytes: UnsafeRawBufferPointer, _ fault: JSONFault?) throws {
        guard fault?.kind != .nestingTooDeep, !self.foundationDiffers(bytes) else { return }
        let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
        try demand((value != nil) == (fault == nil), "Foundation \(value == nil ? "refuses" : "takes") it")
        guard let text = value as? String else { return }
        let content = bytes.text.trimmingCharacters(in: .whitespacesAndNewlines)
        let ours = Array(content.utf8).withUnsafeBytes { JSONString.text(at: 0..<$0.count, in: $0) }
        try demand(ours.map { Array($0.utf8) } == Array(text.utf8), "the string is another one to Foundation")
    }

    /// Foundation guesses other encodings from NULs and byte order marks, drops a byte order mark from the beginning of a string,
    /// takes a comma before a closing bracket, and refuses halves of surrogate pairs and numbers beyond its types.
    private static func foundationDiffers(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.contains(0) || bytes.text.unicodeScalars.contains("\u{feff}")
            || [[0xfe, 0xff], [0xff, 0xfe]].contains(where: { bytes.starts(with: $0) })
        {
            return true
        }
        let text = bytes.filter { ![0x09, 0x0a, 0x0d, 0x20].contains($0) }
        for (index, byte) in text.enumerated() {
            let next = index + 1 < text.count ? text[index + 1] : 0
            if byte == UInt8(ascii: ","), next == UInt8(ascii: "]") || next == UInt8(ascii: "}") { return true }
            if byte == UInt8(ascii: "\\"), next == UInt8(ascii: "u"), index + 2 < text.count,
                text[index + 2] | 0x20 == UInt8(ascii: "d")
            {
                return true
            }
        }
        return self.hasLongNumber(text)
    }

    private static func hasLongNumber(_ text: [UInt8]) -> Bool {
        var (length, previous) = (0, UInt8(0))
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): length += 1
            case UInt8(ascii: "."): break
            case UInt8(ascii: "e"), UInt8(ascii: "E"): length = 15
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                if previous | 0x20 != UInt8(ascii: "e") { length = 0 }
            default: length = 0
            }
            if length > 16 { return true }
            previous = byte
        }
        return false
    }

    // MARK: SQLite

    private static func compareWithSQLite(_ bytes: UnsafeRawBufferPointer, _ fault: JSONFault?) throws {
        // It does not look at the UTF-8 of strings, and stops at a NUL.
        guard fault?.kind != .nestingTooDeep, fault?.kind != .invalidUTF8, !bytes.contains(0) else { return }
        guard bytes.text.utf8.elementsEqual(bytes) else { return }
        if let fault, self.isContainerAsName(bytes, at: fault.offset) { return }
        try demand(SQLiteJSON.isValid(bytes) == (fault == nil), "SQLite \(fault == nil ? "refuses" : "takes") it")
    }

    /// SQLite takes an array or an object for the name of a field.
    private static func isContainerAsName(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard offset < bytes.count, [UInt8(ascii: "["), UInt8(ascii: "{")].contains(bytes[offset]) else { return false }
        let before = bytes[..<offset].last { ![0x09, 0x0a, 0x0d, 0x20].contains($0) }
        return before == UInt8(ascii: "{") || before == UInt8(ascii: ",")
    }

    // MARK: Trees

    private static func checkTree(_ bytes: UnsafeRawBufferPointer, _ fault: JSONFault?) throws {
        do {
            let tree = try JSONTree.read(bytes.buffer, nestingLimit: self.nestingLimit)
            try demand(fault == nil, "there is a tree of what is not JSON")
            let written = tree.bytes
            try demand(try JSONTree.read(written, nestingLimit: self.nestingLimit) == tree, "the tree was \(tree.text)")
            try demand(!written.readableBytesView.contains { $0 < 0x20 }, "control characters in a written tree")
        } catch let error as RequestError {
            // Of what is JSON, only repeated fields and halves of surrogate pairs make no tree.
            let isKnown = error.code == .duplicateField || error.code == .invalidField
            try demand(fault != nil || isKnown, "no tree, though it is JSON: \(error)")
        }
    }
}

/// `json_valid` of the SQLite that the store uses.
private enum SQLiteJSON {
    private struct Statement: @unchecked Sendable {
        let pointer: OpaquePointer?
    }

    /// Used by one test, or one fuzzer, at a time.
    private static let statement: Statement = {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, nil)
        sqlite3_prepare_v2(database, "SELECT json_valid(?1)", -1, &statement, nil)
        return Statement(pointer: statement)
    }()

    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let statement = self.statement.pointer
        defer { sqlite3_reset(statement) }
        let text = bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }
        sqlite3_bind_text(statement, 1, text, Int32(bytes.count), nil)
        guard sqlite3_step(statement) == SQLITE_ROW else { return false }
        return sqlite3_column_int(statement, 0) == 1
    }
}
