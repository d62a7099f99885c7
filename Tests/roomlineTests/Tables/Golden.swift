import Foundation
import NIOCore
import RoomAdmin
import RoomJSON
import Testing

@testable import roomline

/// What stands in a file of `Golden`, to compare what is shown with.
enum Golden {
    static let utc = TimeZone(identifier: "UTC") ?? .current

    /// Holds lines to a file, byte for byte. `ROOMLINE_GOLDEN=write` writes the file anew instead, to be looked at.
    static func expect(_ lines: [String], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Golden/\(name).txt")
        let text = lines.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["ROOMLINE_GOLDEN"] == "write" {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text, sourceLocation: sourceLocation)
    }

    static func document<Document: AdminDocument>(_ json: String) throws -> Document {
        try Document(json: ByteBuffer(string: json))
    }

    /// - Parameter json: an array.
    static func documents<Document: AdminDocument>(_ json: String) throws -> [Document] {
        let page = ByteBuffer(string: "{\"list\":\(json)}")
        return try JSONFields.elements(of: "list", in: page).map { try Document(json: $0) }
    }
}
