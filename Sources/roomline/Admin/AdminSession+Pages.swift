import NIOCore
import RoomAdmin

extension AdminSession {
    /// All elements of a list, page by page, byte for byte.
    ///
    /// - Parameters:
    ///   - limit: how many are enough; `nil`: all.
    ///   - take: is given each.
    func forEach<Element>(
        _ list: AdminList<Element>,
        limit: Int? = nil,
        _ take: (ByteBuffer) throws -> Void
    ) async throws {
        try await self.forEach(
            list,
            limit: limit,
            taking: { element in
                try take(element)
                return true
            }
        )
    }

    /// - Parameter take: is given each, and returns whether it is one of those that are enough.
    private func forEach<Element>(
        _ list: AdminList<Element>,
        limit: Int?,
        taking take: (ByteBuffer) throws -> Bool
    ) async throws {
        var left = limit ?? .max
        var next: String?
        repeat {
            let page = try await self.page(of: list, after: next, limit: min(left, 1_000))
            for element in page.elements where left > 0 { left -= try take(element) ? 1 : 0 }
            next = page.next
        } while next != nil && left > 0
    }

    private func page<Element>(
        of list: AdminList<Element>,
        after next: String?,
        limit: Int
    ) async throws(CommandFailure) -> (elements: [ByteBuffer], next: String?) {
        do throws(AdminError) {
            return try await self.client.page(of: list, after: next, limit: limit)
        } catch {
            throw await self.failure(error, of: list.request)
        }
    }

    /// Shows a list: as lines of JSON while the pages come, or as a table when it is complete.
    ///
    /// - Parameters:
    ///   - limit: how many are shown at most; `nil`: all.
    ///   - isShown: says which of them; `nil`: all.
    func show<Document: AdminDocument>(
        _ list: AdminList<Document>,
        limit: Int? = nil,
        on output: AdminOutput,
        as table: ([Document]) -> Table,
        isShown: ((Document) -> Bool)? = nil
    ) async throws {
        var documents: [Document] = []
        try await self.forEach(
            list,
            limit: limit,
            taking: { element in
                if let isShown, !isShown(try Document(json: element)) { return false }
                if output.isJSON {
                    try output.write(element)
                } else {
                    documents.append(try Document(json: element))
                }
                return true
            }
        )
        if !output.isJSON { try output.write(table(documents)) }
    }
}
