package import NIOCore
import RoomJSON

/// The elements of a list of the admin API; the pages are fetched as they are needed.
public struct AdminListSequence<Element: Sendable>: AsyncSequence, Sendable {
    let client: AdminClient
    let list: AdminList<Element>

    /// Begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(client: self.client, list: self.list) }

    /// Reads one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let client: AdminClient
        let list: AdminList<Element>
        private var page: ArraySlice<ByteBuffer> = []
        private var next: String?
        private var isComplete = false

        init(client: AdminClient, list: AdminList<Element>) {
            self.client = client
            self.list = list
        }

        /// The next element; `nil` at the end of the list.
        ///
        /// - Throws: ``AdminError``.
        public mutating func next() async throws -> Element? {
            while self.page.isEmpty {
                guard !self.isComplete else { return nil }
                let page = try await self.client.page(of: self.list, after: self.next)
                self.page = page.elements[...]
                self.next = page.next
                self.isComplete = page.next == nil
            }
            return try self.page.popFirst().map(self.list.read)
        }
    }
}

extension AdminClient {
    /// All elements of a list.
    public func list<Element>(_ list: AdminList<Element>) -> AdminListSequence<Element> {
        AdminListSequence(client: self, list: list)
    }

    /// One page of a list, byte for byte.
    package func page<Element>(
        of list: AdminList<Element>,
        after next: String?,
        limit: Int = 1_000
    ) async throws(AdminError) -> (elements: [ByteBuffer], next: String?) {
        var request = list.request
        request.query.append(("limit", "\(limit)"))
        if let next { request.query.append((list.cursor, next)) }
        let body = try await self.send(request).body
        let elements = JSONFields.elements(of: list.field, in: body)
        return (elements, elements.isEmpty ? nil : JSONFields.string(of: "next", in: body))
    }
}
