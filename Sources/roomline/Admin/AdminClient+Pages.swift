import NIOCore
import RoomJSON

extension AdminClient {
    /// All elements of a list, page by page, byte for byte.
    ///
    /// - Parameters:
    ///   - field: the list in each page.
    ///   - cursor: the parameter that takes what `next` has said.
    ///   - limit: how many are enough; `nil`: all.
    ///   - take: is given each.
    func forEach(
        _ field: StaticString,
        of request: AdminRequest,
        cursor: String = "after",
        limit: Int? = nil,
        _ take: (ByteBuffer) throws -> Void
    ) async throws {
        var left = limit ?? .max
        var next: String?
        repeat {
            var page = request
            page.query.append(("limit", "\(min(left, 1_000))"))
            if let next { page.query.append((cursor, next)) }
            let body = try await self.send(page).body
            let elements = JSONFields.elements(of: field, in: body)
            try elements.forEach(take)
            left -= elements.count
            next = elements.isEmpty ? nil : JSONFields.string(of: "next", in: body)
        } while next != nil && left > 0
    }

    /// Shows a list: as lines of JSON while the pages come, or as a table when it is complete.
    func show<Document: AdminDocument>(
        _ field: StaticString,
        of request: AdminRequest,
        cursor: String = "after",
        limit: Int? = nil,
        on output: AdminOutput,
        as table: ([Document]) -> Table
    ) async throws {
        var documents: [Document] = []
        try await self.forEach(field, of: request, cursor: cursor, limit: limit) { element in
            if output.isJSON {
                try output.write(element)
            } else {
                documents.append(try Document(json: element))
            }
        }
        if !output.isJSON { try output.write(table(documents)) }
    }
}
